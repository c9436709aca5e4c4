package import Foundation

/// The knowledge that a pull needs before it trusts the rows that it reads.
///
/// All of it is read in the pull's transaction, so it has the rows' snapshot.
package struct ServerHead: Sendable, Equatable {
  /// The version of Strata's objects on the server.
  package var format: Int
  /// A number that changes when a backup was restored (`strata.invalidate()`).
  package var epoch: UUID
  /// Identifies the cluster, the database and the timeline; nil on a standby.
  package var server: String?
  /// The snapshot up to which the log of keys was pruned.
  package var horizon: ServerSnapshot
  package var snapshot: ServerSnapshot
  /// The end of the write-ahead log when the snapshot was taken; nil on a standby.
  package var written: LogPosition?
  /// A fingerprint of the triggers, partitions, columns, rights and policies of each table.
  package var shapes: [String: String]
  /// The server's knowledge of the replica; nil if it does not know the replica.
  package var client: ServerClient?
  /// Tells the server's data from those of another database. Copies of the data keep it, such as a
  /// standby or a restored backup.
  package var database: UUID?

  package init(
    format: Int, epoch: UUID, server: String?, horizon: ServerSnapshot, snapshot: ServerSnapshot,
    written: LogPosition?, shapes: [String: String], client: ServerClient? = nil,
    database: UUID? = nil
  ) {
    self.format = format
    self.epoch = epoch
    self.server = server
    self.horizon = horizon
    self.snapshot = snapshot
    self.written = written
    self.shapes = shapes
    self.client = client
    self.database = database
  }

  /// The version that this version of Strata reads and writes.
  package static let format = 1
}
