/// What the edits of one undo group did to a key, as far as it takes to undo them.
struct UndoChange: Sendable {
  /// What a context's layer had for a key before and after an edit.
  struct LayerStep: Sendable, Equatable {
    let before: LayerChange?
    let after: LayerChange?

    var inverse: LayerStep { LayerStep(before: after, after: before) }
  }

  /// The record that the context showed before and after; nil if the row is not known.
  var shown: Change?
  /// What the layer had; nil for a change that a save or a delete rule made.
  var layer: LayerStep?
  /// Somebody else deleted the row that the group deleted: it does not come back.
  var isGone = false

  /// This change and a later one of the same key, as one; nil if together they change nothing.
  func joined(with next: UndoChange) -> UndoChange? {
    let step: LayerStep? =
      if let layer, let last = next.layer, layer.after == last.before {
        LayerStep(before: layer.before, after: last.after)
      } else {
        nil
      }
    let isGone = next.isGone
    guard let shown, let nextShown = next.shown else {
      // A row that is known from here on was met on the way.
      return UndoChange(shown: step == nil ? next.shown : nil, layer: step, isGone: isGone)
    }
    switch LayerChange.known(shown).composed(with: .known(nextShown)) {
    case .known(let change): return UndoChange(shown: change, layer: step, isGone: isGone)
    case .blind, nil: return nil
    }
  }

  /// Whether the change deleted a row.
  var isDeletion: Bool { shown.map { $0.before != nil && $0.after == nil } ?? false }
  /// Whether the change made a row.
  var isInsertion: Bool { shown.map { $0.before == nil && $0.after != nil } ?? false }
}
