// expect: the key is a stored 'var' of the entity: 'var id'
// A key that is a constant cannot be read from the store.
import Foundation
import Strata

struct Book: Entity {
  let id = UUID()
  var title = ""
  static let schema = Schema<Book>("books", key: \.id) { Attribute(\.title) }
}
