import Foundation
import StrataTesting

@testable import Strata

/// A row of a cache, which comes from a server, has a date, and is referred to in every way.
struct Article: Entity, Equatable {
  var id = 0
  var title = ""
  var fetched = Date(timeIntervalSinceReferenceDate: 0)
  var read: Date?
  var isDirty = false
  var parentID: Article.ID?

  static let parent = toOne(\.parentID, Article.self, onDelete: .nullify)
  static let schema = Schema<Article>("articles", key: \.id) {
    Attribute(\.title)
    Attribute(\.fetched).indexed()
    Attribute(\.read)
    Attribute(\.isDirty)
    parent
  }

  init() {}

  /// Makes an article that was fetched some seconds after the reference date.
  init(_ id: Int, _ seconds: Double = 0, parent: Int? = nil) {
    self.id = id
    fetched = Date(timeIntervalSinceReferenceDate: seconds)
    parentID = parent
  }
}

/// A bookmark, which loses its article when the article is deleted.
struct Bookmark: Entity, Equatable {
  var id = 0
  var articleID: Article.ID?
  static let article = toOne(\.articleID, Article.self, onDelete: .nullify)
  static let schema = Schema<Bookmark>("bookmarks", key: \.id) { article }
}

/// A picture, which is deleted with its article.
struct Picture: Entity, Equatable {
  var id = 0
  var articleID = 0
  var caption = ""
  static let article = toOne(\.articleID, Article.self, onDelete: .cascade)
  static let schema = Schema<Picture>("pictures", key: \.id) {
    article
    Attribute(\.caption)
  }
}

/// A quotation, which denies the deletion of its article.
struct Quotation: Entity, Equatable {
  var id = 0
  var articleID = 0
  static let article = toOne(\.articleID, Article.self, onDelete: .deny)
  static let schema = Schema<Quotation>("quotations", key: \.id) { article }
}

extension ManualClock {
  /// Sets the date to some seconds after the reference date.
  func set(_ seconds: Double) { date = Date(timeIntervalSinceReferenceDate: seconds) }
}
