internal import StrataSQLite

/// A statement that SQLite has run for a stack.
public struct TracedStatement: Sendable, CustomStringConvertible {
  /// The text, with question marks for values: no row's content is in it.
  public let sql: String
  /// From its first step to its end: a statement whose rows are read in portions lasts until the last
  /// of them.
  public let duration: Duration
  /// Whether it ran in the writer, where others had to wait for it.
  public let isOfWriter: Bool

  public var description: String { "\(duration) \(isOfWriter ? "writer" : "reader") \(sql)" }
}

/// Told of every statement that ends, on the thread that ran it.
typealias StatementTracer = @Sendable (TracedStatement) -> Void

extension Connection {
  func trace(_ tracer: StatementTracer?, isOfWriter: Bool) {
    guard let tracer else { return }
    trace { sql, duration in
      tracer(TracedStatement(sql: sql, duration: duration, isOfWriter: isOfWriter))
    }
  }
}
