internal import Observation

// What a toolbar shows of the main actor's edits, and how it is told.

extension ViewContext {
  /// Whether there are edits that no save has begun to write.
  public var hasChanges: Bool {
    registrar.access(self, keyPath: \.hasChanges)
    return !layers.pending.isEmpty
  }

  /// Whether a save is under way, until the context shows its commit or it has failed.
  public var isSaving: Bool {
    registrar.access(self, keyPath: \.isSaving)
    return layers.isSaving
  }

  /// Why the newest save failed: until another one begins, or the edits are rolled back.
  ///
  /// A save that was cancelled did not fail.
  public internal(set) var saveError: StoreError? {
    get {
      registrar.access(self, keyPath: \.saveError)
      return lastSaveError
    }
    set {
      if newValue == nil && lastSaveError == nil { return }
      registrar.withMutation(of: self, keyPath: \.saveError) { lastSaveError = newValue }
    }
  }

  /// Notes why a save failed.
  func saveDidFail(_ error: StoreError) {
    if error.code != .cancelled { saveError = error }
    tellStatus()
  }

  /// Tells observers what of the edits' status is different since they were told last.
  ///
  /// The end of every call that changes a layer, so that whoever is told may edit in turn. While
  /// nobody needs to be told it costs a comparison, and the registrar is left alone: a loop of
  /// edits changes the status once.
  func tellStatus() {
    let (old, new) = (toldStatus, layers.status)
    if old == new && !new.mayConflict { return }
    toldStatus = new
    func tell<Value: Equatable>(
      _ part: KeyPath<EditStatus, Value>, _ path: KeyPath<ViewContext, Value>
    ) {
      if old[keyPath: part] == new[keyPath: part] { return }
      registrar.withMutation(of: self, keyPath: path) {}
    }
    tell(\.hasChanges, \.hasChanges)
    tell(\.isSaving, \.isSaving)
    tell(\.canUndo, \.canUndo)
    tell(\.canRedo, \.canRedo)
    tell(\.undoName, \.undoName)
    tell(\.redoName, \.redoName)
    if old.mayConflict || new.mayConflict {
      registrar.withMutation(of: self, keyPath: \.conflicts) {}
    }
  }
}
