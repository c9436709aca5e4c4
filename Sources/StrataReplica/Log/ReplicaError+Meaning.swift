extension ReplicaError {
  /// Whether the server has answered: the connection is fine, and the server goes on to give rows.
  var isAnswer: Bool { [.refused, .unsuitableServer, .unreadable].contains(code) }

  /// The meaning of an error for the statement that has failed.
  package enum Meaning: Sendable {
    /// The connection is gone, or the error is about the store.
    case connection
    /// Other transactions were in the way: the same transaction may succeed at the next attempt.
    case passing
    /// The server takes no statement of this kind now: it only reads, or it lacks room.
    case server
    /// A row, or a right, is the reason, and it stays so.
    case row
    /// A row may be the reason. It is, if the error comes again for this row alone.
    case suspectedRow
  }

  /// The meaning of PostgreSQL's code.
  package var meaning: Meaning {
    guard code == .refused, let sqlState else { return .connection }
    if ["40001", "40P01", "55P03"].contains(sqlState) { return .passing }
    switch sqlState.prefix(2) {
    case "25", "40", "53": return .server
    case "08": return .connection
    case "54", "55", "57", "58", "XX": return .suspectedRow
    default: return .row
    }
  }
}
