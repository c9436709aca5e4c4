// Undo and redo of a scratch context's edits.

extension ScratchContext {
  /// The most groups of edits kept for undo, and for redo; 0 by default, which keeps none.
  ///
  /// A negative limit counts as zero. Without ``undoGroup(_:_:)``, every edit is a group of its
  /// own.
  public var undoLimit: Int {
    get { edits.undo.limit }
    set { edits.undo.setLimit(newValue) }
  }

  /// Whether there is a group to undo.
  public var canUndo: Bool { edits.undo.canUndo }
  /// Whether there is a group to redo.
  public var canRedo: Bool { edits.undo.canRedo }
  /// The name of the group that ``undo()`` would undo.
  public var undoName: String? { edits.undo.undoName }
  /// The name of the group that ``redo()`` would redo.
  public var redoName: String? { edits.undo.redoName }

  /// Takes back the newest group of edits, saved or not.
  ///
  /// It works as in the view context, except that this context does not follow commits of other
  /// contexts. If another context has changed a value since a group was saved, undoing the group
  /// makes a conflict, which the next save reports. A child of a scratch context may save an upsert
  /// or a link of a row that neither context knows. The replaced row is then unknown, and undo
  /// skips it.
  ///
  /// - Returns: nil if there is no group to undo, or if a group is open.
  @discardableResult
  public func undo() -> UndoReport? { revert(redo: false) }

  /// Redoes the group that was undone last, under the rules of ``undo()``.
  ///
  /// - Returns: nil if there is no group to redo, or if a group is open. Any new edit drops the
  ///   groups to redo.
  @discardableResult
  public func redo() -> UndoReport? { revert(redo: true) }

  /// Makes the edits of `body` one group, even if it throws.
  ///
  /// Groups nest: the outermost group is undone as a whole.
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
    guard let group = edits.undo.newestGroup(redo: redo) else { return nil }
    return edits.revert(group, redo: redo) { below.state(of: $1, in: $0, over: .unknown) }?.report
  }
}
