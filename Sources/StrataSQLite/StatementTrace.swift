internal import CStrataSQLite

/// Tells of the statements that a connection has run.
///
/// SQLite calls it when a statement begins and when it ends, on the thread that runs it; its own clock
/// knows milliseconds only.
final class StatementTrace {
  private let body: @Sendable (_ sql: String, _ duration: Duration) -> Void
  /// By statement: one may be read while others run.
  private var starts: [OpaquePointer: ContinuousClock.Instant] = [:]

  init(_ body: @escaping @Sendable (_ sql: String, _ duration: Duration) -> Void) {
    self.body = body
  }

  /// Watches a connection, which keeps this alive.
  func watch(_ handle: OpaquePointer) {
    let kinds = UInt32(SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE)
    sqlite3_trace_v2(
      handle, kinds,
      { kind, context, statement, _ in
        guard let context, let statement else { return 0 }
        let trace = Unmanaged<StatementTrace>.fromOpaque(context).takeUnretainedValue()
        trace.note(OpaquePointer(statement), isOver: kind == UInt32(SQLITE_TRACE_PROFILE))
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private func note(_ statement: OpaquePointer, isOver: Bool) {
    if !isOver {
      // What a trigger does begins, too, and is part of the statement.
      if starts[statement] == nil { starts[statement] = .now }
      return
    }
    guard let start = starts.removeValue(forKey: statement), let sql = sqlite3_sql(statement) else {
      return
    }
    body(String(cString: sql), start.duration(to: .now))
  }
}

extension Connection {
  /// Tells of every statement that ends, by its text without values; before any statement is run.
  package func trace(_ body: @escaping @Sendable (_ sql: String, _ duration: Duration) -> Void) {
    let trace = StatementTrace(body)
    statementTrace = trace
    trace.watch(handle)
  }
}
