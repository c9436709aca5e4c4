// expect: stored property 'id' of 'Sendable'-conforming class 'Book' is mutable
// An entity is a value.
import Foundation
import Strata

final class Book: Entity {
  var id = 0
  static let schema = Schema<Book>("books", key: \.id) {}
}
