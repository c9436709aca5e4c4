import Foundation
import Strata

/// Live queries over a view context. Optional live queries are opened and closed meanwhile.
@MainActor
final class RaceScreen {
  /// A live query that is not always open.
  enum OptionalQuery: CaseIterable {
    case filtered, window, shelved, sections, count, greatest, least, sum, related, words, places
  }

  private let view: ViewContext
  let tables: TableQueries
  private var filtered: LiveQuery<Book>?
  private var window: LiveQuery<Book>?
  private var windowList: RaceList<Book>?
  private var shelved: LiveQuery<Book>?
  private var sections: SectionedLiveQuery<Book, Int>?
  private var sectionLists: RaceList<[Book]>?
  private var count: LiveValue<Int>?
  private var greatest: LiveValue<Int?>?
  private var least: LiveValue<Int?>?
  private var sum: LiveValue<Int>?
  /// The pages of the books with first = 1. A change of a book has to read its pages, so the turn
  /// can be interrupted. The query is exact only without unsaved edits.
  private var related: LiveQuery<Page>?
  /// The books whose word says second = 1. The query is exact only without unsaved edits.
  private var words: LiveQuery<Book>?
  /// The books whose place says second = 1 or more.
  private var places: LiveQuery<Book>?
  private var generated: GeneratedLive?

  init(_ view: ViewContext) async throws {
    self.view = view
    tables = try await TableQueries(view)
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
      windowList = window.map { RaceList($0) }
    case .shelved: shelved = shelved == nil ? view.live(Shelf.books(of: 1)) : nil
    case .sections:
      sections =
        sections == nil ? view.live(Book.sorted(by: \.second), sectionedBy: \.first) : nil
      sectionLists = sections.map { RaceList($0) }
    case .count: count = count == nil ? view.live(.count, of: Book.where { $0.first == 1 }) : nil
    case .related: related = related == nil ? view.live(Page.where { $0.book.first == 1 }) : nil
    case .words:
      if !PlainSchema.current.hasWords { return }
      words = words == nil ? view.live(Book.where { $0.matches(Book.word(1)) }) : nil
    case .places:
      let east = GeoRegion(south: 0.5, west: 0.5, north: 3, east: 3)
      places = places == nil ? view.live(Book.where { $0.location.isIn(east) }) : nil
    case .least: least = least == nil ? view.live(.min(\.second), of: Book.all) : nil
    case .sum: sum = sum == nil ? view.live(.sum(\.second), of: Book.all) : nil
    case .greatest: greatest = greatest == nil ? view.live(.max(\.second), of: Book.all) : nil
    }
  }

  /// Opens a generated query, changes it to another one, or closes it.
  func show(_ query: PlainQuery?) async throws {
    let open = generated
    // A change that fails may still happen.
    generated = nil
    guard let query else { return }
    try await open?.change(to: query)
    generated = open ?? GeneratedLive(view, query)
  }

  /// Waits until every open live query has loaded.
  func waitUntilLoaded() async throws {
    try await filtered?.waitUntilLoaded()
    try await window?.waitUntilLoaded()
    try await shelved?.waitUntilLoaded()
    try await sections?.waitUntilLoaded()
    try await count?.waitUntilLoaded()
    try await greatest?.waitUntilLoaded()
    try await least?.waitUntilLoaded()
    try await sum?.waitUntilLoaded()
    try await related?.waitUntilLoaded()
    try await words?.waitUntilLoaded()
    try await places?.waitUntilLoaded()
    try await generated?.waitUntilLoaded()
  }

  /// Waits until the lists that follow updates are those of their live queries.
  func restOfLists() async throws {
    try await windowList?.rest()
    try await sectionLists?.rest()
  }

  /// The elements and values of the loaded live queries.
  var contents: ScreenContents {
    var contents = tables.contents
    contents.filtered = ScreenContents.elements(of: filtered)
    contents.window = ScreenContents.elements(of: window)
    contents.shelved = ScreenContents.elements(of: shelved)
    contents.sections = ScreenContents.sections(of: sections)
    contents.count = count?.value
    contents.greatest = greatest?.value
    contents.least = least?.value
    contents.sum = sum?.value
    contents.words = ScreenContents.elements(of: words)
    contents.places = ScreenContents.elements(of: places)
    contents.generated = generated?.contents
    contents.related = ScreenContents.elements(of: related)
    return contents
  }
}
