import Foundation
import Strata
import StrataImport

/// An article of the server, with the user's own mark.
struct Article: Entity, Equatable {
  /// The server's id. An article that was written here has a negative number until it is sent.
  var id = 0
  /// The identity of an article that was written in an app. The server keeps it.
  var localID: UUID?
  /// The number by which readers quote the article.
  var number: Int?
  var title = ""
  /// The server's version, which counts every change of the article.
  var version = 0
  var isRead = false

  static let schema = Schema<Article>("articles", key: \.id) {
    Attribute(\.localID).unique()
    Attribute(\.number).unique()
    Attribute(\.title)
    Attribute(\.version)
    Attribute(\.isRead)
  }

  /// The mapping of the server's articles.
  ///
  /// The server does not have `isRead`, so no import changes it, and no push sends it. It makes `version`
  /// itself.
  static let json = JSONMapping<Article> {
    Field(\.id, "id")
    Field(\.localID, "client_id")
    Field(\.number, "number")
    Field(\.title, "headline").required()
    Field(\.version, "version").readOnly()
  }.matching(\.localID)
}

extension Newsroom.Item {
  /// The server's article as the app has it.
  init(_ article: Article) {
    self.init(
      id: article.id, number: article.number, headline: article.title, clientID: article.localID,
      version: article.version)
  }
}
