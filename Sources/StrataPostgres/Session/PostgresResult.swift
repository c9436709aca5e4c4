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

    /// The number of the type of a column's values.
    func type(_ column: Int) -> UInt32 { PQftype(result, Int32(column)) }

    /// The number of the table from which a column was read; 0 if it was computed.
    func relation(_ column: Int) -> UInt32 { PQftable(result, Int32(column)) }

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
#endif
