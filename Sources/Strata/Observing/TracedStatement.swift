internal import StrataSQLite

/// A statement that SQLite has run for a stack.
///
/// ```swift
/// options.trace = { statement in
///   if statement.isOfWriter, statement.duration > .milliseconds(10) { print(statement.sql) }
/// }
/// ```
public struct TracedStatement: Sendable, CustomStringConvertible {
  /// The text of the statement, with question marks for values, so it has no contents of rows.
  public let sql: String
  /// The time from the first step of the statement to its end.
  ///
  /// If the rows are read in portions, the statement ends with the last portion.
  public let duration: Duration
  /// Whether the statement ran in the writer, where it blocks other writes.
  public let isOfWriter: Bool

  public var description: String { "\(duration) \(isOfWriter ? "writer" : "reader") \(sql)" }
}

/// The handlers that are called for every statement that ends, on the thread that ran it.
struct StatementObservers: Sendable {
  var trace: (@Sendable (TracedStatement) -> Void)?
  var ledger: StatementLedger?
}

extension Connection {
  /// Reports this connection's statements to the handlers; without a handler, statements cost
  /// nothing more.
  func reportStatements(to observers: StatementObservers, isOfWriter: Bool) {
    let (trace, ledger) = (observers.trace, observers.ledger)
    if trace == nil && ledger == nil { return }
    self.trace(countsRows: ledger != nil) { ended in
      ledger?.note(ended, isOfWriter: isOfWriter)
      trace?(
        TracedStatement(sql: ended.sql, duration: ended.duration, isOfWriter: isOfWriter))
    }
  }
}
