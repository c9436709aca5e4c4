/// The rule by which a save decides about conflicts.
///
/// A save compares each edit with the row below: the row in the store or, in a child context, the
/// row that the parent shows. An attribute conflicts if it was edited, and the value below differs
/// from the values before and after the edit. Insertions and deletions edit every attribute. A save
/// never overwrites attributes that it does not edit. The policies differ only if there is a
/// conflict.
///
/// In the table, *mine* and *here* refer to the edit, *theirs* and *there* to the row below.
///
/// | | same attribute | edited here, deleted there | deleted here, edited there | inserted twice |
/// | --- | --- | --- | --- | --- |
/// | ``error`` | nothing is saved | nothing is saved | nothing is saved | nothing is saved |
/// | ``mergeMine`` | mine | stays deleted | is deleted | mine |
/// | ``mergeTheirs`` | theirs | stays deleted | is kept | theirs |
/// | ``overwrite`` | mine | is inserted again | is deleted | mine |
/// | ``discard`` | theirs, for the whole row | stays deleted | is kept | theirs |
///
/// The outcome does not depend on whether the other commit came before the edit, between edit and
/// save, or during the save.
///
/// ```swift
/// try await view.save(.mergeMine)
/// ```
public enum SavePolicy: Sendable, CaseIterable {
  /// The save fails with `StoreError.Code.conflict`, which lists every conflict.
  ///
  /// Nothing is written, and every edit stays.
  case error
  /// The edit wins in each attribute that conflicts.
  ///
  /// If the row is deleted, the edit is dropped: there are no attributes to merge into.
  case mergeMine
  /// The row below wins in each attribute that conflicts; edits of other attributes are saved.
  case mergeTheirs
  /// The edit is always written; an edited entity that was deleted is inserted again.
  case overwrite
  /// All edits of an entity in conflict are dropped; edits of other entities are saved.
  case discard
}

extension Change {
  /// Returns the part of the edit that a policy keeps, as a change of the stored row; nil for
  /// nothing.
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
  /// Returns the policy that applies to the table's rows.
  ///
  /// Links never conflict, and a removed link is not moved.
  func policy(_ policy: SavePolicy) -> SavePolicy { isJoin ? .mergeMine : policy }
}
