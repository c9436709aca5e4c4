internal import StrataReplica

extension ReplicaError {
  static func unsuitable(_ message: String) -> ReplicaError {
    ReplicaError(.unsuitableServer, message, advice: "change the entity, or the server's table")
  }

  /// Whether a statement fails because a name or a type in it is another one by now.
  var isAboutNames: Bool {
    ["42P01", "42703", "3F000", "42804", "42883"].contains(sqlState)
  }
}
