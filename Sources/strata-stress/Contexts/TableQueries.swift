import Strata

/// Live queries of all rows of each table, which have loaded.
@MainActor
struct TableQueries {
  let shelves: LiveQuery<Shelf>
  let books: LiveQuery<Book>
  let pages: LiveQuery<Page>
  let loans: LiveQuery<Loan>
  let topics: LiveQuery<Topic>

  init(_ view: ViewContext) async throws {
    shelves = view.live(Shelf.all)
    books = view.live(Book.all)
    pages = view.live(Page.all)
    loans = view.live(Loan.all)
    topics = view.live(Topic.all)
    try await shelves.waitUntilLoaded()
    try await books.waitUntilLoaded()
    try await pages.waitUntilLoaded()
    try await loans.waitUntilLoaded()
    try await topics.waitUntilLoaded()
  }

  /// The rows of all tables.
  var contents: ScreenContents {
    var contents = ScreenContents()
    contents.add(shelves)
    contents.add(books)
    contents.add(pages)
    contents.add(loans)
    contents.add(topics)
    return contents
  }
}
