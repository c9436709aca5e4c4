/// The rule that decides when to report a write-ahead log that grows although it is written back.
///
/// The log is reported at twice its limit, then each time that its length has doubled again. Once
/// the log is shorter than its limit, the rule starts from the beginning.
struct LogGrowth: Sendable {
  private let limit: Int
  private var next: Int

  /// - Parameter limit: the length that the log should not exceed, in frames.
  init(limit: Int) {
    self.limit = limit
    next = 2 * limit
  }

  /// Notes the log's length, and returns whether to report it.
  mutating func noteLength(frames: Int) -> Bool {
    if frames < limit { next = 2 * limit }
    guard frames >= next else { return false }
    next = 2 * frames
    return true
  }
}
