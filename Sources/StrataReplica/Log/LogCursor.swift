package import Foundation

/// The state of a PostgreSQL with a log of keys that a store has.
package struct LogCursor: Sendable, Equatable {
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

  /// Reads the form that the store keeps; nil if it is that of another kind of server.
  init?(_ cursor: ReplicaCursor) {
    guard let epoch = cursor.text("epoch").flatMap({ UUID(uuidString: $0) }),
      let server = cursor.text("server"), let shapes = cursor.texts("shapes"),
      let snapshot = cursor.text("snapshot").flatMap({ try? ServerSnapshot($0) })
    else { return nil }
    self.init(epoch: epoch, server: server, snapshot: snapshot, shapes: shapes)
  }

  /// The form that the store keeps. Its names stay: stores have them.
  var stored: ReplicaCursor {
    ReplicaCursor([
      "epoch": .text(epoch.uuidString), "server": .text(server), "shapes": .texts(shapes),
      "snapshot": .text(snapshot.text),
    ])
  }
}
