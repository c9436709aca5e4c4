import Foundation
import Strata
import StrataImport

/// What the app shows: the server's words, and a mark of the user's own.
struct Article: Entity, Equatable {
  var id = 0
  var title = ""
  var isRead = false

  static let schema = Schema<Article>("articles", key: \.id) {
    Attribute(\.title)
    Attribute(\.isRead)
  }

  /// The server does not know what was read, so no import touches it.
  static let json = JSONMapping<Article> {
    Field(\.id, "id")
    Field(\.title, "headline").required()
  }
}
