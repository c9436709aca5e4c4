// expect: type 'Book' does not conform to protocol 'Entity'
// An entity has an initialiser without parameters, which default values make.
import Foundation
import Strata

struct Book: Entity {
  var id: Int
  var title: String
  static let schema = Schema<Book>("books", key: \.id) { Attribute(\.title) }
}
