/// Whether and why the view context should be woken.
///
/// unopened ─begin→ open;  open ─suspend→ suspended ─resume→ open;  any ─close→ closed
/// resting ─commit, ended save, wake→ due ─step→ resting;  resting ─wait→ waiting ─due→ answered
///
/// A save of the view context holds answers back, so that its commit and its end are told together.
/// Once the tables were changed by another program, commits are told no more.
struct MergePull<Waiter: Sendable>: Sendable {
  /// What may be pinned.
  enum Reach: Sendable, Equatable {
    /// Every commit.
    case commits
    /// No commit any more: the tables are others. What the view context asks for is answered with
    /// what it has.
    case nothing
  }

  enum State: Sendable, Equatable {
    /// The view context has not begun to read.
    case unopened
    case open(Reach)
    /// The file is closed until a resumption.
    case suspended(Reach)
    /// For good.
    case closed
  }

  private(set) var state = State.unopened
  /// The newest ended save of the view context that it has not been told of.
  private(set) var completedSave: CompletedSave?
  private var waiter: Waiter?
  /// A save of the view context is under way.
  private var isHeldBack = false
  /// Somebody asked for a turn although nothing was committed.
  private var isWoken = false
  /// A step that could not be made is tried again in a moment.
  private var isRetrying = false

  // MARK: Events

  /// The view context begins to read.
  mutating func begin() {
    guard state == .unopened else { fatalError("a merge began in the state \(state)") }
    state = .open(.commits)
  }

  mutating func wake() { isWoken = true }

  mutating func saveBegan() { isHeldBack = true }

  /// - Parameter save: the save, if it is in the store.
  mutating func saveEnded(_ save: CompletedSave?) {
    isHeldBack = false
    completedSave = save ?? completedSave
  }

  mutating func suspend() { if case .open(let reach) = state { state = .suspended(reach) } }

  mutating func resume() {
    guard case .suspended(let reach) = state else { return }
    state = .open(reach)
    isWoken = true
  }

  /// - Returns: who waits, and is told that nothing comes any more.
  mutating func close() -> Waiter? {
    state = .closed
    return take()
  }

  /// The next step waits until something is due.
  mutating func wait(_ waiter: Waiter) { self.waiter = waiter }

  /// Whoever is answered now.
  mutating func answer(hasUnread: Bool) -> Waiter? {
    !isHeldBack && isDue(hasUnread: hasUnread) ? waiter : nil
  }

  /// A step was made of everything that is known.
  ///
  /// - Parameter reach: what may be pinned from now on.
  mutating func didStep(_ reach: Reach) {
    completedSave = nil
    isWoken = false
    waiter = nil
    if case .open = state { state = .open(reach) }
  }

  /// A step could not be made.
  ///
  /// - Returns: whether to try again in a moment; one try waits at a time.
  mutating func didFail() -> Bool {
    if isRetrying || state == .closed { return false }
    isRetrying = true
    return true
  }

  mutating func retries() { isRetrying = false }

  private mutating func take() -> Waiter? {
    defer { waiter = nil }
    return waiter
  }

  // MARK: Reading

  /// Whether there is something to tell.
  func isDue(hasUnread: Bool) -> Bool {
    guard case .open(let reach) = state else { return false }
    return isWoken || completedSave != nil || reach == .commits && hasUnread
  }

  /// Whether the view context has merged everything and waits.
  func isAtRest(hasUnread: Bool) -> Bool { waiter != nil && !isDue(hasUnread: hasUnread) }

  /// Whether nothing can be pinned any more.
  var isStuck: Bool { state == .open(.nothing) || state == .suspended(.nothing) }
}
