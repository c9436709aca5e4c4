import Foundation
import Strata

/// An earthquake, as the server reports it.
struct Quake: Entity {
  var id = ""
  var place: String?
  var magnitude: Double?
  var time = Date.now

  static let notes = toMany(\Note.quakeID)
  static let schema = Schema<Quake>("quakes", key: \.id) {
    Attribute(\.place)
    Attribute(\.magnitude)
    Attribute(\.time).indexed()
    notes
  }
}
