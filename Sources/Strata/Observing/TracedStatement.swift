internal import StrataSQLite

/// A statement that SQLite has run for a stack.
public struct TracedStatement: Sendable, CustomStringConvertible {
  /// The text, with question marks for values: no row's content is in it.
  public let sql: String
  /// From its first step to its end: a statement whose rows are read in portions lasts until the
  /// last of them.
  public let duration: Duration
  /// Whether it ran in the writer, where others had to wait for it.
  public let isOfWriter: Bool

  public var description: String { "\(duration) \(isOfWriter ? "writer" : "reader") \(sql)" }
}

/// Who is told of every statement that ends, on the thread that ran it.
struct StatementObservers: Sendable {
  var trace: (@Sendable (TracedStatement) -> Void)?
  var ledger: StatementLedger?
}

extension Connection {
  /// Tells of this connection's statements; nothing, at no cost, if nobody wants to know.
  func tell(_ observers: StatementObservers, isOfWriter: Bool) {
    let (trace, ledger) = (observers.trace, observers.ledger)
    if trace == nil && ledger == nil { return }
    self.trace(countsRows: ledger != nil) { ended in
      ledger?.note(ended, isOfWriter: isOfWriter)
      trace?(
        TracedStatement(sql: ended.sql, duration: ended.duration, isOfWriter: isOfWriter))
    }
  }
}
