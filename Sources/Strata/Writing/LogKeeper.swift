internal import StrataSQLite

/// Decides when the write-ahead log is written back and started again, and when its growth is news.
final class LogKeeper {
  private static let pageSize = 4096

  private var checkpoints: CheckpointRule
  private var growth: LogGrowth
  /// How long commits wait for the view context to come to rest.
  let patience: Duration

  init(_ options: StoreOptions) {
    let limit = max(1, options.logLimit / Self.pageSize)
    checkpoints = CheckpointRule(limit: limit)
    growth = LogGrowth(limit: limit)
    patience = options.logPatience
  }

  func didCommit(frames: Int) -> CheckpointRule.Step { checkpoints.didCommit(frames: frames) }

  func didWriteBack() { checkpoints.didWriteBack() }

  /// The log's length in bytes if its growth is news; asked after a commit.
  func news(frames: Int) -> Int? {
    growth.isNews(frames: frames) ? frames * (Self.pageSize + Connection.frameHeaderSize) : nil
  }

  /// Whether the log is to be started again now.
  ///
  /// - Returns: false too if there is no attempt under way; an attempt is ended by this.
  func endAttempt() -> Bool {
    defer { checkpoints.endAttempt() }
    return checkpoints.isDue
  }
}
