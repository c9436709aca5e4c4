#if Postgres
  import Foundation
  import LocalPostgres
  import Strata
  import StrataPostgres
  import StrataReplica

  /// A month of the server's owner: dumps, other types, renamed tables, wrong connection strings.
  ///
  /// After each, the hosts have the server's rows, or say why they do not follow it.
  extension ServerScenarios {
    mutating func owner() async throws {
      try cluster.query("CREATE ROLE stranger LOGIN")
      try await restoredDump()
      try await alteredType()
      try await swappedTables()
      try await shadowedTable()
      try await unseenWrites()
      try await droppedColumn()
      try await wrongDatabase()
      try await uniqueValues()
      try await rules()
      try await errors()
      try await openTransaction()
      try await encodings()
      try await silence()
    }

    /// Makes a prepared database of its own, and returns its name.
    private func database(
      _ name: String, _ entities: [any Entity.Type] = Self.entities
    ) async throws -> String {
      try cluster.query("CREATE DATABASE \(name)")
      try await prepare(name, entities)
      return name
    }

    private func prepare(
      _ name: String, _ entities: [any Entity.Type] = Self.entities
    ) async throws {
      try await StrataPostgres.prepare(cluster.target(name), for: entities)
      try cluster.query(
        """
        GRANT strata_client TO app;
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO app
        """, in: name)
    }

    private static let entities: [any Entity.Type] = [Shop.self, Ware.self]

    private func host(
      _ database: String, _ name: String, store: String? = nil
    ) async throws -> Host {
      try await open(
        "\(store ?? database)-\(name)", Self.entities,
        on: cluster.target(database, user: "app"))
    }

    private func ware(_ id: Int, _ more: String = "") -> String {
      "INSERT INTO wares VALUES (\(id), 'ware \(id)', NULL, 1, '1.25', 1, now(), NULL); \(more)"
    }

    private func names(_ host: Host) async throws -> [String] {
      try await host.stack.fetch(Ware.sorted(by: \.id)).map(\.name)
    }

    /// Returns why a host does not follow the server; nil if it does.
    private func obstacle(_ host: Host) async -> ReplicaError? {
      do throws(ReplicaError) {
        try await host.replica.caughtUp()
        return nil
      } catch {
        return error
      }
    }

    private func end(_ hosts: Host...) async {
      for host in hosts { await host.close() }
    }

    /// A transaction holds the tables that are to be prepared. All later transactions would wait behind a
    /// preparation that waits for it.
    private mutating func openTransaction() async throws {
      let database = try await database("held")
      try cluster.query(
        "BEGIN; SET LOCAL strata.signal = off; \(ware(1)); PREPARE TRANSACTION 'open'", in: database
      )
      let start = ContinuousClock.now
      var found: ReplicaError?
      do throws(ReplicaError) {
        try await StrataPostgres.prepare(cluster.target(database), for: Self.entities)
      } catch {
        found = error
      }
      check(found?.sqlState, "55P03", "a preparation beside an open transaction")
      check(
        found?.advice.contains("pg_prepared_xacts"), true, "what to do about an open transaction")
      check(start.duration(to: .now) < .seconds(20), true, "the preparation ends soon")
      check(
        try cluster.query("SELECT count(*) FROM pg_locks WHERE NOT granted", in: database), ["0"],
        "who waits after the preparation")
      try cluster.query("COMMIT PREPARED 'open'", in: database)
      try await prepare(database)
    }

    // MARK: - Another table

    /// A dump has the numbers of another cluster's tables, and triggers that log under the old numbers.
    private mutating func restoredDump() async throws {
      let old = try await database("dumped")
      let host = try await host(old, "a")
      try cluster.query(ware(1), in: old)
      try await host.replica.caughtUp()
      await end(host)
      // The numbers of relations are those of other ones after the restoration.
      try cluster.restoreDump(of: old, as: "restored")
      try cluster.query("CREATE TABLE other (id int)", in: "restored")
      let restored = try await self.host("restored", "a", store: old)
      check(await obstacle(restored)?.code, .unsuitableServer, "a dump that is not prepared")
      try await prepare("restored")
      try cluster.query("SELECT strata.invalidate()", in: "restored")
      let fresh = try await self.host("restored", "b")
      for host in [restored, fresh] { try await host.replica.caughtUp() }
      try cluster.query(ware(2), in: "restored")
      try await restored.stack.withScratch { $0.insert(Ware(id: 3, name: "mine")) }
      try await restored.replica.settled()
      for host in [restored, fresh] {
        try await host.replica.caughtUp()
        check(try await names(host), ["ware 1", "ware 2", "mine"], "rows after a restored dump")
      }
      check(
        try cluster.query("SELECT count(*) FROM strata.tables", in: "restored"), ["2"],
        "the tables of a restored dump")
      await end(restored, fresh)
    }

    /// Two tables trade names, and the new one was prepared or was not.
    private mutating func swappedTables() async throws {
      for isPrepared in [true, false] {
        let database = try await database("swapped_\(isPrepared)")
        let host = try await host(database, "a")
        try cluster.query(ware(1), in: database)
        try await host.replica.caughtUp()
        try cluster.query(
          """
          CREATE TABLE new (LIKE wares INCLUDING ALL); INSERT INTO new SELECT * FROM wares;
          GRANT SELECT, INSERT, UPDATE, DELETE ON new TO app;
          \(isPrepared ? "SELECT strata.prepare_table('new', 'id');" : "")
          ALTER TABLE wares RENAME TO old; ALTER TABLE new RENAME TO wares;
          """, in: database)
        if !isPrepared {
          let found = await obstacle(host)
          check(found?.code, .unsuitableServer, "a swapped table")
          check(found?.advice.contains("prepare"), true, "what to do about a swapped table")
          try await prepare(database)
        }
        try cluster.query(ware(2), in: database)
        try await host.replica.caughtUp()
        check(try await names(host), ["ware 1", "ware 2"], "rows of a swapped table")
        try await host.stack.withScratch { $0.insert(Ware(id: 3, name: "mine")) }
        try await host.replica.settled()
        check(
          try cluster.query("SELECT count(*) FROM wares", in: database), ["3"],
          "an edit of a swapped table")
        check(try await host.replica.verify().count, 0, "a swapped table that differs")
        await end(host)
      }
    }

    /// A table of the same name comes earlier in the search path. It is not prepared, so it is another one.
    private mutating func shadowedTable() async throws {
      let database = try await database("shadowed")
      let host = try await host(database, "a")
      try await host.replica.caughtUp()
      try cluster.query(
        """
        CREATE SCHEMA app AUTHORIZATION app; CREATE TABLE app.wares (LIKE wares INCLUDING ALL);
        GRANT ALL ON app.wares TO app
        """, in: database)
      let other = try await self.host(database, "b")
      try await host.stack.withScratch { $0.insert(Ware(id: 1, name: "mine")) }
      try await host.replica.settled()
      try cluster.query(ware(2).replacing("wares", with: "public.wares"), in: database)
      for host in [host, other] {
        try await host.replica.caughtUp()
        check(try await names(host), ["mine", "ware 2"], "rows of a shadowed table")
      }
      check(
        try cluster.query("SELECT count(*) FROM app.wares", in: database), ["0"],
        "rows of the table in front")
      await end(host, other)
    }

    // MARK: - Altered tables

    /// The type of a column changes to one whose values have the same width, or none.
    private mutating func alteredType() async throws {
      let changes = [
        ("price", "numeric", "price::numeric", true), ("count", "float8", "count::float8", false),
        ("at", "timestamp", "at", false), ("name", "varchar", "name", true),
        ("name", "jsonb", "to_jsonb(name)", false),
      ]
      for (number, (column, type, conversion, fits)) in changes.enumerated() {
        let database = try await database("altered_\(number)")
        let host = try await host(database, "a")
        try cluster.query(ware(1), in: database)
        try await host.replica.caughtUp()
        let before = try await host.stack.fetch(Ware.all)
        try cluster.query(
          """
          ALTER TABLE wares ALTER \(column) TYPE \(type) USING \(conversion)
          """, in: database)
        let found = await obstacle(host)
        check(found?.code, fits ? nil : .unsuitableServer, "\(column) as \(type)")
        if !fits {
          check(found?.message.contains(column), true, "the column \(column) is named")
        }
        check(try await host.stack.fetch(Ware.all) == before, true, "the row with \(column)")
        await end(host)
        let again = try await self.host(database, "a")
        check(await obstacle(again)?.code, found?.code, "\(column) as \(type), opened again")
        check(try await again.stack.fetch(Ware.all) == before, true, "the row with \(column) again")
        if fits {
          try cluster.query("UPDATE wares SET count = 2", in: database)
          try await again.replica.caughtUp()
          check(try await again.stack.fetch(Ware.all).map(\.count), [2], "a row by SQL")
          check(try await again.replica.verify().count, 0, "\(column) differs")
        }
        await end(again)
      }
    }

    /// A trigger is dropped or disabled, a partition comes, the key loses its index. No host is live then.
    private mutating func unseenWrites() async throws {
      let deeds = [
        "DROP TRIGGER strata_insert ON wares", "ALTER TABLE wares DISABLE TRIGGER strata_insert",
        "ALTER TABLE wares ENABLE TRIGGER strata_insert",
        """
        DROP TRIGGER strata_insert ON wares; CREATE TRIGGER strata_insert AFTER INSERT ON wares
        REFERENCING NEW TABLE AS strata_new FOR EACH STATEMENT EXECUTE FUNCTION strata.log_1();
        ALTER TABLE wares ENABLE ALWAYS TRIGGER strata_insert
        """,
      ]
      for (number, deed) in deeds.enumerated() {
        let database = try await database("unseen_\(number)")
        let host = try await host(database, "a")
        try await host.replica.caughtUp()
        // The number of the table in the log is 2.
        check(
          try cluster.query("SELECT id FROM strata.tables WHERE name LIKE '%wares'", in: database),
          ["2"], "the number of a table")
        try cluster.query(deed, in: database)
        try cluster.query(ware(1), in: database)
        check(await obstacle(host)?.code, .unsuitableServer, deed)
        check(await obstacle(host)?.message.contains("wares"), true, "the table is named: \(deed)")
        await end(host)
        let again = try await self.host(database, "a")
        check(await obstacle(again)?.code, .unsuitableServer, "\(deed), opened again")
        try await prepare(database)
        try await again.replica.caughtUp()
        try cluster.query(ware(2), in: database)
        try await again.replica.caughtUp()
        check(try await names(again), ["ware 1", "ware 2"], "rows after \(deed)")
        await end(again)
      }
    }

    /// The edits of a program that still has the attribute wait until the column is back.
    private mutating func droppedColumn() async throws {
      let database = try await database("dropped")
      let host = try await host(database, "a")
      try cluster.query(ware(1), in: database)
      try await host.replica.caughtUp()
      try cluster.query("ALTER TABLE wares DROP COLUMN price", in: database)
      try await host.stack.withScratch { context in
        let ware = try await context.find(Ware.self, 1)
        if let ware { context.update(ware) { $0.name = "mine" } }
      }
      let found = await obstacle(host)
      check(found?.code, .unsuitableServer, "a dropped column")
      check(found?.message.contains("price"), true, "the dropped column is named")
      check(try await host.replica.refused().count, 0, "edits that a dropped column refuses")
      check(host.replica.monitor.current.waiting, 1, "edits that wait for a column")
      try cluster.query(
        "ALTER TABLE wares ADD COLUMN price text NOT NULL DEFAULT '7'", in: database)
      try await host.replica.settled()
      check(
        try cluster.query("SELECT name FROM wares", in: database), ["mine"], "an edit that waited")
      check(try await host.stack.fetch(Ware.all).map(\.price), [7], "the new column")
      await end(host)
      try await pushToDroppedColumn(database)
      do throws(ReplicaError) {
        try await StrataPostgres.prepare(cluster.target(database), for: Self.entities)
        check("prepared", "refused", "a table that lacks an attribute")
      } catch {
        check(error.message.contains("no column price"), true, "prepare names a lacking attribute")
      }
    }

    /// A push that meets the change before any pull refuses no edit.
    private mutating func pushToDroppedColumn(_ database: String) async throws {
      let host = try await host(database, "b")
      try await host.replica.caughtUp()
      await host.replica.close()
      try await host.insert(Ware(id: 9, name: "waits"))
      let tables = host.stack.replicableTables
      let connection = try await StrataPostgres.connect(
        cluster.target(database, user: "app"), FollowedTables(tables))
      let edits = try await host.stack.handOver(of: tables, limit: 1 << 20, state: Data())
      check(edits.edits.count, 1, "edits for a dropped column")
      let client = UUID()
      try await connection.register(client)
      try cluster.query("ALTER TABLE wares DROP COLUMN price", in: database)
      do throws(ReplicaError) {
        let push = PushID(number: 1, token: UUID())
        _ = try await connection.claim(push, by: client, isArmed: false, reading: [])
        _ = try await connection.commit(edits.edits, replacing: [], by: client)
        check("pushed", "stopped", "a push to a dropped column")
      } catch {
        check(error.code, .unsuitableServer, "a push to a dropped column")
      }
      await connection.close()
      await host.stack.close()
    }

    // MARK: - Another database

    private mutating func wrongDatabase() async throws {
      let (right, wrong) = (try await database("right_one"), try await database("wrong_one"))
      try cluster.query(ware(1), in: right)
      var host = try await host(right, "a")
      try await host.replica.caughtUp()
      await host.replica.close()
      try await host.stack.withScratch { $0.insert(Ware(id: 2, name: "mine")) }
      await host.stack.close()
      host = try await self.host(wrong, "a", store: right)
      check(await obstacle(host)?.code, .anotherDatabase, "a wrong connection string")
      check(try await names(host), ["ware 1", "mine"], "rows beside a wrong database")
      check(
        try cluster.query("SELECT count(*) FROM strata.client", in: wrong), ["0"],
        "replicas that a wrong database knows")
      await end(host)
      host = try await self.host(right, "a")
      try await host.replica.settled()
      check(
        try cluster.query("SELECT name FROM wares ORDER BY id", in: right), ["ware 1", "mine"],
        "an edit after a wrong start")
      await end(host)
      host = try await self.host(wrong, "a", store: right)
      check(await obstacle(host)?.code, .anotherDatabase, "another wrong start")
      try await host.replica.adoptDatabase()
      check(try await names(host), [], "rows of a database that was adopted")
      await end(host)
      host = try await self.host(wrong, "a", store: right)
      check(await obstacle(host)?.code, nil, "a database that was adopted before")
      await end(host)
    }

    // MARK: - Rules

    /// Two hosts save one unique value at once, and one host swaps two.
    private mutating func uniqueValues() async throws {
      let database = try await database("uniques")
      let (a, b) = (try await host(database, "a"), try await host(database, "b"))
      for host in [a, b] { try await host.replica.caughtUp() }
      for round in 1...4 {
        async let first: Void = a.insert(Ware(id: round, name: "a", code: "c\(round)"))
        async let second: Void = b.insert(Ware(id: 10 + round, name: "b", code: "c\(round)"))
        _ = try await (first, second)
      }
      for host in [a, b] { try await host.replica.settled() }
      for host in [a, b] { try await host.replica.caughtUp() }
      let refused = try await a.replica.refused() + b.replica.refused()
      check(refused.count, 4, "values that two hosts have saved")
      check(Set(refused.map(\.sqlState)), ["23505"], "why they are refused")
      for host in [a, b] {
        for change in try await host.replica.refused() { try await host.replica.revert(change) }
        try await host.replica.caughtUp()
        check(try await host.replica.verify().count, 0, "rows after a race for a value")
      }
      check(try await names(a), try await names(b), "two hosts after a race for a value")

      let (low, high) = (try await a.stack.fetch(Ware.sorted(by: \.id)).map(\.id)).ends
      try await a.stack.withScratch { context in
        guard let first = try await context.find(Ware.self, low),
          let last = try await context.find(Ware.self, high)
        else { return }
        let (code, other) = (first.code, last.code)
        context.update(first) { $0.code = other }
        context.update(last) { $0.code = code }
      }
      try await a.replica.settled()
      try await b.replica.caughtUp()
      check(try await a.replica.refused().count, 0, "values that are swapped")
      check(
        try await a.stack.fetch(Ware.sorted(by: \.id)).map(\.code),
        try await b.stack.fetch(Ware.sorted(by: \.id)).map(\.code), "swapped values")
      await end(a, b)
    }

    /// The rules of the entities hold on a server whose tables were made, and are named on another one.
    private mutating func rules() async throws {
      let made = try await database("made")
      for (sql, state) in [
        ("UPDATE wares SET score = 'NaN'", "strata_score"),
        ("UPDATE wares SET price = '01.50'", "strata_price"),
        ("UPDATE wares SET shop = 99", "wares_shop_fkey"),
        ("UPDATE wares SET code = 'same'", "wares_code_key"),
        ("UPDATE wares SET labels = '[a'", "invalid input syntax for type json"),
      ] {
        try cluster.query("DELETE FROM wares; \(ware(1, ware(2)))", in: made)
        let message = failure { try cluster.query(sql, in: made) }
        check(message?.contains(state), true, sql)
      }
      try cluster.query("INSERT INTO shops VALUES (1); UPDATE wares SET shop = 1", in: made)
      let host = try await host(made, "a")
      try await host.replica.caughtUp()
      check(await host.replica.diagnostics.missingConstraints, [], "rules of a table that was made")
      try cluster.query("DELETE FROM shops", in: made)
      try await host.replica.caughtUp()
      check(try await host.stack.fetch(Ware.all).map(\.shop), [nil, nil], "a reference that ended")
      await end(host)

      try cluster.query("CREATE DATABASE older")
      try cluster.query(
        """
        CREATE TABLE shops (id int4 PRIMARY KEY);
        CREATE TABLE wares (id int8 PRIMARY KEY, name text NOT NULL, code text, count int8 NOT NULL,
          price numeric NOT NULL, score float8 NOT NULL, at timestamptz NOT NULL, shop int4, labels text);
        CREATE UNIQUE INDEX mine ON wares (code)
        """, in: "older")
      let missing = try await StrataPostgres.prepare(
        cluster.target("older"), for: Self.entities)
      check(
        missing.map { "\($0.kind.rawValue) \($0.attributes.joined(separator: ","))" },
        ["reference shop", "check price", "check score", "check labels"],
        "rules that an older table lacks")
      try await prepare("older")
      let other = try await self.host("older", "a")
      try await other.replica.caughtUp()
      check(await other.replica.diagnostics.missingConstraints, missing, "rules of an older table")
      await end(other)
      for rule in missing { try cluster.query(rule.statement, in: "older") }
      check(
        try await StrataPostgres.prepare(cluster.target("older"), for: Self.entities), [],
        "rules after their statements")
    }

    // MARK: - Errors

    /// A connection that fails is told with the server's code and with advice.
    private mutating func errors() async throws {
      let database = try await database("strict")
      let cases = [
        (cluster.target("nowhere"), "3D000", "dbname"),
        (cluster.target(database, user: "nobody"), "28000", "role"),
        (
          cluster.target(database, user: "stranger"), "42501", "GRANT strata_client TO \"stranger\""
        ),
        (cluster.target("template1"), "42P01", "prepare"),
      ]
      for (number, (target, state, advice)) in cases.enumerated() {
        let host = try await open("errors-\(number)", Self.entities, on: target)
        let found = await obstacle(host)
        check(found?.sqlState, state, "the code for \(state)")
        check(
          found?.advice.contains(advice), true, "the advice for \(state): \(found?.advice ?? "")")
        await end(host)
      }
      // The first of two hosts takes the connection and says nothing, as after a loss of power.
      let silence = try SilentHost()
      let target =
        cluster.target(database, user: "app") + " connect_timeout=2 host=127.0.0.1,"
        + "\(cluster.folder.path) port=\(silence.port),5432"
      let second = try await open("errors-silent", Self.entities, on: target)
      check(await obstacle(second)?.code, nil, "a server behind a silent host")
      await end(second)
      silence.close()
      try cluster.query("GRANT strata_client TO stranger", in: database)
      let host = try await open(
        "errors-grant", Self.entities, on: cluster.target(database, user: "stranger"))
      let found = await obstacle(host)
      check(found?.sqlState, "42501", "a role without rights on the tables")
      check(found?.advice.contains("SELECT"), true, "the advice for missing rights")
      await end(host)
    }

    /// A server that says nothing more does not keep a program from its end.
    ///
    /// The promise is 2 s. The limit here is longer for the sake of busy machines, and far below the time that
    /// an ended connection of the network takes.
    private mutating func silence() async throws {
      let database = try await database("silent")
      for isEdited in [false, true] {
        let host = try await host(database, isEdited ? "silent-edited" : "silent")
        try await host.replica.caughtUp()
        try cluster.signal("strata", SIGSTOP)
        if isEdited { try await host.insert(Ware(id: 1, name: "late")) }
        let start = ContinuousClock.now
        await host.replica.close()
        let time = start.duration(to: .now)
        try cluster.signal("strata", SIGCONT)
        check(time < .seconds(10), true, "the end under a silent server")
        await end(host)
      }
    }

    private mutating func encodings() async throws {
      let database = try await database("texts")
      setenv("PGCLIENTENCODING", "LATIN1", 1)
      let here = try await host(database, "a")
      try await here.replica.caughtUp()
      unsetenv("PGCLIENTENCODING")
      let there = try await host(database, "b")
      try await here.insert(Ware(id: 1, name: "é"))
      try await here.replica.settled()
      try await there.replica.caughtUp()
      check(try await names(there), ["é"], "a text from a host with another encoding")
      await end(here, there)
      try cluster.query(
        "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'")
      do throws(ReplicaError) {
        try await StrataPostgres.prepare(cluster.target("latin"), for: Self.entities)
        check("prepared", "refused", "a database of another encoding")
      } catch {
        check(error.code, .unsuitableServer, "a database of another encoding")
        check(error.message.contains("LATIN1"), true, "the encoding is named")
      }
    }

    private func failure(_ body: () throws -> Void) -> String? {
      do {
        try body()
        return nil
      } catch {
        return "\(error)"
      }
    }
  }

  extension ServerScenarios.Host {
    fileprivate func insert(_ ware: Ware) async throws {
      try await stack.withScratch { $0.insert(ware) }
    }
  }

  extension [Int] {
    fileprivate var ends: (Int, Int) { (first ?? 0, last ?? 0) }
  }

  private struct Shop: Entity, Equatable {
    var id = 0

    static let schema = Schema<Shop>("shops", key: \.id) {}
  }

  private struct Ware: Entity, Equatable {
    var id = 0
    var name = ""
    var code: String?
    var count = 0
    var price = Decimal(0)
    var score = 0.0
    var at = Date(timeIntervalSinceReferenceDate: 0)
    var shop: Int?
    var labels: [String]?

    static let owner = toOne(\.shop, Shop.self, onDelete: .nullify)
    static let schema = Schema<Ware>("wares", key: \.id) {
      Attribute(\.name)
      Attribute(\.code).unique()
      Attribute(\.count)
      Attribute(\.price)
      Attribute(\.score)
      Attribute(\.at)
      owner
      Attribute(\.labels)
    }
  }
#endif
