/// The announcements of commits to the view context and to other processes.
///
/// An announcement follows the reply to the caller, which need not wait for it. In a series of
/// short commits, announcements are at least ``rest`` apart, because waking a thread costs as much
/// as a commit.
final class Announcer {
  enum Action {
    case nothing
    /// Ask again after the queued work.
    case later
    case now
  }

  private static let rest = Duration.milliseconds(1)

  private var isPending = false
  private var isQueued = false
  private var last = ContinuousClock.now
  /// The signal to other processes; nil while the store is closed, suspended or not shared.
  private var signal: CommitSignal?

  /// Starts to watch other processes.
  ///
  /// - Returns: whether their commits are reported.
  func begin(_ store: String, _ onSignal: @escaping @Sendable () -> Void) -> Bool {
    guard let signal = CommitSignal(store: store), signal.start(onSignal) else { return false }
    self.signal = signal
    return true
  }

  func end() {
    signal?.stop()
    signal = nil
  }

  /// Notes that commits may have been published.
  func didPublish() { isPending = true }

  /// Returns the step to take after a unit.
  ///
  /// - Parameter hasWork: whether another unit is about to run.
  func announce(hasWork: Bool) -> Action {
    guard isPending else { return .nothing }
    if hasWork, last.duration(to: .now) < Self.rest {
      if isQueued { return .nothing }
      isQueued = true
      return .later
    }
    isPending = false
    last = .now
    signal?.post()
    return .now
  }

  /// Notes that the work that was queued before the request has run.
  func didWait() { isQueued = false }
}
