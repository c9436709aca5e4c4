#if Postgres
  internal import CStrataPostgres
  internal import Strata
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
    private let connection: OpaquePointer
    private let patience: Duration
    private let interruption: Interruption
    private var prepared: Set<String> = []

    /// - Parameters:
    ///   - target: a connection string or a URI, as libpq reads it.
    ///   - patience: the time after which a server that says nothing counts as gone.
    ///   - interruption: ends the waits of the session earlier.
    init(
      _ target: String, patience: Duration, _ interruption: Interruption
    ) throws(ReplicaError) {
      self.patience = patience
      self.interruption = interruption
      connection = try PostgresTarget(target, patience: Int32(patience / .milliseconds(1)))
        .connect(interruption)
    }

    deinit { PQfinish(connection) }

    var socket: Int32 { PQsocket(connection) }

    /// The role of the connection.
    var role: String { PQuser(connection).map { String(cString: $0) } ?? "" }

    /// - Throws: ``ReplicaError`` with code `unsuitableServer` if the database cannot have every text.
    func checkEncoding() throws(ReplicaError) {
      let encoding = PQparameterStatus(connection, "server_encoding").map { String(cString: $0) }
      if encoding == "UTF8" { return }
      throw ReplicaError(
        .unsuitableServer, "the database has the encoding \(encoding ?? "unknown"), not UTF8",
        advice: "dump it and restore it into a database with ENCODING 'UTF8'")
    }

    /// Ends the transaction, if there is one. A rollback without one gives a warning in the server's log.
    func rollBack() throws(ReplicaError) {
      if PQtransactionStatus(connection) != PQTRANS_IDLE { try run("ROLLBACK") }
    }

    /// Returns an error as it concerns a server that may not be prepared for the role.
    func isPrepared(_ error: ReplicaError) -> ReplicaError {
      switch error.sqlState {
      case "42P01", "3F000", "42703":
        ReplicaError(
          .unsuitableServer, "the server is not prepared for replicas of this version",
          advice: "call StrataPostgres.prepare as the owner of the tables", sqlState: error.sqlState
        )
      case "42501":
        ReplicaError(
          .refused, "\(error.message): the role \(role) is no member of strata_client",
          advice: "GRANT strata_client TO \(role.quotedIdentifier)", sqlState: error.sqlState)
      default: error
      }
    }

    // MARK: - Statements

    /// Runs statements without parameters, separated by semicolons; returns the last result.
    @discardableResult
    func run(_ sql: String) throws(ReplicaError) -> PostgresResult {
      if PQsendQuery(connection, sql) != 1 { throw .lost(connection) }
      return try lastResult()
    }

    @discardableResult
    func run(_ statement: ServerStatement) throws(ReplicaError) -> PostgresResult {
      try send(statement)
      return try lastResult()
    }

    private func send(_ statement: ServerStatement) throws(ReplicaError) {
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
    func pipeline(_ statements: [ServerStatement]) throws(ReplicaError) -> [PostgresResult] {
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
    static func withPointers<Result>(
      _ values: [String?], _ body: ([UnsafePointer<CChar>?]) -> Result
    ) -> Result {
      let copies = values.map { $0.flatMap { strdup($0) } }
      defer { for copy in copies { free(copy) } }
      return body(copies.map { $0.map { UnsafePointer($0) } })
    }

    // MARK: - Notifications

    /// Reads the messages that have arrived, and returns whether a notification was there.
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
