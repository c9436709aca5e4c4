// expect: an attribute is a stored 'var' of the entity
// A constant cannot be read from the store.
import Strata

struct Song: Entity {
  var id = 0
  let title = ""
  static let schema = Schema<Song>("songs", key: \.id) { Attribute(\.title) }
}
