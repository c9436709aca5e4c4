internal import Synchronization

/// Counts the pieces of work that tasks did on their own threads, in the place of an executor.
///
/// Such work suspends no task. A task that reads or saves in a loop would keep its thread for good,
/// and two of them would hold a pool of two threads.
package struct TurnCounter: ~Copyable, Sendable {
  private let turns = Atomic(0)

  /// The number of turns after which other tasks get the thread.
  private static let limit = 32

  package init() {}

  /// Counts a piece of work that has ended; every 32nd time, it lets other tasks run first.
  package nonisolated(nonsending) func endTurn() async {
    if turns.add(1, ordering: .relaxed).newValue % Self.limit == 0 { await Task.yield() }
  }
}
