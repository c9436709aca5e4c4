// expect: declare the enumeration as an attribute's type: 'enum Genre: String, AttributeValue'
// An enumeration with raw values has the conversion to a cell once it declares the conformance.
import Foundation
import Strata

enum Genre: String { case jazz, soul }
struct Book: Entity {
  var id = 0
  var genre = Genre.jazz
  static let schema = Schema<Book>("books", key: \.id) { Attribute(\.genre) }
}
