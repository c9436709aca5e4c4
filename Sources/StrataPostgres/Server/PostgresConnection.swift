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
    /// Whether the server has the table of replaced rows. One that an earlier version prepared has none.
    private(set) var tellsReplaced = false
    /// The push whose number was taken, and whose rows were read with it.
    private var claimed: PushTransaction?
    /// The tables as they were when they were read last; nil until the first time.
    private var found: ServerTables?
    private nonisolated let sleeping = Lock<Sleep>(.awake)
    private nonisolated let interruption = Interruption()
    private nonisolated let lacking = Lock<[MissingConstraint]>([])
    nonisolated var missingConstraints: [MissingConstraint] { lacking.withLock { $0 } }
    private nonisolated let isOld = Lock(false)
    nonisolated var isOfEarlierVersion: Bool { isOld.withLock { $0 } }

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

    /// Keeps the push whose number was taken, or none.
    ///
    /// - Returns: the push that was kept before.
    @discardableResult
    func keep(claimed push: PushTransaction?) -> PushTransaction? {
      defer { claimed = push }
      return claimed
    }

    /// Makes what replicas need on the server.
    func prepareServer() throws(ReplicaError) -> [MissingConstraint] {
      do throws(ReplicaError) {
        return try ServerPreparation(try connected(), followed, on: serverTables).run()
      } catch {
        throw error.ofOwner
      }
    }

    // MARK: - Opening

    /// Connects, and reads how the server's tables become the store's.
    func open() throws(ReplicaError) {
      let session = try connected()
      try session.checkEncoding()
      // A statement that takes a millisecond is not worth its compilation.
      try session.run(
        "SET jit = off; SET lock_timeout = '5s'; SET standard_conforming_strings = on; "
          + "SET bytea_output = 'hex'")
      var tables = try ServerTables(followed, on: serverTables)
      do throws(ReplicaError) {
        try session.prepare("strata_head", Self.head)
        try session.prepare("strata_claim", Self.claim)
        try session.prepare("strata_shape", ServerShape.select)
        let server = try session.run(Self.identity)
        (identity, tellsReplaced) = (server.text(0, 0), server.text(0, 1) == "t")
        try tables.take(ServerShape.all(try session.run(tables.select)))
      } catch {
        throw session.isPrepared(error)
      }
      found = tables
      let missing = try tables.missingConstraints(session)
      lacking.withLock { $0 = missing }
      isOld.withLock { [tellsReplaced] in $0 = !tellsReplaced }
    }

    func close() {
      wake()
      session = nil
    }

    /// The tables that this connection reads.
    func tables() throws(ReplicaError) -> ServerTables {
      if let found { return found }
      throw .lost(nil)
    }

    /// Runs statements that name the tables.
    ///
    /// - Throws: if they fail because the tables have changed, why the replica cannot follow them.
    private func onTables<Result>(
      _ body: (PostgresSession) throws(ReplicaError) -> Result
    ) throws(ReplicaError) -> Result {
      let session = try connected()
      do throws(ReplicaError) { return try body(session) } catch {
        guard error.isAboutNames else { throw error }
        try session.rollBack()
        try tables().check(session)
        throw error
      }
    }

    // MARK: - Pulling

    /// The locks come before the snapshot. `TRUNCATE` and rewrites of a table do not keep old rows,
    /// so a snapshot taken before the lock would find a table empty that never was.
    ///
    /// No lock is waited for while the transaction holds another lock. So a migration that locks the
    /// tables in another order meets no pull in a deadlock.
    private func begin(_ tables: ServerTables) -> [ServerStatement] {
      let names = tables.mappings.map(\.name).joined(separator: ", ")
      return [
        .init("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"),
        .init("LOCK TABLE \(names) IN ACCESS SHARE MODE NOWAIT"),
      ]
    }

    /// Waits until no migration holds one of the tables.
    private func waitForLocks(_ tables: ServerTables, _ session: PostgresSession)
      throws(ReplicaError)
    {
      for mapping in tables.mappings {
        try session.run("BEGIN; LOCK TABLE \(mapping.name) IN ACCESS SHARE MODE; COMMIT")
      }
    }

    private static let head = """
      SELECT m.format, m.epoch, pg_is_in_recovery(), m.horizon, pg_current_snapshot(),
        CASE WHEN pg_is_in_recovery() THEN NULL ELSE pg_current_wal_insert_lsn() END,
        c.last_push, c.token, c.refused, m.identity
      FROM strata.meta m LEFT JOIN strata.client c ON c.id = $1
      """

    /// Identifies the cluster, the database and the timeline. A primary keeps all three while it runs. And
    /// whether the server has the table of replaced rows.
    private static let identity = """
      SELECT CASE WHEN pg_is_in_recovery() THEN NULL ELSE
        (SELECT system_identifier FROM pg_control_system()) || '/'
        || (SELECT oid FROM pg_database WHERE datname = current_database()) || '/'
        || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END,
        to_regclass('strata.replaced') IS NOT NULL
      """

    func beginPull(
      since cursor: LogCursor?, by client: UUID, limit: Int
    ) throws(ReplicaError) -> PullStart {
      let session = try connected()
      var attempts = 0
      while true {
        attempts += 1
        let tables = try tables()
        do throws(ReplicaError) {
          let start = try beginPull(since: cursor, by: client, limit: limit, of: tables, session)
          if let start { return start }
          if attempts == 5 { throw tables.mappings[0].hasChanged }
        } catch {
          try session.rollBack()
          guard attempts < 5 else { throw error }
          if error.sqlState == "55P03" {
            try waitForLocks(tables, session)
          } else if error.isAboutNames {
            let shapes = ServerShape.all(try session.run(tables.select))
            if tables.fit(shapes) { throw error }
            try found?.take(shapes)
          } else {
            throw error
          }
        }
      }
    }

    /// - Returns: nil if the tables have changed. They have been read again then, and no transaction is
    ///   open.
    private func beginPull(
      since cursor: LogCursor?, by client: UUID, limit: Int, of tables: ServerTables,
      _ session: PostgresSession
    ) throws(ReplicaError) -> PullStart? {
      var head = ServerStatement(Self.head, [client.uuidString])
      head.name = "strata_head"
      var statements = begin(tables) + [head, tables.select]
      if let cursor {
        statements.append(
          .init(
            "SELECT tbl, key FROM strata.log WHERE \(cursor.isNew) GROUP BY 1, 2 LIMIT \(limit + 1)"
          ))
        if tellsReplaced {
          statements.append(
            .init("SELECT tbl, key, by FROM strata.replaced WHERE \(cursor.isNew) LIMIT \(limit)"))
        }
      }
      let results = try session.pipeline(statements)
      let shapes = ServerShape.all(results[3])
      guard tables.fit(shapes) else {
        try session.rollBack()
        try found?.take(shapes)
        return nil
      }
      var texts: [String: String] = [:]
      for mapping in tables.mappings {
        let shape = shapes.first { $0.number == mapping.number }
        texts[mapping.table.name] = shape.map(mapping.fingerprint)
      }
      var changed: [ChangedTable] = []
      if let cursor {
        let log = results[4]
        changed =
          log.count > limit
          ? try logged(since: cursor, tables, session) : try self.changed(log, tables)
      }
      return PullStart(
        head: try self.head(results[2], shapes: texts), changed: changed,
        replaced: results.count > 5 ? try replaced(results[5], tables) : [:])
    }

    /// Returns the rows in which other replicas have replaced values, with the names of these replicas.
    private func replaced(
      _ result: PostgresResult, _ tables: ServerTables
    ) throws(ReplicaError) -> [PushOrder.Row: String] {
      var replaced: [PushOrder.Row: String] = [:]
      for row in 0..<result.count {
        guard let mapping = result.text(row, 0).flatMap({ Int($0) }).flatMap({ tables[$0] }) else {
          continue
        }
        let key = try mapping.key(result.text(row, 1) ?? "")
        replaced[.init(table: mapping.table.id, key: key)] = result.text(row, 2) ?? ""
      }
      return replaced
    }

    /// Returns the tables that changed, if the log has too many keys for one answer.
    private func logged(
      since cursor: LogCursor, _ tables: ServerTables, _ session: PostgresSession
    ) throws(ReplicaError) -> [ChangedTable] {
      let found = try session.run(
        "SELECT tbl, bool_or(key IS NULL) FROM strata.log WHERE \(cursor.isNew) GROUP BY 1")
      return (0..<found.count).compactMap { row in
        found.text(row, 0).flatMap { Int($0) }.flatMap { tables[$0] }.map {
          ChangedTable($0.table, found.text(row, 1) == "t" ? .whole : .logged)
        }
      }
    }

    func loggedRows(
      of table: Table, since cursor: LogCursor, isFirst: Bool, limit: Int
    ) throws(ReplicaError) -> ServerPage {
      let mapping = try tables()[table]
      return try onTables { session throws(ReplicaError) in
        if isFirst {
          try session.run(
            "DECLARE strata_logged NO SCROLL CURSOR FOR " + mapping.selectLogged(cursor.isNew))
        }
        let result = try session.run(.init("FETCH \(limit) FROM strata_logged", isBinary: true))
        if result.count < limit { try session.run("CLOSE strata_logged") }
        var page = try mapping.page(result, builder)
        for row in 0..<result.count where result.isNull(row, Table.keyColumn) {
          page.missing.append(try mapping.key(result.text(row, table.columns.count) ?? ""))
        }
        return page
      }
    }

    private func head(
      _ result: PostgresResult, shapes: [String: String]
    ) throws(ReplicaError) -> ServerHead {
      guard result.count == 1, let format = result.text(0, 0).flatMap({ Int($0) }),
        let epoch = result.text(0, 1).flatMap({ UUID(uuidString: $0) }),
        let horizon = result.text(0, 3), let snapshot = result.text(0, 4)
      else { throw .unsuitable("the server's table strata.meta is empty") }
      let written = try result.text(0, 5).map { text throws(ReplicaError) in try LogPosition(text) }
      return ServerHead(
        format: format, epoch: epoch, server: result.text(0, 2) == "f" ? identity : nil,
        horizon: try ServerSnapshot(horizon), snapshot: try ServerSnapshot(snapshot),
        written: written, shapes: shapes, client: try client(result, 6),
        database: result.text(0, 9).flatMap { UUID(uuidString: $0) })
    }

    private func changed(
      _ log: PostgresResult, _ tables: ServerTables
    ) throws(ReplicaError) -> [ChangedTable] {
      var keys: [Int: Set<RecordKey>] = [:]
      var whole: Set<Int> = []
      for row in 0..<log.count {
        guard let number = log.text(row, 0).flatMap({ Int($0) }), let mapping = tables[number]
        else { continue }
        if let text = log.text(row, 1) {
          keys[number, default: []].insert(try mapping.key(text))
        } else {
          whole.insert(number)
        }
      }
      return tables.mappings.compactMap { mapping in
        if whole.contains(mapping.number) { return ChangedTable(mapping.table, .whole) }
        return keys[mapping.number].map { ChangedTable(mapping.table, .keys($0)) }
      }
    }

    func keys(
      of table: Table, referringTo targets: Set<RecordKey>
    ) throws(ReplicaError) -> Set<RecordKey> {
      guard let reference = followed[table]?.reference else { return [] }
      let tables = try tables()
      let (mapping, targetMapping) = (tables[table], tables[reference.target])
      let select = mapping.selectReferring(reference.column, to: targetMapping)
      let texts = targets.filter { targetMapping.refusal(of: $0) == nil }.map(targetMapping.text)
      return try onTables { session throws(ReplicaError) in
        let found = try session.run(.init(select, [texts.arrayText]))
        return Set(
          try (0..<found.count).map { row throws(ReplicaError) in
            try mapping.key(found.text(row, 0) ?? "")
          })
      }
    }

    func endPull(reading requests: [ChangedTable]) throws(ReplicaError) -> PullEnd {
      let tables = try tables()
      let reads = requests.map { request in
        let mapping = tables[request.table]
        // The server has no row of a key that its column cannot have.
        let keys = (request.keys ?? []).filter { mapping.refusal(of: $0) == nil }
        return ServerStatement(
          mapping.selectByKeys, [keys.map(mapping.text).arrayText], isBinary: true)
      }
      let results = try onTables { session throws(ReplicaError) in
        try session.pipeline(
          reads + [.init("SELECT pg_current_wal_flush_lsn()"), .init("COMMIT")])
      }
      var pulled: [ServerRows] = []
      for (request, result) in zip(requests, results) {
        let page = try tables[request.table].page(result, builder)
        pulled.append(page.rows(of: request.table, .keys(request.keys ?? [])))
      }
      let flushed = results[reads.count].text(0, 0) ?? ""
      return PullEnd(rows: pulled, flushed: try LogPosition(flushed))
    }

    func page(
      of table: Table, after key: RecordKey?, limit: Int
    ) throws(ReplicaError) -> ServerPage {
      let mapping = try tables()[table]
      return try onTables { session throws(ReplicaError) in
        let result = try session.run(
          .init(mapping.selectPage, [key.map(mapping.text), "\(limit)"], isBinary: true))
        return try mapping.page(result, builder)
      }
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
      try connected().run("SELECT 1 WHERE \(ServerObjects.isReleased)")
    }

    /// A transaction whose commit replicas would miss has written into the log, and holds its lock.
    func othersWrite() throws(ReplicaError) -> Bool {
      let result = try connected().run(
        "SELECT 1 FROM pg_locks WHERE locktype = 'relation' AND relation = 'strata.log'::regclass "
          + "AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) "
          + "AND mode = 'RowExclusiveLock' AND pid <> pg_backend_pid() LIMIT 1")
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

  extension LogCursor {
    /// The condition of the rows of the log that the snapshot has not seen.
    fileprivate var isNew: String {
      let running = snapshot.running.map(String.init).joined(separator: ",")
      return "(txid >= '\(snapshot.end)'::xid8 OR txid = ANY ('{\(running)}'::xid8[]))"
    }
  }
#endif
