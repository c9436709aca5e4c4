/// What happened to one record: the record before and the record after.
///
/// A missing `before` is an insertion, a missing `after` a deletion. Everything above the store is
/// made of these pairs: edits, saves, undo, conflicts, notifications.
package struct Change: Sendable, Equatable {
  /// The record before the change; nil if it did not exist.
  package let before: Record?
  /// The record after the change; nil if it no longer exists.
  package let after: Record?

  /// A change from `before` to `after`.
  package init(before: Record?, after: Record?) {
    self.before = before
    self.after = after
  }

  /// Whether nothing changed: such a change is neither written nor announced.
  package var isIdentity: Bool { before == after }

  /// The change that undoes this one.
  package var inverse: Change { Change(before: after, after: before) }

  /// The attributes that the change edits: those that differ in an update, all of them otherwise.
  func editedAttributes(of count: Int) -> AttributeSet {
    guard let before, let after else { return .all(count) }
    return after.differences(from: before)
  }
}
