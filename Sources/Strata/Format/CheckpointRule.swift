/// The rule that decides when the write-ahead log is written back and started again.
///
/// A pinned snapshot keeps the log from being started again, and a view context always has one. The
/// snapshot is of the newest commit while the view context is up to date, and of an older commit
/// while it merges. So past half of the limit, the log is written back into the database file
/// beside the writer. The writer then waits until the view context is up to date, for a short time
/// at most. It unpins the snapshots of the newest commit, writes the last frames back, and pins the
/// snapshots again. They then read the file alone, and the next commit starts the log again.
///
/// short ─commit past half of the limit→ writing back ─done→ due ─restarted→ short
/// writing back ─commit past the limit→ commits wait for the write-back
/// due ─restart impossible→ short until another sixteenth of the limit is written
/// due ─another sixteenth is written→ writing back again, then due with new patience
struct CheckpointRule: Sendable {
  /// The default time for which commits wait until the view context is up to date.
  static let patience = Duration.milliseconds(10)

  /// The step to take after a commit.
  enum Step {
    case nothing
    /// Write the log back beside the writer.
    case writeBack
    /// Let commits wait, because they are faster than the disk.
    case hold
  }

  /// The length of the log, in frames, past which commits wait for a write-back.
  let limit: Int
  private var nextAttempt: Int
  private(set) var isDue = false
  private(set) var isWritingBack = false
  /// The length of the log, in frames, from which a write-back can be demanded.
  private var nextDemand = 1
  /// The length, in frames, from which commits wait during the current write-back.
  private var longest = 0

  init(limit: Int) {
    self.limit = limit
    nextAttempt = max(1, limit / 2)
  }

  /// Notes a commit that left the log with `frames` frames, and returns the next step.
  ///
  /// - Parameter isDemanded: whether the file needs the log before the log is long. After an attempt
  ///   without success, the log doubles before the next attempt.
  mutating func didCommit(frames: Int, isDemanded: Bool = false) -> Step {
    if isWritingBack { return frames < longest ? .nothing : .hold }
    let half = max(1, limit / 2)
    if frames < half { nextAttempt = half }
    // An attempt stays due after its patience has run out, but commits no longer wait for it.
    if isDemanded && frames >= nextDemand {
      nextDemand = 2 * frames
    } else if frames < nextAttempt {
      return .nothing
    }
    // Two checkpoints must never overlap: SQLite before 3.51.3 could then lose commits.
    isDue = false
    isWritingBack = true
    nextAttempt = frames + max(1, limit / 16)
    longest = max(limit, nextAttempt)
    return .writeBack
  }

  /// Notes that the log is written back, except for the newest commits.
  mutating func didWriteBack() {
    isWritingBack = false
    isDue = true
  }

  /// Ends the attempt, successful or not.
  mutating func endAttempt() { isDue = false }
}
