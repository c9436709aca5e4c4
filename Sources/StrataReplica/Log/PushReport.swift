package import Strata

/// The result of a push that the server has committed.
package struct PushReport: Sendable {
  /// The edits that conflicted with rows of the server that no pull had brought.
  package var conflicts: [Conflict] = []
  /// The number of edits that were not made because another transaction holds their rows.
  package var lockedCount = 0

  package init(conflicts: [Conflict] = [], lockedCount: Int = 0) {
    self.conflicts = conflicts
    self.lockedCount = lockedCount
  }

  func left(of handed: HandedOverEdits) -> PushRemainder {
    if handed.isCut && lockedCount < handed.edits.count { return .more }
    return lockedCount > 0 ? .locked : .nothing
  }
}
