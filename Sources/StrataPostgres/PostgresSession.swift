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
    /// In milliseconds.
    private let patience: Int32
    private var prepared: Set<String> = []

    /// - Parameters:
    ///   - target: a connection string or a URI, as libpq reads it.
    ///   - patience: the time after which a server that says nothing counts as gone.
    init(_ target: String, patience: Duration) throws(ReplicaError) {
      self.patience = Int32(patience / .milliseconds(1))
      // What the target says overrides what stands before it.
      let options = [
        ("application_name", "strata"), ("connect_timeout", "10"), ("keepalives_idle", "10"),
        ("tcp_user_timeout", "\(self.patience)"), ("dbname", target),
      ]
      let connection = Self.withPointers(options.map(\.0) + [nil]) { names in
        Self.withPointers(options.map(\.1) + [nil]) { PQconnectdbParams(names, $0, 1) }
      }
      guard let connection else { throw .lost(nil) }
      guard PQstatus(connection) == CONNECTION_OK else {
        defer { PQfinish(connection) }
        throw .lost(connection)
      }
      // Warnings of the server would be printed.
      PQsetNoticeProcessor(connection, { _, _ in }, nil)
      self.connection = connection
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
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        let count = poll(&descriptor, 1, patience)
        if count == 0 { throw .silent }
        if count > 0, PQconsumeInput(connection) != 1 { throw .lost(connection) }
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
