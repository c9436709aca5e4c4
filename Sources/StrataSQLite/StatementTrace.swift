internal import CStrataSQLite

/// A statement that has come to its end.
package struct EndedStatement: Sendable {
  /// The text, with question marks for values.
  package let sql: String
  /// From its first step to its end.
  package let duration: Duration
  /// The rows that it returned; 0 unless they are counted.
  package let rows: Int
  /// The rows that it looked at in tables of which it looked at every row.
  package let scannedRows: Int
}

/// Tells of the statements that a connection has run.
///
/// SQLite calls it when a statement begins and when it ends, on the thread that runs it; its own
/// clock knows milliseconds only.
final class StatementTrace {
  private struct Running {
    let statement: OpaquePointer
    let start: ContinuousClock.Instant
    var rows = 0
  }

  private let body: @Sendable (EndedStatement) -> Void
  private let countsRows: Bool
  /// One may be read while others run, but hardly ever more than two: the newest last.
  private var running: [Running] = []

  init(countsRows: Bool, _ body: @escaping @Sendable (EndedStatement) -> Void) {
    self.countsRows = countsRows
    self.body = body
  }

  /// Watches a connection, which keeps this alive.
  func watch(_ handle: OpaquePointer) {
    let kinds = SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE | (countsRows ? SQLITE_TRACE_ROW : 0)
    sqlite3_trace_v2(
      handle, UInt32(kinds),
      { kind, context, pointer, _ in
        guard let context, let pointer else { return 0 }
        let trace = Unmanaged<StatementTrace>.fromOpaque(context).takeUnretainedValue()
        let statement = OpaquePointer(pointer)
        switch Int32(kind) {
        case SQLITE_TRACE_ROW: trace.noteRow(statement)
        case SQLITE_TRACE_PROFILE: trace.noteEnd(statement)
        default: trace.noteStart(statement)
        }
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private func index(_ statement: OpaquePointer) -> Int? {
    running.lastIndex { $0.statement == statement }
  }

  private func noteStart(_ statement: OpaquePointer) {
    // What a trigger does begins, too, and is part of the statement.
    if index(statement) == nil { running.append(Running(statement: statement, start: .now)) }
  }

  private func noteRow(_ statement: OpaquePointer) {
    if let index = index(statement) { running[index].rows += 1 }
  }

  private func noteEnd(_ statement: OpaquePointer) {
    guard let index = index(statement), let sql = sqlite3_sql(statement) else { return }
    let ended = running.remove(at: index)
    let scanned = sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_FULLSCAN_STEP, 1)
    body(
      EndedStatement(
        sql: String(cString: sql), duration: ended.start.duration(to: .now), rows: ended.rows,
        scannedRows: Int(scanned)))
  }
}

extension Connection {
  /// Tells of every statement that ends; before any statement is run.
  ///
  /// - Parameter countsRows: whether SQLite calls for every row, too.
  package func trace(
    countsRows: Bool, _ body: @escaping @Sendable (EndedStatement) -> Void
  ) {
    let trace = StatementTrace(countsRows: countsRows, body)
    statementTrace = trace
    trace.watch(handle)
  }
}
