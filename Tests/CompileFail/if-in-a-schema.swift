// expect: a schema always has the same elements: write no 'if'
// A schema that changes from run to run would migrate the store each time.
import Foundation
import Strata

struct Book: Entity {
  var id = 0
  var title = ""
  static let schema = Schema<Book>("books", key: \.id) { if true { Attribute(\.title) } }
}
