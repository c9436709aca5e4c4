internal import StrataSQLite

/// The rules for writing the write-ahead log back, restarting it and reporting its growth.
final class LogKeeper {
  private static let pageSize = 4096

  private var checkpoints: CheckpointRule
  private var growth: LogGrowth
  /// The longest time for which commits wait until the view context has merged everything.
  let patience: Duration

  init(_ options: StoreOptions) {
    let limit = max(1, options.settings.logLimit / Self.pageSize)
    checkpoints = CheckpointRule(limit: limit)
    growth = LogGrowth(limit: limit)
    patience = options.settings.logPatience
  }

  /// - Parameter isDemanded: whether the file needs the log before the log is long.
  func didCommit(frames: Int, isDemanded: Bool) -> CheckpointRule.Step {
    checkpoints.didCommit(frames: frames, isDemanded: isDemanded)
  }

  /// Whether the log is being written back beside the writer.
  var isWritingBack: Bool { checkpoints.isWritingBack }

  func didWriteBack() { checkpoints.didWriteBack() }

  /// Whether the log is to be restarted as soon as the view context has merged everything.
  var isRestartDue: Bool { checkpoints.isDue }

  /// Returns the log's length in bytes after a commit if its growth is to be reported; nil
  /// otherwise.
  func lengthToReport(frames: Int) -> Int? {
    growth.noteLength(frames: frames) ? frames * (Self.pageSize + Connection.frameHeaderSize) : nil
  }

  /// Ends an attempt to restart the log.
  ///
  /// - Returns: whether the log is to be restarted now; false if no attempt is under way.
  func endAttempt() -> Bool {
    defer { checkpoints.endAttempt() }
    return checkpoints.isDue
  }
}
