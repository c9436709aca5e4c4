/// Tells the view context and other processes of commits, after the reply, which need not wait.
///
/// In a row of short commits they are told every ``rest`` only: waking a thread costs as much as
/// a commit.
final class Announcer {
  enum Action {
    case nothing
    /// Ask again behind the work that is queued.
    case later
    case now
  }

  private static let rest = Duration.milliseconds(1)

  private var isOwed = false
  private var isQueued = false
  private var last = ContinuousClock.now
  /// Nil while other processes are not watched: the store is closed, suspended or not shared.
  private var signal: CommitSignal?

  /// Watches other processes from now on.
  ///
  /// - Returns: whether their commits are told.
  func begin(_ store: String, _ onSignal: @escaping @Sendable () -> Void) -> Bool {
    guard let signal = CommitSignal(store: store), signal.start(onSignal) else { return false }
    self.signal = signal
    return true
  }

  func end() {
    signal?.stop()
    signal = nil
  }

  func didCommit() { isOwed = true }

  /// Says what to do after a unit.
  ///
  /// - Parameter hasWork: whether another unit is about to run.
  func announce(hasWork: Bool) -> Action {
    guard isOwed else { return .nothing }
    if hasWork, last.duration(to: .now) < Self.rest {
      if isQueued { return .nothing }
      isQueued = true
      return .later
    }
    isOwed = false
    last = .now
    signal?.post()
    return .now
  }

  /// Notes that the work that was queued before has run.
  func isAsked() { isQueued = false }
}
