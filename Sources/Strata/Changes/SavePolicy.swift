/// What a save does about what somebody else changed meanwhile.
///
/// An attribute conflicts if it was edited, the value below differs from the one before the edit,
/// and differs from the one after. Inserting and deleting edit every attribute. What a save did not
/// edit is never overwritten, and what does not conflict is saved under every policy.
///
/// | | same attribute | edited here, deleted there | deleted here, edited there | inserted twice |
/// | --- | --- | --- | --- | --- |
/// | ``error`` | nothing is saved | nothing is saved | nothing is saved | nothing is saved |
/// | ``mergeMine`` | mine | stays deleted | deleted | mine |
/// | ``mergeTheirs`` | theirs | stays deleted | stays | theirs |
/// | ``overwrite`` | mine | is there again | deleted | mine |
/// | ``discard`` | theirs, with all of the row | stays deleted | stays | theirs |
///
/// The outcome does not depend on when the other commit arrived, before the edit, between edit and
/// save, or during the save.
public enum SavePolicy: Sendable, CaseIterable {
  /// The save fails with `StoreError.Code.conflict`, which lists every conflict; nothing is
  /// written and every edit stays.
  case error
  /// Attribute by attribute, what was edited here wins. A row that is gone has no attributes to
  /// merge into: its edit is dropped.
  case mergeMine
  /// Attribute by attribute, what was changed below wins; edits of other attributes are saved.
  case mergeTheirs
  /// What was edited here is written whatever happened below; a deleted entity that was edited
  /// here is there again.
  case overwrite
  /// The edits of an entity in conflict are dropped, all of them; those of others are saved.
  case discard
}

extension Change {
  /// What a policy leaves of the edit, as a change of the row that is stored now; nil for nothing.
  ///
  /// - Parameter conflicting: the attributes in conflict with `stored`.
  func resolved(
    onto stored: Record?, _ conflicting: AttributeSet, by policy: SavePolicy
  ) -> Change? {
    if conflicting.isEmpty { return rebased(onto: stored) }
    switch (policy, before, after, stored) {
    case (.error, _, _, _), (.discard, _, _, _): return nil
    case (.mergeTheirs, let before?, let after?, let stored?):
      let kept = after.replacing(conflicting, from: before)
      return Change(before: before, after: kept).rebased(onto: stored)
    case (.mergeTheirs, _, _, _): return nil
    case (.mergeMine, _?, _?, nil): return nil
    case (.mergeMine, _, _, _), (.overwrite, _, _, _):
      return rebased(onto: stored).map { Change(before: stored, after: $0.after) }
    }
  }
}

extension Table {
  /// What a save's policy means for the table's rows: links never conflict, and a link that is gone
  /// is not moved.
  func policy(_ policy: SavePolicy) -> SavePolicy { isJoin ? .mergeMine : policy }
}
