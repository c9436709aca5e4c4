// expect: an attribute is a stored 'var' of the entity
// The store cannot set a computed property.
import Foundation
import Strata

struct Book: Entity {
  var id = 0
  var title = ""
  var short: String { String(title.prefix(3)) }
  static let schema = Schema<Book>("books", key: \.id) { Attribute(\.short) }
}
