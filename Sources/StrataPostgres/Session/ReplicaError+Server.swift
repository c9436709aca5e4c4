internal import StrataReplica

extension ReplicaError {
  static func unsuitable(_ message: String) -> ReplicaError {
    ReplicaError(.unsuitableServer, message, advice: "change the entity, or the server's table")
  }

  /// The error of a connection string that libpq does not read.
  ///
  /// - Parameter reason: libpq's words. They may have a part of a password that has spaces.
  static func unreadableTarget(_ reason: String?) -> ReplicaError {
    ReplicaError(
      .unsuitableServer,
      "the server's address is neither a URI nor a connection string"
        + (reason.map { ": \($0)" } ?? ""),
      advice: "write postgresql://user@host/dbname, or host=… user=… dbname=…")
  }

  /// Checks that a text does not only look like a URI.
  ///
  /// libpq takes a text such as `postgres//host` as the name of a database.
  static func check(target: String) throws(ReplicaError) {
    let isURI = ["postgresql://", "postgres://"].contains(where: target.hasPrefix)
    if isURI || target.contains("=") { return }
    if target.contains(where: { "/:@".contains($0) }) { throw .unreadableTarget(nil) }
  }

  /// Whether a statement fails because a name or a type in it is another one by now.
  var isAboutNames: Bool {
    ["42P01", "42703", "3F000", "42804", "42883"].contains(sqlState)
  }
}
