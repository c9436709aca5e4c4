#if Postgres
  internal import CStrataPostgres
  internal import StrataReplica

  /// The result of one statement. It is freed with this value.
  final class PostgresResult {
    private let result: OpaquePointer

    /// Takes a result over.
    ///
    /// - Throws: the error that the result stands for.
    init(_ result: OpaquePointer, _ connection: OpaquePointer) throws(ReplicaError) {
      switch PQresultStatus(result) {
      case PGRES_COMMAND_OK, PGRES_TUPLES_OK: self.result = result
      default:
        defer { PQclear(result) }
        throw .failed(result, connection)
      }
    }

    deinit { PQclear(result) }

    var count: Int { Int(PQntuples(result)) }

    /// The number of rows that the statement wrote.
    var changedCount: Int { Int(String(cString: PQcmdTuples(result))) ?? 0 }

    func isNull(_ row: Int, _ column: Int) -> Bool {
      PQgetisnull(result, Int32(row), Int32(column)) == 1
    }

    /// The bytes of a value, valid as long as the result.
    func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(
        start: PQgetvalue(result, Int32(row), Int32(column)),
        count: Int(PQgetlength(result, Int32(row), Int32(column))))
    }

    /// The text of a value in text format; nil for null.
    func text(_ row: Int, _ column: Int) -> String? {
      isNull(row, column) ? nil : String(decoding: bytes(row, column), as: UTF8.self)
    }
  }

  extension ReplicaError {
    /// The error of a connection that is gone.
    static func lost(_ connection: OpaquePointer?) -> ReplicaError {
      ReplicaError(
        .unreachable, "PostgreSQL: \(text(connection))",
        advice: "the replica tries again; check the server and the network if this goes on")
    }

    /// The error of a server that does not answer, such as behind a proxy that lost it.
    static let silent = ReplicaError(
      .unreachable, "PostgreSQL does not answer",
      advice: "the replica tries again; check the server and the network if this goes on")

    static func failed(_ result: OpaquePointer, _ connection: OpaquePointer?) -> ReplicaError {
      guard let state = field("C", of: result) else { return lost(connection) }
      let message = field("M", of: result) ?? text(connection)
      // Classes of errors in which the connection or the server goes: 08, 57P0x, 53300.
      let isGone = state.hasPrefix("08") || state.hasPrefix("57P") || state == "53300"
      var error = ReplicaError(
        isGone ? .unreachable : .refused, "PostgreSQL: \(message)",
        advice: field("H", of: result) ?? "see the server's log", sqlState: state)
      error.constraint = field("n", of: result)
      return error
    }

    private static func field(_ code: Character, of result: OpaquePointer) -> String? {
      let code = Int32(code.asciiValue ?? 0)
      return PQresultErrorField(result, code).map { String(cString: $0) }
    }

    private static func text(_ connection: OpaquePointer?) -> String {
      let text = connection.map { String(cString: PQerrorMessage($0)) } ?? "out of memory"
      return text.split(separator: "\n").first.map(String.init) ?? "the connection is lost"
    }
  }
#endif
