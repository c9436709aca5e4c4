/// What a toolbar shows of a context's edits.
struct EditStatus: Equatable {
  var hasChanges = false
  var isSaving = false
  var canUndo = false
  var canRedo = false
  var undoName: String?
  var redoName: String?
  /// Whether there may be conflicts, which cost too much to compare.
  var mayConflict = false
}

extension ViewLayers {
  /// - Complexity: O(1) unless somebody else changed what is edited.
  var status: EditStatus {
    EditStatus(
      hasChanges: !pending.isEmpty, isSaving: isSaving, canUndo: pending.undo.canUndo,
      canRedo: pending.undo.canRedo, undoName: pending.undo.undoName,
      redoName: pending.undo.redoName, mayConflict: mayConflict)
  }
}
