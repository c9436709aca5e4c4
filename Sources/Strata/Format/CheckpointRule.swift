/// When to move the write-ahead log back into the database file and start it again.
///
/// A pinned snapshot keeps the log from being started again, and a view context always has one: at
/// the newest commit while it rests, at an older one while it merges. So past half of a limit the
/// log is written back beside the writer; when that is done, the writer waits for the moment in
/// which the view context rests, for a short time at most, unpins the snapshots of the newest
/// commit, writes the last frames back, and pins them again: they now read the file alone, and the
/// next commit starts the log again.
///
/// short ─commit past half of the limit→ writing back ─done→ due ─restarted→ short
/// writing back ─commit past the limit→ commits wait for it
/// due ─not possible→ short until a sixteenth of the limit more was written
/// due ─a sixteenth more was written→ writing back again, then due with patience anew
struct CheckpointRule: Sendable {
  /// How long commits may be held up for the view context to come to rest, if nothing else is said.
  static let patience = Duration.milliseconds(10)

  /// What to do after a commit.
  enum Step {
    case nothing
    /// Write the log back beside the writer.
    case writeBack
    /// Let commits wait: the disk is slower than they are.
    case hold
  }

  /// The length, in frames, past which commits wait.
  let limit: Int
  private var nextAttempt: Int
  private(set) var isDue = false
  private var isWritingBack = false
  /// How far the log may grow while it is written back.
  private var longest = 0

  init(limit: Int) {
    self.limit = limit
    nextAttempt = max(1, limit / 2)
  }

  /// Notes a commit that left the log with `frames` frames.
  mutating func didCommit(frames: Int) -> Step {
    if isWritingBack { return frames < longest ? .nothing : .hold }
    let half = max(1, limit / 2)
    if frames < half { nextAttempt = half }
    // An attempt whose patience ran out is still due, but nobody waits for it any more.
    if frames < nextAttempt { return .nothing }
    // Two checkpoints never overlap: SQLite before 3.51.3 could lose commits by that.
    isDue = false
    isWritingBack = true
    nextAttempt = frames + max(1, limit / 16)
    longest = max(limit, nextAttempt)
    return .writeBack
  }

  /// Notes that the log is written back, but for the newest commits.
  mutating func didWriteBack() {
    isWritingBack = false
    isDue = true
  }

  /// Ends the attempt, successful or not.
  mutating func endAttempt() { isDue = false }
}
