import Foundation
import Strata

/// A note of the user about an earthquake.
struct Note: Entity {
  var id = UUID.timeOrdered()
  var quakeID = ""
  var text = ""

  static let quake = toOne(\.quakeID, Quake.self, onDelete: .deny)
  static let schema = Schema<Note>("notes", key: \.id) {
    quake
    Attribute(\.text).validated(length: 1...)
  }
}
