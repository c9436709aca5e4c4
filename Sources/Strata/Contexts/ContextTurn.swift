/// The two phases of every change of the view context: first all state changes, then all reports.
///
/// It decides which change reports, because changes may nest.
///
/// idle ─begin→ changing ─begin→ changing deeper ─end→ … ─end→ reporting ─didReport→ idle
/// reporting ─begin→ changing while reporting ─end→ reporting (reported after the current report)
struct ContextTurn: Sendable, Equatable {
  private(set) var depth = 0
  private(set) var isReporting = false

  /// Begins a change, perhaps within another change.
  mutating func begin() { depth += 1 }

  /// Ends a change.
  ///
  /// - Returns: whether the caller reports the change. The outermost change does, unless a report
  ///   is in progress, which then includes this change.
  mutating func end() -> Bool {
    if depth == 0 { fatalError("a change of the view context ended that had not begun") }
    depth -= 1
    if depth > 0 || isReporting { return false }
    isReporting = true
    return true
  }

  /// Notes that every report has been made.
  mutating func didReport() {
    if !isReporting { fatalError("no change of the view context was being reported") }
    isReporting = false
  }
}
