import Foundation
import Strata

/// Live queries of every kind over the view context of a random history.
@MainActor
struct ContextScreen {
  let tables: TableQueries
  private let filtered: LiveQuery<Book>
  private let window: LiveQuery<Book>
  private let ofShelf: LiveQuery<Book>
  private let readings: [LiveQuery<Book>]
  private let sections: SectionedLiveQuery<Book, Int>
  private let count: LiveValue<Int>
  private let greatest: LiveValue<Int?>
  let generated: GeneratedLive

  init(_ view: ViewContext, _ query: PlainQuery) async throws {
    tables = try await TableQueries(view)
    filtered = view.live(Book.where { $0.first == 1 }.sorted(by: \.second))
    window = view.live(Book.sorted(by: \.second, order: .reverse).limit(2))
    ofShelf = view.live(Shelf.books(of: 1))
    readings = (0..<3).map { view.live(Topic.reading(of: $0)) }
    sections = view.live(Book.sorted(by: \.second), sectionedBy: \.first)
    count = view.live(.count, of: Book.where { $0.first == 1 })
    greatest = view.live(.max(\.second), of: Book.all)
    generated = GeneratedLive(view, query)
    try await filtered.waitUntilLoaded()
    try await window.waitUntilLoaded()
    try await ofShelf.waitUntilLoaded()
    for live in readings { try await live.waitUntilLoaded() }
    try await sections.waitUntilLoaded()
    try await count.waitUntilLoaded()
    try await greatest.waitUntilLoaded()
    try await generated.waitUntilLoaded()
  }

  /// Compares the shown results with the model.
  func check(_ history: ContextHistory, isAtRest: Bool = false) throws {
    let shown = try history.shown()
    let contents = contents
    try history.require(contents.isComplete, "a live query is not loaded any more")
    // Under unsaved edits, a filter on related rows is not exact.
    let difference = contents.difference(from: shown, isAtRest: isAtRest, isEdited: true)
    try history.require(
      difference == nil, "\(difference ?? "") at commit \(history.view.commit)")
    try checkReadings(history, shown)
    try checkConflicts(history)
  }

  /// The elements and values of the loaded live queries.
  private var contents: ScreenContents {
    var contents = tables.contents
    contents.filtered = ScreenContents.elements(of: filtered)
    contents.window = ScreenContents.elements(of: window)
    contents.shelved = ScreenContents.elements(of: ofShelf)
    contents.sections = ScreenContents.sections(of: sections)
    contents.count = count.value
    contents.greatest = greatest.value
    contents.generated = generated.contents
    return contents
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

  /// Checks that the view context lists every edit that would conflict.
  ///
  /// It can list all of them, because every edit started from a shown row.
  private func checkConflicts(_ history: ContextHistory) throws {
    guard history.saving == nil, let base = history.states[history.view.commit] else { return }
    try history.require(
      history.view.hasChanges == !history.pending.isEmpty, "hasChanges: \(history.view.hasChanges)")
    try history.require(
      (history.view.saveError != nil) == history.hasFailed,
      "saveError: \(history.view.saveError.map { "\($0)" } ?? "none")")
    let expected = base.conflicts(with: history.pending)
    let found = history.view.conflicts.compactMap(\.plainName)
    // After a failed save the list has conflicts with later commits than the context shows.
    let isKnown =
      !history.hasFailed
      ? Set(expected) == Set(found) : Set(expected).isSubset(of: found)
    try history.require(isKnown, "the conflicts are \(found), not \(expected.sorted())")
  }
}
