/// The commits on their way to the view context.
///
/// ``MergePull`` decides when a step is due. The feed makes it, and has the position in the change log up to which
/// the view context has merged.
final class MergeFeed {
  private let publisher: ChangePublisher
  private let gate: MergeGate
  var pull = MergePull()
  private var cursor: ChangeLog.Cursor?
  /// The snapshot of the newest merge step.
  private weak var snapshot: Snapshot?
  /// Brings the view context to a step.
  private var bring: (@Sendable (MergeStep) -> Void)?

  init(_ publisher: ChangePublisher, _ gate: MergeGate) {
    self.publisher = publisher
    self.gate = gate
  }

  // MARK: Events

  /// Starts the view context's reading of the change log.
  ///
  /// - Parameters:
  ///   - snapshot: a snapshot that contains every published commit.
  ///   - show: brings the view context to a step, and opens the gate when it shows the step.
  func begin(at snapshot: Snapshot, _ show: @escaping @Sendable (MergeStep) -> Void) {
    cursor = publisher.addCursor()
    self.snapshot = snapshot
    bring = show
    pull.begin()
  }

  func close() {
    pull.close()
    gate.close()
    bring = nil
  }

  // MARK: Reading

  /// Whether the change log has commits that no step had.
  var hasUnread: Bool { cursor.map(publisher.hasUnread) == true }
  var isDue: Bool { pull.isDue(hasUnread: hasUnread) }
  /// Whether the view context shows every commit, or there is none.
  var isAtRest: Bool { pull.state == .unread || gate.isOpen && !isDue }

  // MARK: Steps

  /// Brings the view context to a step, for which the gate is taken.
  func show(_ step: MergeStep) {
    if step.changes.count > 1 { gate.beginPause() }
    bring?(step)
  }

  /// Returns the step to a snapshot whose commits are published.
  func step(to snapshot: Snapshot) -> MergeStep {
    var changes: [ChangeSet] = []
    if var cursor {
      changes = publisher.read(&cursor)
      self.cursor = cursor
    }
    self.snapshot = snapshot
    defer { pull.didStep(.commits, having: changes.count) }
    return MergeStep(changes: changes, snapshot: snapshot, completedSave: pull.completedSave)
  }

  /// Returns the last step of a store whose file can no longer be read.
  ///
  /// - Returns: nil if the snapshot of the step before no longer exists.
  func lastStep(_ failure: StoreError) -> MergeStep? {
    guard let snapshot else { return nil }
    defer { pull.didStep(.nothing) }
    return MergeStep(
      changes: [], snapshot: snapshot, completedSave: pull.completedSave, failure: failure)
  }
}
