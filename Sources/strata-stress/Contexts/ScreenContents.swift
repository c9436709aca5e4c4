import Strata

/// The elements and values of the loaded live queries of a screen, as plain rows.
struct ScreenContents: Sendable {
  struct Element: Sendable, Equatable {
    let key: Int
    let row: PlainRow
  }

  struct Section: Sendable, Equatable {
    let name: Int
    let elements: [Element]
  }

  /// The tables that are shown whole.
  var tables: [PlainTable: [Int: PlainRow]] = [:]
  /// The books with first = 1, by second.
  var filtered: [Element]?
  /// The two books with the greatest second.
  var window: [Element]?
  /// The books of shelf 1.
  var shelved: [Element]?
  /// The books by second, in sections by first.
  var sections: [Section]?
  var count: Int?
  var greatest: Int??
  var least: Int??
  var sum: Int?
  /// The books with the word of second = 1, by their relevance: all are equally relevant.
  var words: [Element]?
  /// The books with a place of second = 1 or more.
  var places: [Element]?
  /// The pages of the books with first = 1.
  var related: [Element]?
  /// A generated query, and the books that it shows.
  var generated: (query: PlainQuery, elements: [Element])?

  /// Adds a table that is shown whole.
  @MainActor
  mutating func add<E: PlainEntity>(_ live: LiveQuery<E>) {
    tables[E.table] = Dictionary(uniqueKeysWithValues: live.elements.map { ($0.id, $0.row) })
  }

  /// Returns the elements of a live query; nil if it has not loaded.
  @MainActor
  static func elements<E: PlainEntity>(of live: LiveQuery<E>?) -> [Element]? {
    guard let live, live.isLoaded else { return nil }
    return live.elements.map { Element(key: $0.id, row: $0.row) }
  }

  /// Returns the elements of each section; nil if the live query has not loaded.
  @MainActor
  static func sections(of live: SectionedLiveQuery<Book, Int>?) -> [Section]? {
    guard let live, live.isLoaded else { return nil }
    return live.sections.map { section in
      Section(
        name: section.name,
        elements: section.elements.map { Element(key: $0.id, row: $0.row) })
    }
  }

  /// Whether every live query that is exact under unsaved edits has loaded, except for that of places.
  var isComplete: Bool {
    filtered != nil && window != nil && shelved != nil && sections != nil && count != nil
      && greatest != nil && generated != nil
  }

  /// Returns the first difference from the live queries of some rows in words; nil if there is none.
  ///
  /// - Parameters:
  ///   - isAtRest: whether windows are full.
  ///   - isEdited: whether unsaved edits are among the rows.
  func difference(from rows: PlainRows, isAtRest: Bool, isEdited: Bool) -> String? {
    for (table, shown) in tables.sorted(by: { $0.key < $1.key }) {
      let expected = rows.rows(table)
      for key in Set(shown.keys).union(expected.keys).sorted() where shown[key] != expected[key] {
        return "\(table) \(key) is shown as \(PlainEdit.words(shown[key])), "
          + "not \(PlainEdit.words(expected[key]))"
      }
    }
    let books = rows.rows(.books).map { Element(key: $0.key, row: $0.value) }
      .sorted { $0.key < $1.key }
    let bySecond = Self.stably(books) { $0.second < $1.second }
    let top = Array(bySecond.reversed().prefix(2))
    // A window may be shorter while it is filled again.
    let windowed = isAtRest ? top : Array(top.prefix(window?.count ?? 0))
    let onShelf = rows[.shelves, 1] == nil ? [] : books.filter { $0.row[3] == 1 }
    let bySection = Dictionary(grouping: bySecond, by: \.first).sorted { $0.key < $1.key }
      .map { Section(name: $0.key, elements: $0.value) }
    let ofOnes = rows.rows(.pages).filter { rows[.books, $0.value[0] ?? -1]?[0] == 1 }
      .map { Element(key: $0.key, row: $0.value) }.sorted { $0.key < $1.key }
    let differences = [
      Self.difference(filtered, bySecond.filter { $0.first == 1 }, "a filter"),
      Self.difference(window, windowed, "a window"),
      Self.difference(shelved, onShelf, "a relationship"),
      Self.difference(sections, bySection, "the sections"),
      Self.difference(count, books.count { $0.first == 1 }, "the count"),
      Self.difference(greatest, books.map(\.second).max(), "the greatest"),
      Self.difference(least, books.map(\.second).min(), "the least"),
      Self.difference(sum, books.map(\.second).reduce(0, +), "the sum"),
      Self.difference(isEdited ? nil : words, books.filter { $0.second == 1 }, "a search"),
      Self.difference(places, books.filter { $0.second >= 1 }, "a region"),
      Self.difference(isEdited ? nil : related, ofOnes, "a related filter"),
      generatedDifference(from: rows, isAtRest, isEdited),
    ]
    return differences.lazy.compactMap { $0 }.first
  }

  private func generatedDifference(
    from rows: PlainRows, _ isAtRest: Bool, _ isEdited: Bool
  ) -> String? {
    guard let (query, elements) = generated, !isEdited || !query.isRelated else { return nil }
    let found = query.elements(in: rows)
    let mayBeShorter = query.isWindow && !isAtRest
    return Self.difference(
      elements, mayBeShorter ? Array(found.prefix(elements.count)) : found, "\(query)")
  }

  private static func difference<Value: Equatable>(
    _ shown: Value?, _ expected: Value, _ name: String
  ) -> String? {
    guard let shown, shown != expected else { return nil }
    return "\(name): \(shown), not \(expected)"
  }

  private static func stably(
    _ books: [Element], _ isBefore: (Element, Element) -> Bool
  ) -> [Element] {
    books.enumerated().sorted {
      isBefore($0.element, $1.element)
        || !isBefore($1.element, $0.element) && $0.offset < $1.offset
    }.map(\.element)
  }
}

extension ScreenContents.Element {
  var first: Int { row[0] ?? 0 }
  var second: Int { row[1] ?? 0 }
}

extension ScreenContents.Element: CustomStringConvertible {
  var description: String { "\(key): \(PlainEdit.words(row))" }
}
