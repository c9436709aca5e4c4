import Foundation
import Strata

/// Live queries of every kind over the view context of a random history.
@MainActor
struct ContextScreen {
  let shelves: LiveQuery<Shelf>
  let books: LiveQuery<Book>
  let pages: LiveQuery<Page>
  let loans: LiveQuery<Loan>
  let topics: LiveQuery<Topic>
  private let filtered: LiveQuery<Book>
  private let window: LiveQuery<Book>
  private let ofShelf: LiveQuery<Book>
  private let readings: [LiveQuery<Book>]
  private let sections: SectionedLiveQuery<Book, Int>
  private let count: LiveValue<Int>
  private let greatest: LiveValue<Int?>

  init(_ view: ViewContext) async throws {
    shelves = view.live(Shelf.all)
    books = view.live(Book.all)
    pages = view.live(Page.all)
    loans = view.live(Loan.all)
    topics = view.live(Topic.all)
    filtered = view.live(Book.where { $0.first == 1 }.sorted(by: \.second))
    window = view.live(Book.sorted(by: \.second, order: .reverse).limit(2))
    ofShelf = view.live(Shelf.books(of: 1))
    readings = (0..<3).map { view.live(Topic.reading(of: $0)) }
    sections = view.live(Book.sorted(by: \.second), sectionedBy: \.first)
    count = view.live(.count, of: Book.where { $0.first == 1 })
    greatest = view.live(.max(\.second), of: Book.all)
    try await shelves.waitUntilLoaded()
    try await books.waitUntilLoaded()
    try await pages.waitUntilLoaded()
    try await loans.waitUntilLoaded()
    try await topics.waitUntilLoaded()
    try await filtered.waitUntilLoaded()
    try await window.waitUntilLoaded()
    try await ofShelf.waitUntilLoaded()
    for live in readings { try await live.waitUntilLoaded() }
    try await sections.waitUntilLoaded()
    try await count.waitUntilLoaded()
    try await greatest.waitUntilLoaded()
  }

  /// Compares the shown results with the model.
  func check(_ history: ContextHistory, isAtRest: Bool = false) throws {
    let shown = try history.shown()
    try check(shelves, shown, history)
    try check(books, shown, history)
    try check(pages, shown, history)
    try check(loans, shown, history)
    try check(topics, shown, history)
    let rows = shown.rows(.books).map { Book(key: $0.key, $0.value) }.sorted { $0.id < $1.id }
    func expect(_ found: [Book], _ expected: [Book], _ name: String) throws {
      try history.require(
        found == expected,
        "\(name) shows \(found.map { "\($0.id): \(history.words($0.row))" }), not "
          + "\(expected.map { "\($0.id): \(history.words($0.row))" }) at commit \(history.view.commit)"
      )
    }
    let ones = rows.filter { $0.first == 1 }
    try expect(Array(filtered.elements), stably(ones) { $0.second < $1.second }, "a filter")
    let top = Array(stably(rows) { $0.second > $1.second }.prefix(2))
    // A window may be shorter while it is filled again.
    let found = Array(window.elements)
    try expect(found, isAtRest ? top : Array(top.prefix(found.count)), "a window")
    let shelved = shown[.shelves, 1] == nil ? [] : rows.filter { $0.shelfID == 1 }
    try expect(Array(ofShelf.elements), shelved, "a relationship")
    let names = Set(rows.map(\.first)).sorted()
    try history.require(
      sections.sections.map(\.name) == names, "the sections are \(sections.sections.map(\.name))")
    for section in sections.sections {
      let expected = stably(rows.filter { $0.first == section.name }) { $0.second < $1.second }
      try expect(Array(section.elements), expected, "section \(section.name)")
    }
    try history.require(count.value == ones.count, "the count is \(count.value ?? -1)")
    try history.require(
      greatest.value == .some(rows.map(\.second).max()),
      "the greatest is \(String(describing: greatest.value))")
    try checkReadings(history, shown)
    try checkConflicts(history)
  }

  /// Compares the shown ordered links with the links of some rows.
  func checkReadings(_ history: ContextHistory, _ shown: PlainRows) throws {
    for (topic, live) in readings.enumerated() {
      try history.require(
        live.elements.map(\.id) == shown.reading(of: topic),
        "topic \(topic) reads \(live.elements.map(\.id)), not \(shown.reading(of: topic)), "
          + "at commit \(history.view.commit)")
    }
  }

  private func check<E: PlainEntity>(
    _ live: LiveQuery<E>, _ shown: PlainRows, _ history: ContextHistory
  ) throws {
    let found = Dictionary(uniqueKeysWithValues: live.elements.map { ($0.id, $0.row) })
    let expected = shown.rows(E.table)
    for key in Set(found.keys).union(expected.keys).sorted() where found[key] != expected[key] {
      try history.require(
        false,
        "\(E.table) \(key) is shown as \(history.words(found[key])), not "
          + "\(history.words(expected[key])), at commit \(history.view.commit)")
    }
  }

  private func stably(_ books: [Book], _ isBefore: (Book, Book) -> Bool) -> [Book] {
    books.enumerated().sorted {
      isBefore($0.element, $1.element)
        || !isBefore($1.element, $0.element) && $0.offset < $1.offset
    }.map(\.element)
  }

  /// Checks that the view context lists every edit that would conflict.
  ///
  /// It can list all of them, because every edit started from a shown row.
  private func checkConflicts(_ history: ContextHistory) throws {
    guard history.saving == nil, let base = history.states[history.view.commit] else { return }
    try history.require(
      history.view.hasChanges == !history.pending.isEmpty, "hasChanges: \(history.view.hasChanges)")
    let expected = base.conflicts(with: history.pending)
    let found = history.view.conflicts.compactMap(\.plainName)
    // After a failed save the list has conflicts with later commits than the context shows.
    let isKnown = Set(expected).isSubset(of: found)
    try history.require(isKnown, "the conflicts are \(found), not \(expected.sorted())")
  }
}
