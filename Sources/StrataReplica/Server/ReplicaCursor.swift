package import Foundation

/// The state of the server that a store has.
///
/// It is stored in the transaction that applies the rows. A cursor stored before its rows would lose
/// rows in a crash.
package struct ReplicaCursor: Sendable, Equatable, Codable {
  package let epoch: UUID
  package let server: String
  package let snapshot: ServerSnapshot
  /// The fingerprints of the tables as of the snapshot.
  package let shapes: [String: String]

  package init(epoch: UUID, server: String, snapshot: ServerSnapshot, shapes: [String: String]) {
    self.epoch = epoch
    self.server = server
    self.snapshot = snapshot
    self.shapes = shapes
  }

  /// Creates the cursor of a head; nil on a standby, which cannot be followed.
  package init?(_ head: ServerHead) {
    guard let server = head.server else { return nil }
    self.init(epoch: head.epoch, server: server, snapshot: head.snapshot, shapes: head.shapes)
  }
}
