package import Foundation

/// The state of the server that a store has.
///
/// It is stored in the transaction that applies the rows. A cursor stored before its rows would lose
/// rows in a crash.
package struct ReplicaCursor: Sendable, Equatable {
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

extension ReplicaCursor: Codable {
  private enum CodingKeys: String, CodingKey { case epoch, server, snapshot, shapes }

  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      epoch: try values.decode(UUID.self, forKey: .epoch),
      server: try values.decode(String.self, forKey: .server),
      snapshot: try ServerSnapshot(values.decode(String.self, forKey: .snapshot)),
      shapes: try values.decode([String: String].self, forKey: .shapes))
  }

  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(epoch, forKey: .epoch)
    try values.encode(server, forKey: .server)
    try values.encode(snapshot.text, forKey: .snapshot)
    try values.encode(shapes, forKey: .shapes)
  }
}
