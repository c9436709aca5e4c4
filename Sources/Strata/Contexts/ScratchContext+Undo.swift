// Undo and redo of a unit of work.

extension ScratchContext {
  /// The most groups of edits that can be undone, and redone; zero, which keeps none, unless set.
  /// Less counts as zero.
  ///
  /// Without ``undoGroup(_:_:)`` every edit is a group of its own.
  public var undoLimit: Int {
    get { edits.undo.limit }
    set { edits.undo.setLimit(newValue) }
  }

  /// Whether there is something to undo.
  public var canUndo: Bool { edits.undo.canUndo }
  /// Whether there is something to redo.
  public var canRedo: Bool { edits.undo.canRedo }
  /// The name of the group that ``undo()`` would undo.
  public var undoName: String? { edits.undo.undoName }
  /// The name of the group that ``redo()`` would redo.
  public var redoName: String? { edits.undo.redoName }

  /// Takes back the newest group of edits, saved or not.
  ///
  /// As in the view context, with one difference: this context is not told of others' commits. What
  /// somebody else changed since a saved group is a conflict when the undoing is saved. And of a
  /// row that neither a child nor its parent, a scratch context, has seen, nobody knows what the
  /// child's upsert or link replaced: once saved it is skipped.
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
    edits.undo.begin(name)
    defer { edits.undo.end() }
    return try body()
  }

  /// Begins a group that lasts until ``endUndoGroup()``.
  public func beginUndoGroup(_ name: String? = nil) { edits.undo.begin(name) }

  /// Ends the group that was begun last.
  ///
  /// - Precondition: ``beginUndoGroup(_:)`` was called.
  public func endUndoGroup() { edits.undo.end() }

  private func revert(redo: Bool) -> UndoReport? {
    checkUse()
    let below = lowerLayers
    return edits.revert(redo: redo, saving: saving?.layer) { table, key, edit in
      below.state(of: key, in: table, over: .unknown).under(edit, in: table)
    }?.report
  }
}
