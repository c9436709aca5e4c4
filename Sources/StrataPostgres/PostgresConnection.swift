#if Postgres
  internal import Dispatch
  internal import Foundation
  internal import Strata
  internal import StrataReplica
  internal import StrataSQLite

  /// A replica's connection to PostgreSQL.
  ///
  /// The calls of libpq block. They run on a queue of the connection, never on the threads that tasks
  /// share.
  actor PostgresConnection: ServerConnection {
    private nonisolated let executor = StoreExecutor("strata.postgres")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let target: String
    private let followed: FollowedTables
    private let serverTables: [ServerTable]
    private let patience: Duration
    let builder = RecordBuilder()
    private var session: PostgresSession?
    private var identity: String?
    /// The push whose number was taken, and whose rows were read with it.
    var claimed: PushTransaction?
    private var mappings: [Int: TableMapping] = [:]
    private var shapes: (texts: [String: String], readAt: ContinuousClock.Instant)?
    private nonisolated let sleeping = Lock<Sleep>(.awake)
    private nonisolated let interruption = Interruption()

    private enum Sleep: Sendable {
      case awake
      /// The next sleep ends at once.
      case woken
      case asleep(Promise<Void>)
    }

    init(
      _ target: String, _ followed: FollowedTables, on serverTables: [ServerTable],
      patience: Duration = .seconds(30)
    ) {
      self.target = target
      self.followed = followed
      self.serverTables = serverTables
      self.patience = patience
    }

    func connected() throws(ReplicaError) -> PostgresSession {
      if let session { return session }
      let new = try PostgresSession(target, patience: patience, interruption)
      session = new
      return new
    }

    // MARK: - Opening

    func prepareServer() throws(ReplicaError) {
      let session = try connected()
      // Two programs that make the same table at once would meet in the catalogue.
      try session.run("SELECT pg_advisory_lock(\(ServerObjects.lock), 1)")
      defer { _ = try? session.run("SELECT pg_advisory_unlock(\(ServerObjects.lock), 1)") }
      try session.run(ServerObjects.sql)
      for (table, names) in try ServerNames.names(of: followed.tables, in: serverTables) {
        if table.isJoin {
          try prepareLinks(table, names, session)
        } else {
          try session.run(names.create(table))
        }
        try session.run(
          .init("SELECT strata.prepare_table($1::regclass, $2)", [names.table, names.key]))
      }
    }

    /// Makes a table of links if it is missing.
    private func prepareLinks(
      _ table: Table, _ names: ServerNames, _ session: PostgresSession
    ) throws(ReplicaError) {
      let isThere = try session.run(.init("SELECT to_regclass($1) IS NOT NULL", [names.table]))
      if isThere.text(0, 0) == "t" { return try names.checkLinks(session) }
      let ends = try followed.ends(of: table).map { end throws(ReplicaError) in
        let names = try ServerNames(of: end, in: serverTables)
        let type = try session.run(
          .init(
            "SELECT format_type(atttypid, atttypmod) FROM pg_attribute "
              + "WHERE attrelid = $1::regclass AND attname = $2", [names.table, names.key]))
        return (names, type.text(0, 0) ?? "")
      }
      let isOrdered = table.columns.indices.contains(Table.linkPosition)
      try session.run(names.create(links: ends, isOrdered: isOrdered))
    }

    /// Connects, and reads how the server's tables become the store's.
    func open() throws(ReplicaError) {
      let session = try connected()
      try session.run(
        "SET lock_timeout = '5s'; SET standard_conforming_strings = on; SET bytea_output = 'hex'")
      let numbers: PostgresResult
      do throws(ReplicaError) {
        numbers = try session.run("SELECT rel::int8, id FROM strata.tables")
      } catch {
        guard error.sqlState == "42P01" || error.sqlState == "3F000" else { throw error }
        throw ReplicaError(
          .unsuitableServer, "the server is not prepared for replicas",
          advice: "call StrataPostgres.prepare as the owner of the tables", sqlState: error.sqlState
        )
      }
      var byRelation: [String: Int] = [:]
      for row in 0..<numbers.count {
        if let relation = numbers.text(row, 0),
          let number = numbers.text(row, 1).flatMap({ Int($0) })
        {
          byRelation[relation] = number
        }
      }
      identity = try session.run(Self.identity).text(0, 0)
      try session.prepare("strata_head", Self.head)
      try session.prepare("strata_claim", Self.claim)
      for (table, names) in try ServerNames.names(of: followed.tables, in: serverTables) {
        let relation = try session.run(.init("SELECT $1::regclass::oid::int8", [names.table]))
        guard let number = relation.text(0, 0).flatMap({ byRelation[$0] }) else {
          throw ReplicaError(
            .unsuitableServer, "the server's table \(names.table) is not prepared for replicas",
            advice: "call StrataPostgres.prepare with all tables of the replica")
        }
        let target = followed[table]?.reference.map { mapping(of: $0.target) }
        mappings[number] = try TableMapping(
          table, followed[table], of: target, names, number: number, session)
      }
    }

    func close() {
      wake()
      session = nil
    }

    // MARK: - Pulling

    private var inOrder: [TableMapping] { mappings.values.sorted { $0.number < $1.number } }

    /// The locks come before the snapshot. `TRUNCATE` and rewrites of a table do not keep old rows,
    /// so a snapshot taken before the lock would find a table empty that never was.
    private var begin: [PostgresSession.Statement] {
      let names = inOrder.map(\.name).joined(separator: ", ")
      return [
        .init("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"),
        .init("LOCK TABLE \(names) IN ACCESS SHARE MODE"),
      ]
    }

    private static let head = """
      SELECT m.format, m.epoch, pg_is_in_recovery(), m.horizon, pg_current_snapshot(),
        CASE WHEN pg_is_in_recovery() THEN NULL ELSE pg_current_wal_insert_lsn() END,
        c.last_push, c.token, c.refused
      FROM strata.meta m LEFT JOIN strata.client c ON c.id = $1
      """

    /// Identifies the cluster, the database and the timeline. A primary keeps all three while it runs.
    private static let identity = """
      SELECT CASE WHEN pg_is_in_recovery() THEN NULL ELSE
        (SELECT system_identifier FROM pg_control_system()) || '/'
        || (SELECT oid FROM pg_database WHERE datname = current_database()) || '/'
        || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END
      """

    func beginPull(
      since cursor: ReplicaCursor?, by client: UUID, isThorough: Bool, limit: Int
    ) throws(ReplicaError) -> PullStart {
      let session = try connected()
      var head = PostgresSession.Statement(Self.head, [client.uuidString])
      head.name = "strata_head"
      var statements = begin + [head]
      if let cursor {
        statements.append(
          .init(
            "SELECT tbl, key FROM strata.log WHERE \(cursor.isNew) GROUP BY 1, 2 LIMIT \(limit + 1)"
          ))
      }
      let readsShapes = isThorough || shapes.map { .now - $0.readAt > .seconds(1) } ?? true
      if readsShapes { statements.append(.init("SELECT id, shape FROM strata.shape")) }
      var results = try session.pipeline(statements)
      if readsShapes, let last = results.popLast() {
        shapes = (texts(of: last), .now)
      }
      var changed: [ChangedTable] = []
      if let cursor, let log = results.popLast() {
        changed = log.count > limit ? try logged(since: cursor) : try self.changed(log)
      }
      guard let head = results.last else { throw .unsuitable("the server gave no answer") }
      return PullStart(head: try self.head(head), changed: changed)
    }

    private func texts(of shapes: PostgresResult) -> [String: String] {
      var texts: [String: String] = [:]
      for row in 0..<shapes.count {
        guard let number = shapes.text(row, 0).flatMap({ Int($0) }), let mapping = mappings[number]
        else { continue }
        // Another filter finds rows that were left out, and other columns have other values.
        let text = shapes.text(row, 1) ?? ""
        texts[mapping.table.name] = ([text, mapping.filterText] + mapping.names.columns)
          .joined(separator: " ")
      }
      return texts
    }

    private func head(_ result: PostgresResult) throws(ReplicaError) -> ServerHead {
      guard result.count == 1, let format = result.text(0, 0).flatMap({ Int($0) }),
        let epoch = result.text(0, 1).flatMap({ UUID(uuidString: $0) }),
        let horizon = result.text(0, 3), let snapshot = result.text(0, 4)
      else { throw .unsuitable("the server's table strata.meta is empty") }
      let written = try result.text(0, 5).map { text throws(ReplicaError) in try LogPosition(text) }
      return ServerHead(
        format: format, epoch: epoch, server: result.text(0, 2) == "f" ? identity : nil,
        horizon: try ServerSnapshot(horizon), snapshot: try ServerSnapshot(snapshot),
        written: written, shapes: shapes?.texts ?? [:], client: try client(result, 6))
    }

    private func changed(_ log: PostgresResult) throws(ReplicaError) -> [ChangedTable] {
      var keys: [Int: Set<RecordKey>] = [:]
      var whole: Set<Int> = []
      for row in 0..<log.count {
        guard let number = log.text(row, 0).flatMap({ Int($0) }), let mapping = mappings[number]
        else { continue }
        if let text = log.text(row, 1) {
          keys[number, default: []].insert(try mapping.key(text))
        } else {
          whole.insert(number)
        }
      }
      return inOrder.compactMap { mapping in
        if whole.contains(mapping.number) { return ChangedTable(mapping.table, .whole) }
        return keys[mapping.number].map { ChangedTable(mapping.table, .keys($0)) }
      }
    }

    /// Returns the tables that changed, if the log has too many keys for one answer.
    private func logged(since cursor: ReplicaCursor) throws(ReplicaError) -> [ChangedTable] {
      let found = try connected().run(
        "SELECT tbl, bool_or(key IS NULL) FROM strata.log WHERE \(cursor.isNew) GROUP BY 1")
      return (0..<found.count).compactMap { row in
        found.text(row, 0).flatMap { Int($0) }.flatMap { mappings[$0] }.map {
          ChangedTable($0.table, found.text(row, 1) == "t" ? .whole : .logged)
        }
      }
    }

    func loggedRows(
      of table: Table, since cursor: ReplicaCursor, isFirst: Bool, limit: Int
    ) throws(ReplicaError) -> ServerPage {
      let (session, mapping) = (try connected(), mapping(of: table))
      if isFirst {
        try session.run(
          "DECLARE strata_logged NO SCROLL CURSOR FOR " + mapping.selectLogged(cursor.isNew))
      }
      let result = try session.run(
        .init("FETCH \(limit) FROM strata_logged", isBinary: true))
      if result.count < limit { try session.run("CLOSE strata_logged") }
      var page = try mapping.page(result, builder)
      for row in 0..<result.count where result.isNull(row, Table.keyColumn) {
        page.missing.append(try mapping.key(result.text(row, table.columns.count) ?? ""))
      }
      return page
    }

    func keys(
      of table: Table, referringTo targets: Set<RecordKey>
    ) throws(ReplicaError) -> Set<RecordKey> {
      guard let reference = followed[table]?.reference else { return [] }
      let (mapping, targetMapping) = (mapping(of: table), mapping(of: reference.target))
      let select = mapping.selectReferring(reference.column, to: targetMapping)
      let texts = targets.filter { targetMapping.refusal(of: $0) == nil }.map(targetMapping.text)
      let found = try connected().run(.init(select, [texts.arrayText]))
      return Set(
        try (0..<found.count).map { row throws(ReplicaError) in
          try mapping.key(found.text(row, 0) ?? "")
        })
    }

    func endPull(reading requests: [ChangedTable]) throws(ReplicaError) -> PullEnd {
      let session = try connected()
      let reads = requests.map { request in
        let mapping = mapping(of: request.table)
        // The server has no row of a key that its column cannot have.
        let keys = (request.keys ?? []).filter { mapping.refusal(of: $0) == nil }
        return PostgresSession.Statement(
          mapping.selectByKeys, [keys.map(mapping.text).arrayText], isBinary: true)
      }
      let results = try session.pipeline(
        reads + [.init("SELECT pg_current_wal_flush_lsn()"), .init("COMMIT")])
      var pulled: [ServerRows] = []
      for (request, result) in zip(requests, results) {
        let page = try mapping(of: request.table).page(result, builder)
        pulled.append(page.rows(of: request.table, .keys(request.keys ?? [])))
      }
      let flushed = results[reads.count].text(0, 0) ?? ""
      return PullEnd(rows: pulled, flushed: try LogPosition(flushed))
    }

    func mapping(numbered number: Int) -> TableMapping? { mappings[number] }

    func mapping(of table: Table) -> TableMapping {
      guard let mapping = mappings.values.first(where: { $0.table === table }) else {
        fatalError("\(table.name) is not a table of this replica")
      }
      return mapping
    }

    func page(
      of table: Table, after key: RecordKey?, limit: Int
    ) throws(ReplicaError) -> ServerPage {
      let mapping = mapping(of: table)
      let result = try connected().run(
        .init(mapping.selectPage, [key.map(mapping.text), "\(limit)"], isBinary: true))
      return try mapping.page(result, builder)
    }

    func logPositions() throws(ReplicaError) -> (written: LogPosition, flushed: LogPosition) {
      let result = try connected().run(
        "SELECT pg_current_wal_insert_lsn(), pg_current_wal_flush_lsn()")
      return (
        try LogPosition(result.text(0, 0) ?? ""), try LogPosition(result.text(0, 1) ?? "")
      )
    }

    func flushLog(by client: UUID) throws(ReplicaError) {
      let session = try connected()
      try session.run(
        "BEGIN; SET LOCAL synchronous_commit = local; "
          + "UPDATE strata.client SET seen = clock_timestamp() WHERE id = '\(client)'; COMMIT")
    }

    // MARK: - Sleeping

    func listen() throws(ReplicaError) { try connected().run("LISTEN strata") }

    func arm() throws(ReplicaError) {
      try connected().run("SELECT pg_try_advisory_lock(\(ServerObjects.lock), 3)")
    }

    func disarm() throws(ReplicaError) {
      // The lock may be another replica's. Then this only warns.
      try connected().run(
        "SET client_min_messages = error; SELECT pg_advisory_unlock(\(ServerObjects.lock), 3); "
          + "RESET client_min_messages")
    }

    func othersWrite() throws(ReplicaError) -> Bool {
      let result = try connected().run(
        "SELECT 1 FROM pg_locks WHERE locktype = 'transactionid' AND pid <> pg_backend_pid() LIMIT 1"
      )
      return result.count > 0
    }

    func prune(by client: UUID) throws(ReplicaError) {
      try connected().run(
        "UPDATE strata.client SET seen = clock_timestamp() WHERE id = '\(client)'; "
          + "SELECT strata.prune()")
    }

    func sleep(atMost duration: Duration) async throws(ReplicaError) {
      let session = try connected()
      if try session.takeNotifications() { return }
      let promise = Promise<Void>()
      let isWoken = sleeping.withLock { sleep in
        if case .woken = sleep {
          sleep = .awake
          return true
        }
        sleep = .asleep(promise)
        return false
      }
      if isWoken { return }
      let source = DispatchSource.makeReadSource(fileDescriptor: session.socket, queue: .global())
      source.setEventHandler { promise.resolve(()) }
      source.resume()
      let timer = DispatchSource.makeTimerSource(queue: .global())
      timer.schedule(deadline: .now() + duration / .seconds(1))
      timer.setEventHandler { promise.resolve(()) }
      timer.resume()
      await promise.value
      source.cancel()
      timer.cancel()
      sleeping.withLock { $0 = .awake }
      _ = try session.takeNotifications()
    }

    nonisolated func end(within duration: Duration) {
      interruption.interrupt(after: duration)
      wake()
    }

    nonisolated func wake() {
      let promise = sleeping.withLock { sleep -> Promise<Void>? in
        defer { sleep = .woken }
        if case .asleep(let promise) = sleep { return promise }
        return nil
      }
      promise?.resolve(())
    }
  }

  extension ReplicaCursor {
    /// The condition of the rows of the log that the snapshot has not seen.
    fileprivate var isNew: String {
      let running = snapshot.running.map(String.init).joined(separator: ",")
      return "(txid >= '\(snapshot.end)'::xid8 OR txid = ANY ('{\(running)}'::xid8[]))"
    }
  }
#endif
