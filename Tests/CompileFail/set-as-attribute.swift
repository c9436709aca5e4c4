// expect: an attribute may be an array, which keeps its order
// The elements of a set have no order, so equal sets would be stored differently.
import Foundation
import Strata

struct Book: Entity {
  var id = 0
  var tags: Set<String> = []
  static let schema = Schema<Book>("books", key: \.id) { Attribute(\.tags) }
}
