/// The state machine that decides when the view context gets a merge step.
///
/// unopened ─begin→ open;  unopened ─begin without a view→ unread;  open ─suspend→ suspended ─resume→ open;  any ─close→ closed
/// resting ─commit, ended save, wake→ due ─step→ resting, or pausing after a step of several commits
/// pausing ─ended save, wake, time, a wait for the step→ resting or due
///
/// A save of the view context ends in the same turn of the writer as its commit, so one step has both.
/// After another program has changed the tables, a step has no commits.
struct MergePull: Sendable {
  /// The commits that may be pinned.
  enum Reach: Sendable, Equatable {
    /// Every commit.
    case commits
    /// No further commit, because the tables have changed.
    ///
    /// A step that the view context asks for has the snapshot of the step before.
    case nothing
  }

  enum State: Sendable, Equatable {
    /// The view context has not begun to read.
    case unopened
    case open(Reach)
    /// No view context reads the commits.
    case unread
    /// The file is closed until a resumption.
    case suspended(Reach)
    /// The store is closed for good.
    case closed
  }

  private(set) var state = State.unopened
  /// The newest ended save of the view context that no step has reported.
  private(set) var completedSave: CompletedSave?
  /// Whether a step is wanted even without a commit.
  private var isWoken = false
  /// Whether a failed step is tried again in a moment.
  private var isRetrying = false
  /// The end of the pause after a step of several commits.
  private var pauseEnd: ContinuousClock.Instant?
  /// Whether the writer asks again at the end of a pause.
  private var asksAgain = false

  /// The time in which further commits gather after a step of several commits.
  ///
  /// Commits that come faster than the turns would occupy the main actor.
  static let pause = Duration.milliseconds(1)

  // MARK: Events

  /// Notes that the view context begins to read.
  mutating func begin() {
    guard state == .unopened else { fatalError("a merge began in the state \(state)") }
    state = .open(.commits)
  }

  /// Notes that no view context will read.
  mutating func beginWithoutView() {
    guard state == .unopened else { fatalError("a merge began in the state \(state)") }
    state = .unread
  }

  mutating func wake() { isWoken = true }

  /// Notes that a save of the view context is in the store.
  mutating func saveEnded(_ save: CompletedSave) { completedSave = save }

  mutating func suspend() { if case .open(let reach) = state { state = .suspended(reach) } }

  mutating func resume() {
    guard case .suspended(let reach) = state else { return }
    state = .open(reach)
    isWoken = true
  }

  /// Notes that the store is closed for good.
  mutating func close() { state = .closed }

  /// Notes that a step was made of everything that is known.
  ///
  /// - Parameters:
  ///   - reach: the commits that may be pinned from this step on.
  ///   - count: the number of commits in the step.
  mutating func didStep(
    _ reach: Reach, having count: Int = 0, at now: ContinuousClock.Instant = .now
  ) {
    completedSave = nil
    isWoken = false
    pauseEnd = count > 1 ? now + Self.pause : nil
    if case .open = state { state = .open(reach) }
  }

  /// Notes that a step could not be made.
  ///
  /// - Returns: whether to try again in a moment. Only one try waits at a time.
  mutating func didFail() -> Bool {
    if isRetrying || state == .closed { return false }
    isRetrying = true
    return true
  }

  mutating func beginRetry() { isRetrying = false }

  /// Ends the pause, because somebody waits for the next step.
  mutating func endPause() { pauseEnd = nil }

  /// The writer's next move.
  enum Move: Equatable {
    /// Nothing, or nothing before the end of a pause at which the writer asks again.
    case none
    case askAgain(after: Duration)
    case step
  }

  /// Returns the next move, and notes that the writer makes it.
  mutating func move(hasUnread: Bool, at now: ContinuousClock.Instant = .now) -> Move {
    guard isDue(hasUnread: hasUnread) else { return .none }
    guard let pauseEnd, now < pauseEnd, !isAsked else { return .step }
    if asksAgain { return .none }
    asksAgain = true
    return .askAgain(after: now.duration(to: pauseEnd))
  }

  /// Notes that the writer asks again now.
  mutating func beginAsking() { asksAgain = false }

  // MARK: Reading

  /// Returns whether a step is due.
  func isDue(hasUnread: Bool) -> Bool {
    guard case .open(let reach) = state else { return false }
    return isAsked || reach == .commits && hasUnread
  }

  /// Whether a save of the view context or a wake asks for a step.
  private var isAsked: Bool { isWoken || completedSave != nil }

  /// Whether the log may be restarted while the pull is at rest.
  var isOpen: Bool { state == .open(.commits) || state == .unread }

  /// Whether no further commit can be pinned.
  var isStuck: Bool { state == .open(.nothing) || state == .suspended(.nothing) }
}
