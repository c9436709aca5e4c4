/// When to move the write-ahead log back into the database file and start it again.
///
/// A pinned snapshot keeps the log from being started again, and a view context always has one: at
/// the newest commit while it rests, at an older one while it merges. So past a limit the writer
/// waits for the moment in which the view context rests, for a short time at most, unpins the
/// snapshots of the newest commit, writes every frame back, and pins them again: they now read
/// the file alone, and the next commit starts the log again.
///
/// short ─commit past the limit→ due;  due ─restarted→ short
/// due ─not possible→ short until a sixteenth of the limit more was written
/// due ─a sixteenth more was written→ due again, with patience anew
struct CheckpointRule: Sendable {
  /// How long commits may be held up for the view context to come to rest, if nothing else is said.
  static let patience = Duration.milliseconds(10)

  /// The length, in frames, past which the log is to be started again.
  let limit: Int
  private var nextAttempt: Int
  private(set) var isDue = false

  init(limit: Int) {
    self.limit = limit
    nextAttempt = limit
  }

  /// Notes a commit that left the log with `frames` frames.
  ///
  /// - Returns: whether commits should wait for an attempt.
  mutating func didCommit(frames: Int) -> Bool {
    if frames < limit { nextAttempt = limit }
    // An attempt whose patience ran out is still due, but nobody waits for it any more.
    if frames < nextAttempt { return false }
    isDue = true
    nextAttempt = frames + max(1, limit / 16)
    return true
  }

  /// Ends the attempt, successful or not.
  mutating func endAttempt() { isDue = false }
}
