// expect: an entity refers to another one by its key
// An entity does not contain another entity.
import Foundation
import Strata

struct Author: Entity {
  var id = 0
  static let schema = Schema<Author>("authors", key: \.id) {}
}
struct Book: Entity {
  var id = 0
  var author = Author()
  static let schema = Schema<Book>("books", key: \.id) { Attribute(\.author) }
}
