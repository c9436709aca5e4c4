internal import Synchronization

/// The number of the newest commit, readable from anywhere without waiting.
final class NewestCommit: Sendable {
  private let number = Atomic<Int64>(0)

  /// Sets the number; only the writer calls this.
  func set(_ commit: Int64) { number.store(commit, ordering: .releasing) }
  var value: Int64 { number.load(ordering: .acquiring) }
}
