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
