/// The objects that a replica needs on the server, as SQL that may run any number of times.
///
/// Statement triggers write the keys of changed rows into `strata.log`, with the number of their
/// transaction. The log has no values, no order and no sequence: a pull asks for the keys of the
/// transactions that its snapshot sees and the last pull's did not. A sequence would lose rows,
/// because transactions do not commit in the order in which they take numbers.
enum ServerObjects {
  /// The key of all advisory locks of Strata. Lock 1 is for preparing, 2 for pruning, 3 for those
  /// who sleep.
  static let lock = 8_247_316

  /// A condition that gives the lock of those who sleep back, and is met if this session has held it.
  ///
  /// A session that gives back a lock which it does not have gets a warning, also in the server's log.
  static let isReleased = """
    CASE WHEN EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = \(lock) AND objid = 3
      AND pid = pg_backend_pid()) THEN pg_advisory_unlock(\(lock), 3) ELSE false END
    """

  static let sql = """
    BEGIN;
    SET LOCAL client_min_messages = warning;
    CREATE SCHEMA IF NOT EXISTS strata;

    CREATE TABLE IF NOT EXISTS strata.meta (
      one bool PRIMARY KEY DEFAULT true CHECK (one),
      format int NOT NULL,
      epoch uuid NOT NULL DEFAULT gen_random_uuid(),
      keep interval NOT NULL DEFAULT '7 days',
      horizon pg_snapshot NOT NULL);
    -- Tells the data from those of any other database. A dump and a standby keep it.
    ALTER TABLE strata.meta ADD COLUMN IF NOT EXISTS identity uuid NOT NULL DEFAULT gen_random_uuid();
    INSERT INTO strata.meta (format, horizon) VALUES (1, pg_current_snapshot()) ON CONFLICT DO NOTHING;

    CREATE TABLE IF NOT EXISTS strata.tables (
      id int2 PRIMARY KEY, rel oid UNIQUE, name text NOT NULL, key text NOT NULL);
    -- A table that is gone has none.
    ALTER TABLE strata.tables ALTER rel DROP NOT NULL;

    -- The number of a subtransaction's top level, in 64 bits. A null key stands for the whole table.
    CREATE TABLE IF NOT EXISTS strata.log (
      txid xid8 NOT NULL DEFAULT pg_current_xact_id(), tbl int2 NOT NULL, key text COLLATE "C");
    CREATE INDEX IF NOT EXISTS log_txid ON strata.log (txid);

    -- The rows in which a replica's edit has replaced the value of another replica, and the replica's name.
    CREATE TABLE IF NOT EXISTS strata.replaced (
      txid xid8 NOT NULL DEFAULT pg_current_xact_id(), tbl int2 NOT NULL, key text COLLATE "C" NOT NULL,
      by text NOT NULL DEFAULT current_setting('application_name'));
    CREATE INDEX IF NOT EXISTS replaced_txid ON strata.replaced (txid);

    -- Snapshots by the clock, for pruning.
    CREATE TABLE IF NOT EXISTS strata.mark (at timestamptz PRIMARY KEY, snapshot pg_snapshot NOT NULL);

    CREATE TABLE IF NOT EXISTS strata.client (
      id uuid PRIMARY KEY, owner name NOT NULL DEFAULT current_user, seen timestamptz NOT NULL DEFAULT now(),
      last_push int8 NOT NULL DEFAULT 0, token uuid, refused json);

    -- A half of the key of a link, from the key at one end, as stores compute it: its kind, a number or
    -- a length in eight bytes, and the bytes. The sign bit of a number is flipped, so that keys sort as
    -- numbers do. Whoever writes links runs these functions, and need not have the right to use the schema:
    -- so none of them calls another.
    CREATE OR REPLACE FUNCTION strata.link_end(int8) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $f$
      SELECT '\\x01'::pg_catalog.bytea OPERATOR(pg_catalog.||)
        pg_catalog.int8send($1 OPERATOR(pg_catalog.#) (-9223372036854775808)::pg_catalog.int8)
    $f$;
    CREATE OR REPLACE FUNCTION strata.link_end(bytea) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $f$
      SELECT '\\x04'::pg_catalog.bytea OPERATOR(pg_catalog.||)
        pg_catalog.int8send(pg_catalog.octet_length($1)::pg_catalog.int8) OPERATOR(pg_catalog.||) $1
    $f$;
    CREATE OR REPLACE FUNCTION strata.link_end(uuid) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $f$
      SELECT '\\x04'::pg_catalog.bytea OPERATOR(pg_catalog.||) pg_catalog.int8send(16::pg_catalog.int8)
        OPERATOR(pg_catalog.||) pg_catalog.uuid_send($1)
    $f$;
    CREATE OR REPLACE FUNCTION strata.link_end(text) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $f$
      SELECT '\\x03'::pg_catalog.bytea OPERATOR(pg_catalog.||) pg_catalog.int8send(
          pg_catalog.octet_length(pg_catalog.convert_to($1, 'UTF8'))::pg_catalog.int8)
        OPERATOR(pg_catalog.||) pg_catalog.convert_to($1, 'UTF8')
    $f$;

    -- Makes a trigger that is missing, or that calls another function. A second call changes no fingerprint.
    CREATE OR REPLACE FUNCTION strata.set_trigger(rel oid, name text, event text, tables text, f text)
    RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $f$
    DECLARE enabled "char"; called oid;
    BEGIN
      SELECT tgenabled, tgfoid INTO enabled, called FROM pg_trigger
        WHERE tgrelid = rel AND tgname = name AND tgparentid = 0;
      IF called <> to_regprocedure(f || '()') THEN
        EXECUTE format('DROP TRIGGER %I ON %s', name, rel::regclass);
        enabled := NULL;
      END IF;
      IF enabled IS NULL THEN
        EXECUTE format('CREATE TRIGGER %I AFTER %s ON %s %s FOR EACH STATEMENT EXECUTE FUNCTION %s()',
          name, event, rel::regclass, coalesce('REFERENCING ' || tables, ''), f);
      END IF;
      -- Writers with session_replication_role = replica are seen, too.
      IF enabled IS DISTINCT FROM 'A' THEN
        EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', rel::regclass, name);
      END IF;
    END $f$;

    -- Finds the tables whose numbers are those of another cluster, because a dump was restored, or of tables
    -- that are gone. The triggers of a table call the function with its number in the log.
    CREATE OR REPLACE FUNCTION strata.find_tables() RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $f$
    DECLARE number int2; found_rel oid;
    BEGIN
      UPDATE strata.tables t SET rel = NULL WHERE t.rel IS NOT NULL AND NOT EXISTS (SELECT FROM pg_trigger g
        WHERE g.tgrelid = t.rel AND g.tgfoid = to_regprocedure(format('strata.log_%s()', t.id)));
      FOR number, found_rel IN SELECT t.id, coalesce(
          (SELECT g.tgrelid FROM pg_trigger g JOIN pg_class c ON c.oid = g.tgrelid AND NOT c.relispartition
            WHERE g.tgfoid = to_regprocedure(format('strata.log_%s()', t.id)) LIMIT 1), to_regclass(t.name))
        FROM strata.tables t WHERE t.rel IS NULL ORDER BY t.id DESC
      LOOP
        UPDATE strata.tables t SET rel = found_rel
          WHERE t.id = number AND NOT EXISTS (SELECT FROM strata.tables o WHERE o.rel = found_rel);
      END LOOP;
    END $f$;

    -- Makes the triggers of a table and of its partitions. `key` is the column of the entity's key.
    CREATE OR REPLACE FUNCTION strata.prepare_table(rel regclass, key text)
    RETURNS int2 LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $f$
    DECLARE c pg_class; kind oid; coll oid; number int2; n text; o text; f text; part oid;
    BEGIN
      SELECT * INTO STRICT c FROM pg_class WHERE oid = rel;
      IF c.relkind NOT IN ('r', 'p') THEN RAISE EXCEPTION '% is no table', rel; END IF;
      IF c.relispartition THEN RAISE EXCEPTION '% is a partition', rel USING HINT = 'prepare its root'; END IF;
      IF c.relpersistence <> 'p' THEN
        RAISE EXCEPTION '% is unlogged or temporary', rel USING HINT = 'a crash empties it without a trigger'; END IF;
      IF c.relkind = 'r' AND EXISTS (SELECT FROM pg_inherits WHERE rel IN (inhparent, inhrelid)) THEN
        RAISE EXCEPTION '% inherits or is inherited from', rel USING HINT = 'use partitions'; END IF;
      IF EXISTS (SELECT FROM pg_rewrite WHERE ev_class = rel AND ev_type <> '1') THEN
        RAISE EXCEPTION '% has rules', rel USING HINT = 'use triggers'; END IF;
      IF EXISTS (SELECT FROM pg_subscription_rel s WHERE s.srrelid = rel
          OR s.srrelid IN (SELECT relid FROM pg_partition_tree(rel))) THEN
        RAISE EXCEPTION '% is filled by a subscription', rel
          USING HINT = 'statement triggers do not see its rows: follow the publisher'; END IF;
      SELECT atttypid, attcollation INTO kind, coll FROM pg_attribute
        WHERE attrelid = rel AND attname = key AND attnotnull AND NOT attisdropped;
      IF NOT FOUND THEN RAISE EXCEPTION '% has no column % that is not null', rel, key; END IF;
      IF NOT EXISTS (SELECT FROM pg_index i JOIN pg_attribute a ON a.attrelid = rel AND a.attname = key
          WHERE i.indrelid = rel AND i.indisunique AND i.indpred IS NULL AND i.indnkeyatts = 1
            AND i.indkey[0] = a.attnum) THEN
        RAISE EXCEPTION 'the column % of % is not unique', key, rel USING HINT = 'make it the primary key'; END IF;
      -- The text of any other type depends on a setting of the session.
      IF kind NOT IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'uuid'::regtype, 'text'::regtype,
          'varchar'::regtype, 'bytea'::regtype) THEN
        RAISE EXCEPTION 'the key % of % has type %', key, rel, kind::regtype
          USING HINT = 'keys are integers, uuid, text or bytea'; END IF;
      IF coll <> 0 AND NOT (SELECT collisdeterministic FROM pg_collation WHERE oid = coll) THEN
        RAISE EXCEPTION 'the key % of % has a collation in which different texts are equal', key, rel; END IF;
      n := format(CASE kind WHEN 'bytea'::regtype THEN 'pg_catalog.encode(n.%I, ''hex'')'
        ELSE 'n.%I::pg_catalog.text' END, key);
      o := format(CASE kind WHEN 'bytea'::regtype THEN 'pg_catalog.encode(o.%I, ''hex'')'
        ELSE 'o.%I::pg_catalog.text' END, key);

      PERFORM strata.find_tables();
      SELECT t.id INTO number FROM strata.tables t WHERE t.rel = prepare_table.rel;
      IF NOT FOUND THEN SELECT coalesce(max(id), 0) + 1 INTO number FROM strata.tables; END IF;
      f := format('strata.log_%s', number);
      -- A function for each table, with static SQL: one for all with EXECUTE costs four times as much.
      -- Every name is qualified, so the function needs no SET clause, which would cost more.
      -- UNION and not an anti-join: its plan stays good for many rows.
      EXECUTE format($x$CREATE OR REPLACE FUNCTION %1$s() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $g$
    BEGIN
      IF TG_OP = 'TRUNCATE' THEN
        INSERT INTO strata.log (tbl) VALUES (%2$s);
      ELSE
        IF TG_OP = 'INSERT' THEN
          INSERT INTO strata.log (tbl, key) SELECT %2$s, %3$s FROM strata_new n;
        ELSIF TG_OP = 'DELETE' THEN
          INSERT INTO strata.log (tbl, key) SELECT %2$s, %4$s FROM strata_old o;
        ELSE
          INSERT INTO strata.log (tbl, key)
            SELECT %2$s, %3$s FROM strata_new n UNION SELECT %2$s, %4$s FROM strata_old o;
        END IF;
        IF NOT FOUND THEN RETURN NULL; END IF;
      END IF;
      -- NOTIFY takes a lock of the whole server until the commit is on the disk. So it is sent only
      -- while somebody sleeps, who holds this lock exclusively. A session that holds it never writes.
      IF pg_catalog.current_setting('strata.signal', true) IS DISTINCT FROM 'off' THEN
        IF pg_catalog.pg_try_advisory_lock_shared(\(lock), 3) THEN
          PERFORM pg_catalog.pg_advisory_unlock_shared(\(lock), 3);
        ELSE
          PERFORM pg_catalog.pg_notify('strata', '');
        END IF;
      END IF;
      RETURN NULL;
    END $g$ $x$, f, number, n, o);
      EXECUTE format('REVOKE ALL ON FUNCTION %s() FROM PUBLIC', f);
      FOR part IN SELECT relid FROM pg_partition_tree(rel) UNION SELECT rel LOOP
        PERFORM strata.set_trigger(part, 'strata_truncate', 'TRUNCATE', NULL, f);
        PERFORM strata.set_trigger(part, 'strata_insert', 'INSERT', 'NEW TABLE AS strata_new', f);
        PERFORM strata.set_trigger(part, 'strata_delete', 'DELETE', 'OLD TABLE AS strata_old', f);
        PERFORM strata.set_trigger(part, 'strata_update', 'UPDATE',
          'OLD TABLE AS strata_old NEW TABLE AS strata_new', f);
      END LOOP;
      INSERT INTO strata.tables VALUES (number, rel, rel::text, key)
        ON CONFLICT (id) DO UPDATE SET rel = excluded.rel, name = excluded.name, key = excluded.key;
      RETURN number;
    END $f$;

    -- Each table as it is now. `shape` is a fingerprint of everything through which rows change unseen:
    -- triggers that are disabled, partitions that come or go, rewrites, rights, policies. VACUUM, ANALYZE and
    -- CREATE INDEX do not change it. `columns` has the number and the
    -- name of each column's type. `unseen` is a table or partition
    -- that lacks a trigger which calls this table's function. `keyed` tells whether the key is a key.
    CREATE OR REPLACE VIEW strata.shape AS
    SELECT t.id,
      md5(format('%s %s %s', c.oid, c.xmin, own.text)) || coalesce(parts.text, '')
        || coalesce((SELECT md5(string_agg(format('%s %s', p.oid, p.xmin), ',' ORDER BY p.oid))
          FROM pg_catalog.pg_policy p WHERE p.polrelid = t.rel), '') AS shape,
      t.rel, s.nspname AS schema, c.relname AS name, (
      SELECT json_object_agg(a.attname, format('%s %s%s', a.atttypid, pg_catalog.format_type(a.atttypid, NULL),
        CASE a.attgenerated WHEN 's' THEN ' generated' END) ORDER BY a.attnum)::text
      FROM pg_catalog.pg_attribute a WHERE a.attrelid = t.rel AND a.attnum > 0 AND NOT a.attisdropped) AS columns,
      CASE WHEN own.good <> 4 THEN t.rel::pg_catalog.regclass::text ELSE parts.unseen END AS unseen,
      EXISTS (SELECT FROM pg_catalog.pg_index i JOIN pg_catalog.pg_attribute a ON a.attrelid = t.rel
        AND a.attname = t.key AND a.attnotnull WHERE i.indrelid = t.rel AND i.indisunique AND i.indisvalid
        AND i.indpred IS NULL AND i.indnkeyatts = 1 AND i.indkey[0] = a.attnum) AS keyed
    FROM strata.tables t JOIN pg_catalog.pg_class c ON c.oid = t.rel
      JOIN pg_catalog.pg_namespace s ON s.oid = c.relnamespace
      CROSS JOIN LATERAL (SELECT pg_catalog.to_regprocedure(format('strata.log_%s()', t.id)) AS f OFFSET 0) log
      CROSS JOIN LATERAL (
        SELECT string_agg(format('%s %s %s', g.oid, g.xmin, g.tgenabled), ',' ORDER BY g.oid) AS text,
          count(*) FILTER (WHERE g.tgenabled = 'A' AND g.tgfoid = log.f) AS good
        FROM pg_catalog.pg_trigger g WHERE g.tgrelid = t.rel AND g.tgname LIKE 'strata\\_%') own
      CROSS JOIN LATERAL (
        SELECT md5(string_agg(format('%s %s %s', p.oid, p.xmin, part.text), ';' ORDER BY p.oid)) AS text,
          min(p.oid::pg_catalog.regclass::text) FILTER (WHERE part.good <> 4) AS unseen
        FROM pg_catalog.pg_partition_tree(t.rel) r JOIN pg_catalog.pg_class p ON p.oid = r.relid
          CROSS JOIN LATERAL (
            SELECT string_agg(format('%s %s %s', g.oid, g.xmin, g.tgenabled), ',' ORDER BY g.oid) AS text,
              count(*) FILTER (WHERE g.tgenabled = 'A' AND g.tgfoid = log.f) AS good
            FROM pg_catalog.pg_trigger g WHERE g.tgrelid = p.oid AND g.tgname LIKE 'strata\\_%') part
        WHERE c.relkind = 'p' AND r.relid <> t.rel) parts;

    -- Fails if a statement has not written as many rows as it should.
    CREATE OR REPLACE FUNCTION strata.expect(written int8, expected int8) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $f$
    BEGIN
      IF written <> expected THEN
        RAISE EXCEPTION 'the server left % of % rows as they were', expected - written, expected
          USING ERRCODE = 'insufficient_privilege', HINT = 'look for a policy or a trigger of the table';
      END IF;
    END $f$;

    -- Says that a backup was restored: every replica compares all rows.
    CREATE OR REPLACE FUNCTION strata.invalidate() RETURNS void LANGUAGE sql SET search_path = pg_catalog, pg_temp
    AS 'UPDATE strata.meta SET epoch = gen_random_uuid()';

    -- Says that rows became visible or invisible because another table changed, by a policy.
    CREATE OR REPLACE FUNCTION strata.touch(rel regclass, keys text[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $f$
      INSERT INTO strata.log (tbl, key) SELECT t.id, k FROM strata.tables t, unnest(keys) k WHERE t.rel = touch.rel;
      SELECT pg_notify('strata', '');
    $f$;

    -- Removes the keys that every replica has read that pulled within `keep`. Any replica may call it.
    CREATE OR REPLACE FUNCTION strata.prune() RETURNS int8
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $f$
    DECLARE h pg_snapshot; n int8; k interval;
    BEGIN
      IF NOT pg_try_advisory_xact_lock(\(lock), 2) THEN RETURN 0; END IF;
      SELECT keep INTO k FROM strata.meta;
      SELECT snapshot INTO h FROM strata.mark WHERE at <= clock_timestamp() - k ORDER BY at DESC LIMIT 1;
      INSERT INTO strata.mark VALUES (clock_timestamp(), pg_current_snapshot());
      IF h IS NULL THEN RETURN 0; END IF;
      UPDATE strata.meta SET horizon = h;
      DELETE FROM strata.log WHERE txid < pg_snapshot_xmax(h) AND pg_visible_in_snapshot(txid, h);
      GET DIAGNOSTICS n = ROW_COUNT;
      DELETE FROM strata.replaced WHERE txid < pg_snapshot_xmax(h) AND pg_visible_in_snapshot(txid, h);
      DELETE FROM strata.mark WHERE at < (SELECT max(at) FROM strata.mark WHERE at <= clock_timestamp() - k);
      DELETE FROM strata.client WHERE seen < clock_timestamp() - greatest(k * 4, interval '90 days');
      RETURN n;
    END $f$;

    -- A replica's role is a member of strata_client, and has rights on the tables as any user.
    DO $f$ BEGIN
      IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'strata_client') THEN CREATE ROLE strata_client NOLOGIN; END IF;
    EXCEPTION WHEN insufficient_privilege THEN
      RAISE EXCEPTION 'the role strata_client is missing' USING HINT = 'CREATE ROLE strata_client NOLOGIN';
    END $f$;
    REVOKE ALL ON ALL FUNCTIONS IN SCHEMA strata FROM PUBLIC;
    GRANT USAGE ON SCHEMA strata TO strata_client;
    GRANT SELECT ON strata.meta, strata.tables, strata.shape, strata.log TO strata_client;
    GRANT SELECT, INSERT ON strata.replaced TO strata_client;
    GRANT SELECT, INSERT (id), UPDATE (seen, last_push, token, refused) ON strata.client TO strata_client;
    GRANT EXECUTE ON FUNCTION strata.prune(), strata.expect(int8, int8) TO strata_client;
    -- Whoever writes links computes their keys.
    GRANT EXECUTE ON FUNCTION strata.link_end(int8), strata.link_end(text), strata.link_end(bytea),
      strata.link_end(uuid) TO PUBLIC;
    ALTER TABLE strata.client ENABLE ROW LEVEL SECURITY;
    DROP POLICY IF EXISTS own ON strata.client;
    CREATE POLICY own ON strata.client TO strata_client USING (owner = current_user) WITH CHECK (owner = current_user);
    -- The keys of a table that a role may not read are hidden from it.
    ALTER TABLE strata.log ENABLE ROW LEVEL SECURITY;
    DROP POLICY IF EXISTS readable ON strata.log;
    CREATE POLICY readable ON strata.log FOR SELECT TO strata_client
      USING (tbl = ANY (ARRAY(SELECT id FROM strata.tables WHERE pg_catalog.has_any_column_privilege(rel, 'SELECT'))));
    ALTER TABLE strata.replaced ENABLE ROW LEVEL SECURITY;
    DROP POLICY IF EXISTS readable ON strata.replaced;
    CREATE POLICY readable ON strata.replaced TO strata_client
      USING (tbl = ANY (ARRAY(SELECT id FROM strata.tables WHERE pg_catalog.has_any_column_privilege(rel, 'SELECT'))));
    COMMIT;
    """
}
