internal import CStrataSQLite
internal import Synchronization

/// Counts the statements that connections run, for tests.
///
/// SQLite reports each statement as it starts. A connection without a counter has no cost.
package final class StatementCounter: Sendable {
  private let started = Atomic(0)

  package init() {}

  /// The number of statements that were started since the counter was made.
  package var count: Int { started.load(ordering: .acquiring) }

  fileprivate func add() { started.add(1, ordering: .acquiringAndReleasing) }
}

extension Connection {
  /// Counts every statement that starts from this call on; nil ends the counting.
  ///
  /// The counter must outlive the connection, or the caller must end the counting first.
  package func count(with counter: StatementCounter?) {
    guard let counter else {
      sqlite3_trace_v2(handle, 0, nil, nil)
      return
    }
    sqlite3_trace_v2(
      handle, UInt32(SQLITE_TRACE_STMT),
      { _, context, _, _ in
        guard let context else { return 0 }
        Unmanaged<StatementCounter>.fromOpaque(context).takeUnretainedValue().add()
        return 0
      }, Unmanaged.passUnretained(counter).toOpaque())
  }
}
