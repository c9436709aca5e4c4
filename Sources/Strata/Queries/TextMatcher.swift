internal import StrataSQLite

/// A search in the full text of edits, which the store's index does not have.
///
/// SQLite itself searches them, in a table in memory that splits texts as the index does. No other
/// code could agree with SQLite on every text.
final class TextMatcher {
  private let index: TableSearch.Text
  private let connection: Connection
  private let insert: Statement
  private let search: Statement
  private let excerpt: Statement

  // No text has these bytes, so the marks are unambiguous.
  private static let opening: UInt8 = 0xFF
  private static let closing: UInt8 = 0xFE
  private static let omission: UInt8 = 0xFD

  /// The largest number of words that FTS5 puts into an excerpt.
  static let longestExcerpt = 64

  init(_ index: TableSearch.Text) throws(StoreError) {
    self.index = index
    connection = try .open(.memory)
    let columns = index.described.columns.map(\.quotedIdentifier)
    let arguments = index.described.arguments.joined(separator: ", ")
    try connection.run("CREATE VIRTUAL TABLE strata_text USING fts5(\(arguments))")
    let parameters = columns.indices.map { "?\($0 + 2)" }.joined(separator: ", ")
    insert = try connection.prepared(
      "INSERT INTO strata_text (rowid, \(columns.joined(separator: ", "))) "
        + "VALUES (?1, \(parameters))")
    search = try connection.prepared("SELECT rowid FROM strata_text WHERE strata_text MATCH ?1")
    let marks = [Self.opening, Self.closing].map { "CAST(x'\(String($0, radix: 16))' AS TEXT)" }
      .joined(separator: ", ")
    let omission = "CAST(x'\(String(Self.omission, radix: 16))' AS TEXT)"
    let highlights = columns.indices.map { "highlight(strata_text, \($0), \(marks))" }
    excerpt = try connection.prepared(
      "SELECT rowid, snippet(strata_text, -1, \(marks), \(omission), ?2), "
        + highlights.joined(separator: ", ") + " FROM strata_text WHERE strata_text MATCH ?1")
  }

  /// Returns the keys of the records that match.
  ///
  /// - Parameter reader: the connection for which this runs. An interruption of the connection also
  ///   stops the search.
  func matches(
    of expression: String, among records: [Record], for reader: Connection
  ) throws(StoreError) -> Set<RecordKey> {
    var keys: Set<RecordKey> = []
    try lending(records, for: reader) { () throws(StoreError) in
      search.bind(1, expression)
      try search.forEach { row in
        keys.insert(records[Int(row.integer(0))].key(Table.keyColumn))
      }
    }
    return keys
  }

  /// Returns an excerpt of each record, and each searched attribute with its matches.
  ///
  /// - Parameters:
  ///   - length: the largest number of words of an excerpt.
  ///   - reader: as in ``matches(of:among:for:)``.
  func excerpts(
    of search: ResolvedSearch, in records: [Record], length: Int, for reader: Connection
  ) throws(StoreError) -> [(excerpt: Excerpt, attributes: [Excerpt?])] {
    var found = [(excerpt: Excerpt, attributes: [Excerpt?])](
      repeating: (Excerpt(), index.columns.map { _ in nil }), count: records.count)
    var folding = ScalarFolding(.caseless)
    let parts = search.parts?.map { FoldedText($0, &folding) }
    func excerpt(_ marked: UnsafeRawBufferPointer) -> Excerpt {
      let excerpt = Self.excerpt(marked)
      // FTS5 marks three characters for a shorter part.
      guard let parts, !excerpt.matches.isEmpty else { return excerpt }
      let found = FoldedText(excerpt.text, &folding).occurrences(of: parts)
      return Self.excerpt(excerpt.text, found)
    }
    try lending(records, for: reader) { () throws(StoreError) in
      self.excerpt.bind(1, search.expression)
      self.excerpt.bind(2, Int64(min(max(length, 1), Self.longestExcerpt)))
      try self.excerpt.forEach { row in
        let position = Int(row.integer(0))
        found[position].excerpt = excerpt(row.text(1))
        for (number, column) in index.columns.enumerated()
        where !records[position].isNull(column) {
          found[position].attributes[number] = excerpt(row.text(Int32(number + 2)))
        }
      }
    }
    return found
  }

  /// Runs `body` while the table has the records, by position.
  private func lending(
    _ records: [Record], for reader: Connection, _ body: () throws(StoreError) -> Void
  ) throws(StoreError) {
    try connection.run("BEGIN")
    defer { try? connection.run("ROLLBACK") }
    try connection.stopping(with: reader) { () throws(StoreError) in
      try fill(with: records)
      try body()
    }
  }

  private func fill(with records: [Record]) throws(StoreError) {
    for (position, record) in records.enumerated() {
      insert.bind(1, Int64(position))
      for (number, column) in index.columns.enumerated() {
        let parameter = Int32(truncatingIfNeeded: number + 2)
        if case .text(let text) = record[column] {
          // A NUL separates words like a space, but would end the highlighted text.
          insert.bind(
            parameter,
            text.utf8.contains(0)
              ? String(decoding: text.utf8.map { $0 == 0 ? 0x20 : $0 }, as: UTF8.self) : text)
        } else {
          insert.bindNull(parameter)
        }
      }
      try insert.perform()
    }
  }

  private static func excerpt(_ marked: UnsafeRawBufferPointer) -> Excerpt {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(marked.count)
    var matches: [Range<Int>] = []
    var start = 0
    for byte in marked {
      switch byte {
      case opening: start = bytes.count
      case closing: matches.append(start..<bytes.count)
      case omission: bytes.append(contentsOf: "…".utf8)
      default: bytes.append(byte)
      }
    }
    return excerpt(String(decoding: bytes, as: UTF8.self), matches)
  }

  /// Returns a text with its matches, which are ranges of its bytes.
  private static func excerpt(_ text: String, _ matches: [Range<Int>]) -> Excerpt {
    let index = { (offset: Int) in text.utf8.index(text.startIndex, offsetBy: offset) }
    return Excerpt(
      text: text, matches: matches.map { index($0.lowerBound)..<index($0.upperBound) })
  }
}
