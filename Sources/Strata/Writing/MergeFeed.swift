/// The commits on their way to the view context.
///
/// The feed has the state of the view context's waiting, and the position in the change log up to
/// which the view context has merged.
final class MergeFeed {
  typealias Waiter = DirectContinuation<MergeStep?>

  private let publisher: ChangePublisher
  private var pull = MergePull<Waiter>()
  private var cursor: ChangeLog.Cursor?
  /// The snapshot of the newest merge step.
  private weak var snapshot: Snapshot?

  init(_ publisher: ChangePublisher) { self.publisher = publisher }

  // MARK: Events

  /// Starts the view context's reading of the change log.
  ///
  /// - Parameter snapshot: a snapshot that contains every published commit.
  func begin(at snapshot: Snapshot) {
    cursor = publisher.addCursor()
    self.snapshot = snapshot
    pull.begin()
  }

  /// Notes that no view context will read the change log.
  func beginWithoutView() { pull.beginWithoutView() }

  /// Makes a step due, even without a commit.
  func wake() { pull.wake() }

  func saveEnded(_ save: CompletedSave) { pull.saveEnded(save) }

  func suspend() { pull.suspend() }

  func resume() { pull.resume() }

  func wait(_ waiter: Waiter) { pull.wait(waiter) }

  func close() -> Waiter? { pull.close() }

  /// Notes that a step could not be made.
  ///
  /// - Returns: whether to try again in a moment. Only one try waits at a time.
  func didFail() -> Bool { pull.didFail() }

  func beginRetry() { pull.beginRetry() }

  // MARK: Reading

  private var hasUnread: Bool { cursor.map(publisher.hasUnread) == true }

  var hasBegun: Bool { pull.state != .unopened }
  var isClosed: Bool { pull.state == .closed }
  /// Whether every commit can be read.
  var isOpen: Bool { pull.isOpen }
  /// Whether no further commit can be pinned.
  var isStuck: Bool { pull.isStuck }
  var isDue: Bool { pull.isDue(hasUnread: hasUnread) }
  /// Whether the view context has merged everything and waits, or there is none.
  var isAtRest: Bool { pull.isAtRest(hasUnread: hasUnread) }
  /// The waiting view context, if a step is due.
  var dueWaiter: Waiter? { pull.dueWaiter(hasUnread: hasUnread) }

  // MARK: Steps

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
