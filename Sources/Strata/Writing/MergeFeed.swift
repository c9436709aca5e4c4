/// The commits on their way to the view context.
///
/// The feed decides when a step is due, and has the position in the change log up to which the view
/// context has merged.
final class MergeFeed {
  private let publisher: ChangePublisher
  private let gate: MergeGate
  private var pull = MergePull()
  private var cursor: ChangeLog.Cursor?
  /// The snapshot of the newest merge step.
  private weak var snapshot: Snapshot?
  /// Brings the view context to a step.
  private var bring: (@Sendable (MergeStep) -> Void)?
  /// The end of the pause after a step of several commits.
  private var pauseEnd: ContinuousClock.Instant?
  /// Whether the writer looks again at the end of a pause.
  var looksAgain = false

  /// The time in which further commits gather after a step of several commits.
  ///
  /// Commits that come faster than the turns would occupy the main actor.
  private static let pause = Duration.milliseconds(1)

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

  /// Notes that no view context will read the change log.
  func beginWithoutView() { pull.beginWithoutView() }

  /// Makes a step due, even without a commit.
  func wake() { pull.wake() }

  func saveEnded(_ save: CompletedSave) { pull.saveEnded(save) }

  func suspend() { pull.suspend() }

  func resume() { pull.resume() }

  func close() {
    pull.close()
    gate.close()
    bring = nil
  }

  /// Notes that a step could not be made.
  ///
  /// - Returns: whether to try again in a moment. Only one try waits at a time.
  func didFail() -> Bool { pull.didFail() }

  func beginRetry() { pull.beginRetry() }

  // MARK: Reading

  private var hasUnread: Bool { cursor.map(publisher.hasUnread) == true }

  var hasBegun: Bool { pull.state != .unopened }
  /// Whether the stack has no view context.
  var isUnread: Bool { pull.state == .unread }
  /// Whether every commit can be read.
  var isOpen: Bool { pull.isOpen }
  /// Whether no further commit can be pinned.
  var isStuck: Bool { pull.isStuck }
  var isDue: Bool { pull.isDue(hasUnread: hasUnread) }
  /// Whether the view context shows every commit, or there is none.
  var isAtRest: Bool { isUnread || gate.isOpen && !isDue }

  // MARK: Steps

  /// Brings the view context to a step, for which the gate is taken.
  func show(_ step: MergeStep) {
    pauseEnd = nil
    if step.changes.count > 1 {
      pauseEnd = .now + Self.pause
      gate.beginPause()
    }
    bring?(step)
  }

  // MARK: Pauses

  /// The time until the next step, in which commits gather; nil if a step may come now.
  var pause: Duration? {
    guard let pauseEnd, !pull.isAsked else { return nil }
    let rest = ContinuousClock.now.duration(to: pauseEnd)
    return rest > .zero ? rest : nil
  }

  /// Ends the pause, because somebody waits for the next step.
  func endPause() { pauseEnd = nil }

  /// Returns the step to a snapshot whose commits are published.
  func step(to snapshot: Snapshot) -> MergeStep {
    var changes: [ChangeSet] = []
    if var cursor {
      changes = publisher.read(&cursor)
      self.cursor = cursor
    }
    self.snapshot = snapshot
    defer { pull.didStep(.commits) }
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
