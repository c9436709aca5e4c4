/// The status of a context's edits, as a toolbar shows it.
struct EditStatus: Equatable {
  var hasChanges = false
  var isSaving = false
  var canUndo = false
  var canRedo = false
  var undoName: String?
  var redoName: String?
  /// Whether there may be conflicts; comparing the conflicts themselves costs too much.
  var mayConflict = false
}

extension ViewLayers {
  /// The status of the edits at this moment.
  ///
  /// - Complexity: O(1).
  var status: EditStatus {
    EditStatus(
      hasChanges: !pending.isEmpty, isSaving: isSaving, canUndo: pending.undo.canUndo,
      canRedo: pending.undo.canRedo, undoName: pending.undo.undoName,
      redoName: pending.undo.redoName, mayConflict: mayConflict)
  }
}
