internal import Observation

// Undo and redo of the main actor's edits.

extension ViewContext {
  /// The most groups of edits that can be undone, and redone; 50 unless set. Zero or less keeps
  /// none.
  ///
  /// Without ``undoGroup(_:_:)``, what one task edits between two suspensions is one group: one tap,
  /// one undo. A save does not end what can be undone; a rollback does.
  public var undoLimit: Int {
    get { layers.pending.undo.limit }
    set {
      layers.pending.undo.setLimit(newValue)
      tellStatus()
    }
  }

  /// Whether there is something to undo.
  public var canUndo: Bool {
    registrar.access(self, keyPath: \.canUndo)
    return layers.pending.undo.canUndo
  }

  /// Whether there is something to redo.
  public var canRedo: Bool {
    registrar.access(self, keyPath: \.canRedo)
    return layers.pending.undo.canRedo
  }

  /// The name of the group that ``undo()`` would undo.
  public var undoName: String? {
    registrar.access(self, keyPath: \.undoName)
    return layers.pending.undo.undoName
  }

  /// The name of the group that ``redo()`` would redo.
  public var redoName: String? {
    registrar.access(self, keyPath: \.redoName)
    return layers.pending.undo.redoName
  }

  /// Takes back the newest group of edits, saved or not; live queries show it in the same turn.
  ///
  /// Undoing is itself an edit: it waits for the next save. Of a saved group everything is taken
  /// back that its save did, what delete rules did included. An attribute is taken back only if it
  /// still has the value that the group gave it; the report lists the rest. An entity that somebody
  /// else deleted does not come back.
  ///
  /// - Returns: nil if there is nothing to undo, or if a group is open.
  @discardableResult
  public func undo() -> UndoReport? { revert(redo: false) }

  /// Does again what was undone last, under the rules of ``undo()``.
  ///
  /// - Returns: nil if there is nothing to redo; any new edit forgets what could be redone.
  @discardableResult
  public func redo() -> UndoReport? { revert(redo: true) }

  /// Makes the edits of `body` one group, also if it throws.
  ///
  /// Groups nest: the outermost one is undone as a whole.
  @discardableResult
  public func undoGroup<R>(_ name: String? = nil, _ body: () throws -> R) rethrows -> R {
    beginUndoGroup(name)
    defer { endUndoGroup() }
    return try body()
  }

  /// Begins a group that lasts over several turns, such as a drag, until ``endUndoGroup()``.
  ///
  /// A save in between saves what was edited before it; undoing the group takes back all of it.
  public func beginUndoGroup(_ name: String? = nil) {
    layers.pending.undo.begin(name)
    tellStatus()
  }

  /// Ends the group that was begun last.
  ///
  /// - Precondition: ``beginUndoGroup(_:)`` was called.
  public func endUndoGroup() {
    layers.pending.undo.end()
    tellStatus()
  }

  private func revert(redo: Bool) -> UndoReport? {
    defer { tellStatus() }
    beginTurn()
    let (base, saving) = (layers.base, layers.saving?.layer)
    let result = layers.pending.revert(redo: redo, saving: saving) { [live] table, key, edit in
      let known = base[table.id, key]
      return (known.isKnown ? known : live(table, key))
        .under(saving?[table.id, key], in: table).under(edit, in: table)
    }
    guard let (report, touched) = result else { return nil }
    changing {
      for (table, keys) in touched {
        for key in keys {
          layers.didEdit(key, in: store.model[table])
          showEdit(of: key, in: table)
        }
      }
    }
    return report
  }

  /// Begins another undo group if the one that is open is of another turn.
  func beginTurn() {
    let turn = UndoTurn.current
    if turn == undoTurn { return }
    undoTurn = turn
    layers.pending.undo.endEvent()
  }

  /// Sees to it that the group of what is edited in this turn ends with the turn.
  func endUndoEventWithTurn() {
    guard layers.pending.undo.isEventOpen, !endsUndoEvent else { return }
    endsUndoEvent = true
    Task { [weak self] in self?.endUndoEvent() }
  }

  private func endUndoEvent() {
    endsUndoEvent = false
    layers.pending.undo.endEvent()
    tellStatus()
  }
}

/// A turn of the main actor: what a task does between two suspensions or, outside of any task, what
/// runs until the main queue takes up its next job.
struct UndoTurn: Equatable {
  /// Tasks that wait at the same time have different hashes; nil outside of a task.
  private let task: Int?

  static var current: UndoTurn {
    UndoTurn(task: withUnsafeCurrentTask { $0?.hashValue })
  }
}
