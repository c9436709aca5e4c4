internal import Observation

// Undo and redo of the main actor's edits.

extension ViewContext {
  /// The most groups of edits kept for undo, and for redo; 50 by default, and none if it is zero or
  /// less.
  ///
  /// Without ``undoGroup(_:_:)``, the edits that a task makes between two suspensions are one
  /// group: a tap is one undo. A save keeps the groups; a rollback drops them.
  public var undoLimit: Int {
    get { layers.pending.undo.limit }
    set {
      layers.pending.undo.setLimit(newValue)
      reportStatus()
    }
  }

  /// Whether there is a group to undo.
  public var canUndo: Bool {
    registrar.access(self, keyPath: \.canUndo)
    return layers.pending.undo.canUndo
  }

  /// Whether there is a group to redo.
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
  /// Undoing is itself an edit, which waits for the next save. Undoing a saved group takes back
  /// everything that its save wrote, including changes by delete rules. An attribute is taken back
  /// only if it still has the group's value; the report lists the other attributes. An entity that
  /// another context or process deleted stays deleted.
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

  /// Takes back the newest group of edits, as ``undo()`` does, without holding the main actor for long.
  ///
  /// A group of 20,000 edits takes ``undo()`` a tenth of a second and more in one turn. This call does the work
  /// elsewhere, and live queries show it in one turn. The group is the newest one at the time of the call. Edits that
  /// are made meanwhile stay, as edits after the group do.
  ///
  /// - Throws: ``StoreError`` with code `closed`.
  @discardableResult
  public func undoInBackground() async throws -> UndoReport? {
    try await revertElsewhere(redo: false)
  }

  /// Redoes the group that was undone last, as ``redo()`` does, without holding the main actor for long.
  ///
  /// - Throws: ``StoreError`` with code `closed`.
  @discardableResult
  public func redoInBackground() async throws -> UndoReport? {
    try await revertElsewhere(redo: true)
  }

  /// Makes the edits of `body` one group, even if it throws.
  ///
  /// Groups nest: the outermost group is undone as a whole.
  @discardableResult
  public func undoGroup<R>(_ name: String? = nil, _ body: () throws -> R) rethrows -> R {
    beginUndoGroup(name)
    defer { endUndoGroup() }
    return try body()
  }

  /// Begins a group that lasts over several turns, such as a drag, until ``endUndoGroup()``.
  ///
  /// A save in between writes the edits made before it; undoing the group takes back all of its
  /// edits.
  public func beginUndoGroup(_ name: String? = nil) {
    layers.pending.undo.begin(name)
    reportStatus()
  }

  /// Ends the group that was begun last.
  ///
  /// - Precondition: ``beginUndoGroup(_:)`` was called.
  public func endUndoGroup() {
    layers.pending.undo.end()
    reportStatus()
  }

  private func revert(redo: Bool) -> UndoReport? {
    defer { reportStatus() }
    beginTurn()
    guard let group = layers.pending.undo.newestGroup(redo: redo) else { return nil }
    let before = shownRows(of: layers.pending.undo.keysToRevert(group, redo: redo))
    let result = layers.revert(group, redo: redo)
    if let result { showEdits(of: result.touched, before: before) }
    return result?.report
  }

  private func revertElsewhere(redo: Bool) async throws(StoreError) -> UndoReport? {
    beginTurn()
    // The newest group at the time of the call, also if an edit comes meanwhile.
    guard let group = layers.pending.undo.newestGroup(redo: redo) else { return nil }
    return try await changeElsewhere { version in
      var report: UndoReport?
      version.edit(version.layers.pending.undo.keysToRevert(group, redo: redo)) { layers in
        let result = layers.revert(group, redo: redo)
        report = result?.report
        return result?.touched ?? [:]
      }
      return report
    }
  }

  /// Begins another undo group if the open group belongs to another turn.
  func beginTurn() {
    if undoTurns.begin(.current) { layers.pending.undo.endEvent() }
  }

  /// Schedules the end of this turn's undo group.
  func endUndoEventWithTurn() {
    guard layers.pending.undo.isEventOpen, undoTurns.schedule() else { return }
    Task { [weak self] in self?.endUndoEvent() }
  }

  private func endUndoEvent() {
    undoTurns.didEnd()
    layers.pending.undo.endEvent()
    reportStatus()
  }
}

/// The turn whose edits form one undo group, and the scheduled end of that group.
@MainActor
final class UndoTurns {
  private var turn: UndoTurn?
  private var isScheduled = false

  /// Notes the current turn; returns whether it is another one.
  func begin(_ current: UndoTurn) -> Bool {
    defer { turn = current }
    return turn != current
  }

  /// Returns whether the end of the group is still to be scheduled, and notes that it is.
  func schedule() -> Bool {
    defer { isScheduled = true }
    return !isScheduled
  }

  func didEnd() { isScheduled = false }
}

/// A turn of the main actor.
///
/// A task's turn lasts from one suspension to the next. Outside of tasks, a turn lasts until the
/// main queue starts its next job.
struct UndoTurn: Equatable {
  /// The hash of the current task; nil outside of a task. Tasks that wait at the same time have
  /// different hashes.
  private let task: Int?

  static var current: UndoTurn {
    UndoTurn(task: withUnsafeCurrentTask { $0?.hashValue })
  }
}
