/// Whether the server has the edits of a row.
public enum RowStatus: Sendable, Hashable {
  /// No edit of the row waits.
  case settled
  /// The server does not have the edits yet, or has not confirmed them.
  case waiting
  /// The server has refused the edits. ``Replica/refused()`` says why.
  case refused
}
