// The declarations that the snippets in the article GettingStarted use.

private struct Book: Entity {
  var id = ""
  var title = ""
  var author = ""
  var year: Int?
  var isRead = false

  static let schema = Schema<Book>("books", key: \.id) {
    Attribute(\.title)
    Attribute(\.author)
    Attribute(\.year)
    Attribute(\.isRead)
  }
  static let unread = Book.where { !$0.isRead }.sorted(by: \.title)
}

private enum Shelf { static let json = "[]" }
@MainActor private var unread: LiveQuery<Book> { fatalError() }
