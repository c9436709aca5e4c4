/// The two halves of every change of the view context: first all state, then everyone who is told.
///
/// idle ─begin→ changing ─begin→ changing deeper ─end→ … ─end→ telling ─told→ idle
/// telling ─begin→ changing while telling ─end→ telling (told after what is being told)
struct ContextTurn: Sendable, Equatable {
  private(set) var depth = 0
  private(set) var isTelling = false

  /// A change begins, perhaps inside of another one.
  mutating func begin() { depth += 1 }

  /// A change ends.
  ///
  /// - Returns: whether the caller tells of it now: the outermost change, unless somebody is being
  ///   told already, who tells of this one, too.
  mutating func end() -> Bool {
    if depth == 0 { fatalError("a change of the view context ended that had not begun") }
    depth -= 1
    if depth > 0 || isTelling { return false }
    isTelling = true
    return true
  }

  /// Everyone was told.
  mutating func told() {
    if !isTelling { fatalError("nobody was being told of a change of the view context") }
    isTelling = false
  }
}
