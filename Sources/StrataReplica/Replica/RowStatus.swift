/// Whether the server has the edits of a row, for a badge or a line of a list.
///
/// ```swift
/// print("\(song.title), \(replica.monitor.status(of: song))")  // So What, waits
/// ```
public enum RowStatus: Sendable, Hashable {
  /// No edit of the row waits.
  case settled
  /// The server does not have the edits yet, or has not confirmed them.
  case waiting
  /// The server has refused the edits. ``Replica/refused()`` gives the reason.
  case refused
}

/// The status in plain words: *the server has it*, *waits* or *refused*.
extension RowStatus: CustomStringConvertible {
  public var description: String {
    switch self {
    case .settled: "the server has it"
    case .waiting: "waits"
    case .refused: "refused"
    }
  }
}
