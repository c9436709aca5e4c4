import Foundation
import Strata

/// Live queries over a view context. Optional live queries are opened and closed meanwhile.
@MainActor
final class RaceScreen {
  /// A live query that is not always open.
  enum OptionalQuery: CaseIterable {
    case filtered, window, shelved, sections, count, greatest, related
  }

  private let view: ViewContext
  let shelves: LiveQuery<Shelf>
  let books: LiveQuery<Book>
  let pages: LiveQuery<Page>
  let loans: LiveQuery<Loan>
  let topics: LiveQuery<Topic>
  private var filtered: LiveQuery<Book>?
  private var window: LiveQuery<Book>?
  private var shelved: LiveQuery<Book>?
  private var sections: SectionedLiveQuery<Book, Int>?
  private var count: LiveValue<Int>?
  private var greatest: LiveValue<Int?>?
  /// The pages of the books with first = 1. A change of a book has to read its pages, so the turn can be
  /// interrupted. Under unsaved edits the query is not exact, so its elements are not compared.
  private var related: LiveQuery<Page>?

  init(_ view: ViewContext) async throws {
    self.view = view
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

  /// Opens a random live query, or closes it.
  func toggle(_ random: inout SplitMix64) { toggle(random.pick(OptionalQuery.allCases)) }

  /// Opens a live query that reads at many changes.
  func readAtChanges() { if related == nil { toggle(.related) } }

  /// Opens a live query, or closes it.
  func toggle(_ query: OptionalQuery) {
    switch query {
    case .filtered:
      filtered =
        filtered == nil ? view.live(Book.where { $0.first == 1 }.sorted(by: \.second)) : nil
    case .window:
      window = window == nil ? view.live(Book.sorted(by: \.second, order: .reverse).limit(2)) : nil
    case .shelved: shelved = shelved == nil ? view.live(Shelf.books(of: 1)) : nil
    case .sections:
      sections =
        sections == nil ? view.live(Book.sorted(by: \.second), sectionedBy: \.first) : nil
    case .count: count = count == nil ? view.live(.count, of: Book.where { $0.first == 1 }) : nil
    case .related: related = related == nil ? view.live(Page.where { $0.book.first == 1 }) : nil
    case .greatest: greatest = greatest == nil ? view.live(.max(\.second), of: Book.all) : nil
    }
  }

  /// Waits until every open live query has loaded.
  func waitUntilLoaded() async throws {
    try await filtered?.waitUntilLoaded()
    try await window?.waitUntilLoaded()
    try await shelved?.waitUntilLoaded()
    try await sections?.waitUntilLoaded()
    try await count?.waitUntilLoaded()
    try await greatest?.waitUntilLoaded()
    try await related?.waitUntilLoaded()
  }

  /// The elements and values of the loaded live queries.
  var contents: ScreenContents {
    var contents = ScreenContents()
    add(shelves, to: &contents)
    add(books, to: &contents)
    add(pages, to: &contents)
    add(loans, to: &contents)
    add(topics, to: &contents)
    contents.filtered = elements(of: filtered)
    contents.window = elements(of: window)
    contents.shelved = elements(of: shelved)
    if let sections, sections.isLoaded {
      contents.sections = Dictionary(
        uniqueKeysWithValues: sections.sections.map { section in
          (section.name, section.elements.map { .init(key: $0.id, row: $0.row) })
        })
    }
    contents.count = count?.value
    contents.greatest = greatest?.value
    return contents
  }

  private func add<E: PlainEntity>(_ live: LiveQuery<E>, to contents: inout ScreenContents) {
    contents.tables[E.table] = Dictionary(
      uniqueKeysWithValues: live.elements.map { ($0.id, $0.row) })
  }

  private func elements(of live: LiveQuery<Book>?) -> [ScreenContents.Element]? {
    guard let live, live.isLoaded else { return nil }
    return live.elements.map { .init(key: $0.id, row: $0.row) }
  }
}
