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

/// When to tell that the write-ahead log grows although it is written back.
///
/// Once it is twice as long as it should be, then whenever it has doubled again; anew after it was
/// short.
struct LogGrowth: Sendable {
  private let limit: Int
  private var next: Int

  /// - Parameter limit: the length that it should have, in frames.
  init(limit: Int) {
    self.limit = limit
    next = 2 * limit
  }

  /// Notes the log's length; whether it is to be told of.
  mutating func isNews(frames: Int) -> Bool {
    if frames < limit { next = 2 * limit }
    guard frames >= next else { return false }
    next = 2 * frames
    return true
  }
}
