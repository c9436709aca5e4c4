/// The commits on their way to the view context: the state of its waiting, and the part of the log
/// that it has merged.
final class MergeFeed {
  typealias Waiter = UnsafeContinuation<MergeStep?, Never>

  private let publisher: ChangePublisher
  private var pull = MergePull<Waiter>()
  private var cursor: ChangeLog.Cursor?
  /// The snapshot of the newest merge step.
  private weak var snapshot: Snapshot?

  init(_ publisher: ChangePublisher) { self.publisher = publisher }

  // MARK: Events

  /// Starts the view context's reading of the log, at a snapshot that every published commit is in.
  func begin(at snapshot: Snapshot) {
    cursor = publisher.addCursor()
    self.snapshot = snapshot
    pull.begin()
  }

  /// Makes a step due although nothing was committed.
  func wake() { pull.wake() }

  func saveBegan() { pull.saveBegan() }

  func saveEnded(_ save: CompletedSave?) { pull.saveEnded(save) }

  func suspend() { pull.suspend() }

  func resume() { pull.resume() }

  func wait(_ waiter: Waiter) { pull.wait(waiter) }

  func close() -> Waiter? { pull.close() }

  /// Notes that a step could not be made.
  ///
  /// - Returns: whether to try again in a moment; one try waits at a time.
  func didFail() -> Bool { pull.didFail() }

  func retries() { pull.retries() }

  // MARK: Reading

  private var hasUnread: Bool { cursor.map(publisher.hasUnread) == true }

  var hasBegun: Bool { pull.state != .unopened }
  var isClosed: Bool { pull.state == .closed }
  /// Whether the view context reads every commit.
  var isOpen: Bool { pull.state == .open(.commits) }
  /// Whether nothing can be pinned any more.
  var isStuck: Bool { pull.isStuck }
  var isDue: Bool { pull.isDue(hasUnread: hasUnread) }
  /// Whether the view context has merged everything and waits.
  var isAtRest: Bool { pull.isAtRest(hasUnread: hasUnread) }
  /// The waiting view context, if a step is due.
  var answerable: Waiter? { pull.answer(hasUnread: hasUnread) }

  // MARK: Steps

  /// The step to a snapshot whose commits are published.
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

  /// The last step of a store whose file cannot be read any more; nil if no step was made before.
  func lastStep(_ failure: StoreError) -> MergeStep? {
    guard let snapshot else { return nil }
    defer { pull.didStep(.nothing) }
    return MergeStep(
      changes: [], snapshot: snapshot, completedSave: pull.completedSave, failure: failure)
  }
}
