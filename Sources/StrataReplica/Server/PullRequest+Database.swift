package import Foundation

extension PullRequest {
  /// Checks that the rows of the store are those of a server's database.
  ///
  /// A follower checks before it makes the replica known to the server, and the replica before it takes the answer.
  ///
  /// - Throws: ``ReplicaError`` with code `anotherDatabase`.
  package func recognise(_ database: UUID?) throws(ReplicaError) {
    if let database, let known = self.database, known != database {
      throw ReplicaError(
        .anotherDatabase, "the server is another database than the one whose rows the store has",
        advice: "connect to the former database, or call adoptDatabase() if this one is meant")
    }
  }
}
