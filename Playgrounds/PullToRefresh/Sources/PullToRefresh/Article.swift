import Foundation
import Strata
import StrataImport

/// An article of the server, with the user's own mark.
struct Article: Entity, Equatable {
  var id = 0
  var title = ""
  var isRead = false

  static let schema = Schema<Article>("articles", key: \.id) {
    Attribute(\.title)
    Attribute(\.isRead)
  }

  /// The mapping of the server's articles.
  ///
  /// The server does not have `isRead`, so no import changes it.
  static let json = JSONMapping<Article> {
    Field(\.id, "id")
    Field(\.title, "headline").required()
  }
}
