/// A known change that meets the row below it: in the store, in a parent's edits, or at a server.
///
/// This is the one rule for a layer over a row. The change is first spelt like the row, then merged by
/// the rules of its attributes. The rest may conflict, and a policy decides about it.
struct Meeting: Sendable {
  /// The change in the row's spelling, after the merge rules.
  let change: Change
  /// The row that the change meets; nil if there is none.
  let stored: Record?
  /// The attributes that conflict with the row.
  let conflicting: AttributeSet

  /// Returns the part of the change that a policy keeps, as a change of the row; nil for nothing.
  func resolved(by policy: SavePolicy) -> Change? {
    change.resolved(onto: stored, conflicting, by: policy)
  }
}

extension Table {
  /// Lays a known change over the row below it.
  ///
  /// - Parameter saved: the row that an own save wrote over the change's `before`; nil if none did.
  func meet(_ change: Change, _ stored: Record?, saved: Record? = nil) -> Meeting {
    let spelt = stored.map { change.respelled(like: $0, in: self) } ?? change
    let merged = spelt.merged(with: stored, saved: saved, by: self)
    return Meeting(
      change: merged.change, stored: stored,
      conflicting: merged.change.conflicts(
        with: stored, saved: merged.saved, count: columns.count))
  }

  /// Lays a blind change over a known row, whose values stay in their spelling.
  func meet(_ change: BlindChange, _ stored: Record?) -> Change {
    let after = change.applied(to: stored)
    guard let stored, let after else { return Change(before: stored, after: after) }
    return Change(before: stored, after: respelled(after, like: stored))
  }
}
