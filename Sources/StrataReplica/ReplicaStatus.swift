/// What a replica does, and how far it is.
package enum ReplicaStatus: Sendable {
  /// It looks for the server.
  case connecting
  /// It reads all rows; the number of rows so far.
  case copying(rows: Int)
  /// The store has what the server has, up to a moment ago.
  case live
  /// The server cannot be reached, or cannot be followed.
  case offline(ReplicaError)
}
