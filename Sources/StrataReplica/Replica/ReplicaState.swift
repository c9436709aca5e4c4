public import Foundation

/// The work of a replica, and the numbers of edits that wait in its store.
///
/// ```swift
/// for await state in replica.monitor.updates {
///   print(state.phase, state.waiting, state.refused)
/// }
/// ```
public struct ReplicaState: Sendable {
  /// The work of a replica.
  public enum Phase: Sendable {
    /// It looks for the server.
    case connecting
    /// It reads all rows; the number of rows so far. Until it ends, the store has no state that the
    /// server had.
    case copying(rows: Int)
    /// The store has what the server has, up to a moment ago.
    case live
    /// The server cannot be reached or followed. The replica tries again, at least every 30 s.
    case offline(since: Date, ReplicaError)
  }

  /// The work of the replica.
  public package(set) var phase = Phase.connecting
  /// The number of edited rows that the server does not have yet, or has not confirmed.
  public package(set) var waiting = 0
  /// The number of edited rows that the server refused.
  public package(set) var refused = 0
  /// The number of rows of the server that the store cannot have. ``Replica/withheld()`` names them.
  public package(set) var withheld = 0
  /// The reason for which the server takes no edits at all, such as a server that only reads; nil if it
  /// takes them. Rows of the server go on to come, and the edits wait for the next attempt.
  public package(set) var pushFailure: ReplicaError?

  package init() {}

  /// Whether the store follows the server, and nothing waits.
  public var isSettled: Bool { if case .live = phase { waiting == 0 } else { false } }
}

extension ReplicaState.Phase: CustomStringConvertible {
  public var description: String {
    switch self {
    case .connecting: "connecting"
    case .copying(let rows): "copying, \(rows) rows so far"
    case .live: "live"
    case .offline(let since, let error): "offline since \(since): \(error)"
    }
  }
}
