internal import StrataSQLite

/// Who is told what happens to a store; nothing costs anything if nobody is.
struct EventLog: Sendable {
  var tell: (@Sendable (StackEvent) -> Void)?
  /// From when on a commit is slow.
  var slowCommit = Duration.milliseconds(250)

  var isUsed: Bool { tell != nil }

  func note(_ event: @autoclosure () -> StackEvent) { tell?(event()) }

  /// The moment from which something is measured; nil if nobody wants to know.
  func start() -> ContinuousClock.Instant? { isUsed ? .now : nil }

  /// Tells of an error that the disk or SQLite has made.
  func noteFailure(_ error: StoreError, _ event: (StoreError) -> StackEvent) {
    if let tell, error.isOfStore { tell(event(error)) }
  }
}
