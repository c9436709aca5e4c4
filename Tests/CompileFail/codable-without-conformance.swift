// expect: declare the type as an attribute's type: 'struct Address: JSONValue'
// A Codable type is stored as JSON once it declares the conformance.
import Foundation
import Strata

struct Address: Codable { var city = "" }
struct Book: Entity {
  var id = 0
  var address = Address()
  static let schema = Schema<Book>("books", key: \.id) { Attribute(\.address) }
}
