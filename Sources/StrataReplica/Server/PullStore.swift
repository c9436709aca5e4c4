package import Strata

/// The store of a replica, as a follower asks it in the middle of a pull.
///
/// A server that keeps in its own records what each store has needs none of this.
package protocol PullStore: Sendable {
  /// Returns the keys of the rows that the pull reads although they may not have changed, by the name of their
  /// table: rows whose edits wait or were given up, and withheld rows that the store may have now.
  ///
  /// - Parameters:
  ///   - tables: the tables of which not all rows are read.
  ///   - changed: the names of the tables in which rows have changed.
  ///   - client: the server's knowledge of the replica.
  func keysBeside(
    _ changed: Set<String>, of tables: [Table], _ client: ServerClient?
  ) async throws(ReplicaError) -> [String: Set<RecordKey>]

  /// Returns those of some rows that may enter the store. The rows that are followed with them do so, too.
  func entering(
    _ keys: Set<RecordKey>, in table: Table
  ) async throws(ReplicaError) -> Set<RecordKey>

  /// Removes the rows that an earlier pull has staged.
  func clearStage() async throws(ReplicaError)

  /// Keeps rows on the disk of this host until the answer is applied.
  func stage(_ rows: ServerRows) async throws(ReplicaError)
}
