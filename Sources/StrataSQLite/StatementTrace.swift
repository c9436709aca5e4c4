internal import CStrataSQLite

/// A statement that has ended.
package struct EndedStatement: Sendable {
  /// The statement's text, with question marks for values.
  package let sql: String
  /// The time from the statement's first step to its end.
  package let duration: Duration
  /// The number of rows that the statement returned; 0 unless rows are counted.
  package let rows: Int
  /// The number of rows that the statement visited in full scans of tables.
  package let scannedRows: Int
}

/// Reports the statements that a connection has run.
///
/// SQLite calls the trace when a statement begins and when it ends, on the thread that runs the
/// statement. The trace measures the time itself, because SQLite's own clock has a resolution of
/// milliseconds.
final class StatementTrace {
  private struct Running {
    let statement: OpaquePointer
    let start: ContinuousClock.Instant
    var rows = 0
  }

  private let body: @Sendable (EndedStatement) -> Void
  private let countsRows: Bool
  /// The running statements, the newest last. Statements can overlap, but there are rarely more
  /// than two.
  private var running: [Running] = []

  init(countsRows: Bool, _ body: @escaping @Sendable (EndedStatement) -> Void) {
    self.countsRows = countsRows
    self.body = body
  }

  /// Starts tracing a connection. The connection keeps this object alive.
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
    // SQLite also reports the start of a trigger, which is part of the statement.
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
  /// Calls `body` for every statement that ends, in place of the trace before. Must be called while
  /// no statement runs.
  ///
  /// - Parameter countsRows: whether SQLite also calls the trace for every row.
  package func trace(
    countsRows: Bool, _ body: @escaping @Sendable (EndedStatement) -> Void
  ) {
    let trace = StatementTrace(countsRows: countsRows, body)
    keep(trace)
    trace.watch(handle)
  }

  package func endTrace() {
    sqlite3_trace_v2(handle, 0, nil, nil)
    keep(nil)
  }
}
