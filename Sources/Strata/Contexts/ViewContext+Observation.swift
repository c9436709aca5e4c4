internal import Observation

// The status of the main actor's edits, as a toolbar shows it, and its observation.

extension ViewContext {
  /// Whether there are edits that no save has begun to write.
  public var hasChanges: Bool {
    registrar.access(self, keyPath: \.hasChanges)
    return !layers.pending.isEmpty
  }

  /// Whether a save is in progress: until the context shows its commit, or until it fails.
  public var isSaving: Bool {
    registrar.access(self, keyPath: \.isSaving)
    return layers.isSaving
  }

  /// Why the newest save failed; nil once another save begins or the edits are rolled back.
  ///
  /// A cancelled save has not failed.
  public internal(set) var saveError: StoreError? {
    get {
      registrar.access(self, keyPath: \.saveError)
      return reported.saveError
    }
    set {
      if newValue == nil && reported.saveError == nil { return }
      registrar.withMutation(of: self, keyPath: \.saveError) { reported.note(newValue) }
    }
  }

  /// Notes why a save failed.
  func saveDidFail(_ error: StoreError) {
    if error.code != .cancelled { saveError = error }
    reportStatus()
  }

  /// Notifies observers of the parts of the edits' status that have changed since the last call.
  ///
  /// Every call that changes a layer ends with this one, so that observers may edit the context. If
  /// nothing has changed, it costs a comparison and does not touch the registrar: a loop of edits
  /// changes the status once.
  func reportStatus() {
    let (old, new) = (reported.edits, layers.status)
    if old == new && !new.mayConflict { return }
    reported.note(new)
    func report<Value: Equatable>(
      _ part: KeyPath<EditStatus, Value>, _ path: KeyPath<ViewContext, Value>
    ) {
      if old[keyPath: part] == new[keyPath: part] { return }
      registrar.withMutation(of: self, keyPath: path) {}
    }
    report(\.hasChanges, \.hasChanges)
    report(\.isSaving, \.isSaving)
    report(\.canUndo, \.canUndo)
    report(\.canRedo, \.canRedo)
    report(\.undoName, \.undoName)
    report(\.redoName, \.redoName)
    if old.mayConflict || new.mayConflict {
      registrar.withMutation(of: self, keyPath: \.conflicts) {}
    }
  }
}

/// The status of the edits as observers know it.
@MainActor
final class ReportedStatus {
  private(set) var edits = EditStatus()
  private(set) var saveError: StoreError?

  func note(_ edits: EditStatus) { self.edits = edits }

  func note(_ saveError: StoreError?) { self.saveError = saveError }
}
