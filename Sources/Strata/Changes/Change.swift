/// A change of one record: the record before and the record after.
///
/// An insertion has no `before`, and a deletion has no `after`. Edits, saves, undo, conflicts and
/// notifications all consist of these pairs.
package struct Change: Sendable, Equatable {
  /// The record before the change; nil if it did not exist.
  package let before: Record?
  /// The record after the change; nil if it no longer exists.
  package let after: Record?

  /// Creates a change from `before` to `after`.
  package init(before: Record?, after: Record?) {
    self.before = before
    self.after = after
  }

  /// Whether nothing changed: such a change is neither written nor reported.
  package var isIdentity: Bool { before == after }

  /// The change that undoes this one.
  package var inverse: Change { Change(before: after, after: before) }

  /// The attributes that an update changes; nil for an insertion or a deletion.
  var differences: AttributeSet? {
    guard let before, let after else { return nil }
    return after.differences(from: before)
  }
}
