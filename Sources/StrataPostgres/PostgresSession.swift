#if Postgres
  internal import CStrataPostgres
  internal import StrataReplica

  #if canImport(Glibc)
    internal import Glibc
  #elseif canImport(Musl)
    internal import Musl
  #else
    internal import Darwin
  #endif

  /// A connection of libpq. Its calls block, so one queue of its own uses it.
  final class PostgresSession {
    /// A statement with its parameters.
    struct Statement {
      let sql: String
      let parameters: Parameters
      /// Whether the values of the result are in binary format.
      let isBinary: Bool
      /// The name under which the server keeps the parsed statement; nil for a statement that is
      /// planned anew each time, because its plan depends on the parameters.
      var name: String?

      enum Parameters {
        case texts([String?])
        case arrays([ArrayParameter])
      }

      init(_ sql: String, _ parameters: [String?] = [], isBinary: Bool = false) {
        self.sql = sql
        self.parameters = .texts(parameters)
        self.isBinary = isBinary
      }

      init(_ sql: String, _ arrays: [ArrayParameter]) {
        self.sql = sql
        parameters = .arrays(arrays)
        isBinary = false
      }
    }

    private let connection: OpaquePointer
    private var prepared: Set<String> = []

    private let patience: Duration
    private let interruption: Interruption

    /// - Parameters:
    ///   - target: a connection string or a URI, as libpq reads it.
    ///   - patience: the time after which a server that says nothing counts as gone.
    ///   - interruption: ends the waits of the session earlier.
    init(
      _ target: String, patience: Duration, _ interruption: Interruption = Interruption()
    ) throws(ReplicaError) {
      self.patience = patience
      self.interruption = interruption
      // The target overrides the options before it.
      let options = [
        ("application_name", "strata"), ("connect_timeout", "10"), ("keepalives_idle", "10"),
        ("tcp_user_timeout", "\(Int(patience / .milliseconds(1)))"), ("dbname", target),
      ]
      let connection = Self.withPointers(options.map(\.0) + [nil]) { names in
        Self.withPointers(options.map(\.1) + [nil]) { PQconnectStartParams(names, $0, 1) }
      }
      guard let connection else { throw .lost(nil) }
      do throws(ReplicaError) { try Self.connect(connection, interruption) } catch {
        PQfinish(connection)
        throw error
      }
      // Warnings of the server would be printed.
      PQsetNoticeProcessor(connection, { _, _ in }, nil)
      // A statement that the server does not read must not block, so that the session can be ended.
      PQsetnonblocking(connection, 1)
      self.connection = connection
    }

    /// Waits until a connection is open.
    private static func connect(
      _ connection: OpaquePointer, _ interruption: Interruption
    ) throws(ReplicaError) {
      if PQstatus(connection) == CONNECTION_BAD { throw .lost(connection) }
      let patience = timeout(of: connection)
      var events = Int16(POLLOUT)
      while true {
        try interruption.wait(for: PQsocket(connection), events, atMost: patience)
        switch PQconnectPoll(connection) {
        case PGRES_POLLING_READING: events = Int16(POLLIN)
        case PGRES_POLLING_WRITING: events = Int16(POLLOUT)
        case PGRES_POLLING_OK: return
        default: throw .lost(connection)
        }
      }
    }

    /// The time that each step of connecting may take, from the option `connect_timeout`.
    private static func timeout(of connection: OpaquePointer) -> Duration {
      guard let options = PQconninfo(connection) else { return .seconds(10) }
      defer { PQconninfoFree(options) }
      var option = options
      while let keyword = option.pointee.keyword {
        if String(cString: keyword) == "connect_timeout", let value = option.pointee.val,
          let seconds = Int(String(cString: value))
        {
          return seconds <= 0 ? .seconds(3_600) : .seconds(max(2, seconds))
        }
        option += 1
      }
      return .seconds(10)
    }

    deinit { PQfinish(connection) }

    var socket: Int32 { PQsocket(connection) }

    // MARK: - Statements

    /// Runs statements without parameters, separated by semicolons; returns the last result.
    @discardableResult
    func run(_ sql: String) throws(ReplicaError) -> PostgresResult {
      if PQsendQuery(connection, sql) != 1 { throw .lost(connection) }
      return try lastResult()
    }

    @discardableResult
    func run(_ statement: Statement) throws(ReplicaError) -> PostgresResult {
      try send(statement)
      return try lastResult()
    }

    private func send(_ statement: Statement) throws(ReplicaError) {
      let isSent =
        switch statement.parameters {
        case .texts(let texts):
          Self.withPointers(texts) { pointers in
            if let name = statement.name {
              return PQsendQueryPrepared(
                connection, name, Int32(texts.count), pointers, nil, nil, statement.isBinary ? 1 : 0
              )
            }
            return PQsendQueryParams(
              connection, statement.sql, Int32(texts.count), nil, pointers, nil, nil,
              statement.isBinary ? 1 : 0)
          }
        case .arrays(let arrays):
          ArrayParameter.withPointers(arrays) { pointers, lengths in
            let formats = [Int32](repeating: 1, count: arrays.count)
            return PQsendQueryParams(
              connection, statement.sql, Int32(arrays.count), nil, pointers, lengths, formats,
              statement.isBinary ? 1 : 0)
          }
        }
      if isSent != 1 { throw .lost(connection) }
    }

    private func lastResult() throws(ReplicaError) -> PostgresResult {
      var (last, failure) = (PostgresResult?.none, ReplicaError?.none)
      while let result = try nextResult() {
        do throws(ReplicaError) { last = try PostgresResult(result, connection) } catch {
          failure = failure ?? error
        }
      }
      if let failure { throw failure }
      guard let last else { throw .lost(connection) }
      return last
    }

    /// Waits for the next result; nil at the end of a statement's results.
    private func nextResult() throws(ReplicaError) -> OpaquePointer? {
      while PQisBusy(connection) == 1 {
        // Part of the statement may not be sent yet.
        let unsent = PQflush(connection)
        if unsent < 0 { throw .lost(connection) }
        let events = unsent == 0 ? POLLIN : POLLIN | POLLOUT
        try interruption.wait(for: socket, Int16(events), atMost: patience)
        if PQconsumeInput(connection) != 1 { throw .lost(connection) }
      }
      return PQgetResult(connection)
    }

    /// Sends statements in one message each way, and returns their results.
    ///
    /// - Throws: the first error; the statements after it are not run.
    func pipeline(_ statements: [Statement]) throws(ReplicaError) -> [PostgresResult] {
      guard PQenterPipelineMode(connection) == 1 else { throw .lost(connection) }
      defer { PQexitPipelineMode(connection) }
      for statement in statements { try send(statement) }
      if PQpipelineSync(connection) != 1 { throw .lost(connection) }
      return try results()
    }

    /// Lets the server keep the parsed form of a statement.
    func prepare(_ name: String, _ sql: String) throws(ReplicaError) {
      if prepared.contains(name) { return }
      if PQsendPrepare(connection, name, sql, 0, nil) != 1 { throw .lost(connection) }
      _ = try lastResult()
      prepared.insert(name)
    }

    private func results() throws(ReplicaError) -> [PostgresResult] {
      var (results, failure) = ([PostgresResult](), ReplicaError?.none)
      var isBetween = false
      while true {
        // Nil stands between two statements' results. Over a broken connection, nothing follows it.
        guard let result = try nextResult() else {
          if isBetween { throw failure ?? .lost(connection) }
          isBetween = true
          continue
        }
        isBetween = false
        switch PQresultStatus(result) {
        case PGRES_PIPELINE_SYNC:
          PQclear(result)
          if let failure { throw failure }
          return results
        case PGRES_PIPELINE_ABORTED: PQclear(result)
        default:
          do throws(ReplicaError) { results.append(try PostgresResult(result, connection)) } catch {
            failure = failure ?? error
          }
        }
      }
    }

    /// Lends C strings for the duration of a call; null for nil.
    private static func withPointers<Result>(
      _ values: [String?], _ body: ([UnsafePointer<CChar>?]) -> Result
    ) -> Result {
      let copies = values.map { $0.flatMap { strdup($0) } }
      defer { for copy in copies { free(copy) } }
      return body(copies.map { $0.map { UnsafePointer($0) } })
    }

    // MARK: - Notifications

    /// Reads what has arrived, and returns whether a notification was there.
    func takeNotifications() throws(ReplicaError) -> Bool {
      if PQconsumeInput(connection) != 1 { throw .lost(connection) }
      var isNotified = false
      while let notification = PQnotifies(connection) {
        PQfreemem(notification)
        isNotified = true
      }
      return isNotified
    }
  }
#endif
