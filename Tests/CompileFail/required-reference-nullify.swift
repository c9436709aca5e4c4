// expect: a reference that is never nil needs a rule
// A reference that is never nil cannot become nil when its target is deleted.
import Foundation
import Strata

struct Author: Entity {
  var id = UUID()
  static let schema = Schema<Author>("authors", key: \.id) {}
}
struct Book: Entity {
  var id = UUID()
  var authorID = UUID()
  static let author = toOne(\.authorID, Author.self, onDelete: .nullify)
  static let schema = Schema<Book>("books", key: \.id) { author }
}
