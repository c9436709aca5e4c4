// expect: type 'Book' does not conform to protocol 'Entity'
// An entity has a schema.
import Foundation
import Strata

struct Book: Entity {
  var id = 0
}
