import Foundation

@testable import Strata

/// What a cache holds: from a server, with a date, referred to in every way.
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

  /// An article that was fetched some seconds after the reference date.
  init(_ id: Int, _ seconds: Double = 0, parent: Int? = nil) {
    self.id = id
    fetched = Date(timeIntervalSinceReferenceDate: seconds)
    parentID = parent
  }
}

/// Loses its article.
struct Bookmark: Entity, Equatable {
  var id = 0
  var articleID: Article.ID?
  static let article = toOne(\.articleID, Article.self, onDelete: .nullify)
  static let schema = Schema<Bookmark>("bookmarks", key: \.id) { article }
}

/// Goes with its article.
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

/// Keeps its article.
struct Quotation: Entity, Equatable {
  var id = 0
  var articleID = 0
  static let article = toOne(\.articleID, Article.self, onDelete: .deny)
  static let schema = Schema<Quotation>("quotations", key: \.id) { article }
}

/// A clock that tests set, at the reference date first.
final class ManualTime: Sendable {
  private let seconds = Lock(0.0)

  func set(_ seconds: Double) { self.seconds.withLock { $0 = seconds } }
  var now: Date { Date(timeIntervalSinceReferenceDate: seconds.withLock { $0 }) }

  /// Options of a stack that goes by this clock.
  var options: Stack.Options {
    var options = Stack.Options()
    options.now = { self.now }
    return options
  }
}
