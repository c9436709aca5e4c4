/// The change of a key by the edits of one undo group, as far as undo needs it.
struct UndoChange: Sendable {
  /// The changes that a context's layer had for a key before and after an edit.
  struct LayerStep: Sendable, Equatable {
    let before: LayerChange?
    let after: LayerChange?

    var inverse: LayerStep { LayerStep(before: after, after: before) }
  }

  /// The record that the context showed before and after; nil if the row is unknown.
  var shown: Change?
  /// The layer's changes before and after.
  ///
  /// Nil if a delete rule made the change, or if the changes of joined edits do not meet, for
  /// example because a save lies between the edits.
  var layer: LayerStep?
  /// Whether the row was already deleted in the store when the group's deletion was saved.
  ///
  /// Undo does not restore such a row.
  var isGone = false

  /// Returns this change joined with a later change of the key; nil if together they change
  /// nothing.
  ///
  /// The row may have changed between the two, by a save that merged it or because an edit that was
  /// set back follows the store. With a merge rule, the changes of others are left out.
  func joined(with next: UndoChange, in table: Table) -> UndoChange? {
    let step: LayerStep? =
      if let layer, let last = next.layer, layer.after == last.before {
        LayerStep(before: layer.before, after: last.after)
      } else {
        nil
      }
    let isGone = next.isGone
    guard let shown, let nextShown = next.shown else {
      // If the steps do not join, a save in between has made the row known. Only `next` has it.
      return UndoChange(shown: step == nil ? next.shown : nil, layer: step, isGone: isGone)
    }
    let own = nextShown.merged(with: shown.after, by: table).change
    switch LayerChange.known(shown).composed(with: .known(own)) {
    case .known(let change): return UndoChange(shown: change, layer: step, isGone: isGone)
    case .blind, nil: return nil
    }
  }

  /// Whether there is a row after the change, as far as the change is known.
  var leavesRow: Bool {
    if let shown { return shown.after != nil }
    return layer?.after?.applied(to: nil) != nil
  }

  /// Whether the change deleted a row.
  var isDeletion: Bool { shown.map { $0.before != nil && $0.after == nil } ?? false }
  /// Whether the change inserted a row.
  var isInsertion: Bool { shown.map { $0.before == nil && $0.after != nil } ?? false }
}
