internal import Foundation
internal import StrataSQLite

/// Reads entries of the history through a connection, oldest first.
struct HistoryReader {
  private static let entries = SQL(
    "SELECT number, time, author, parts, changes FROM strata_history "
      + "WHERE number > ?1 AND number <= ?2 ORDER BY number")
  private static let parts = SQL(
    "SELECT changes FROM strata_history_part WHERE number = ?1 ORDER BY part")
  /// Two queries, because SQLite looks up a lone minimum or maximum but scans the table for both.
  static let bounds = SQL(
    "SELECT (SELECT min(number) FROM strata_history), (SELECT max(number) FROM strata_history)")

  /// A stored entry; its changes are nil if they cannot be read with this model.
  struct Entry: Sendable {
    let number: Int64
    let time: Double
    let author: String
    let changes: [TableID: TableChanges]?
    /// The size of the changes in bytes.
    let size: Int
  }

  private let store: StoreAccess

  init(_ store: StoreAccess) { self.store = store }

  /// Calls `body` with the entries after `first` up to `last`, until `body` returns false.
  func forEach(
    after first: Int64, upTo last: Int64, _ body: (Entry) -> Bool
  ) throws(StoreError) {
    let statement = try store.connection.prepared(Self.entries, .integer(first), .integer(last))
    defer { statement.reset() }
    while try statement.next() {
      let number = statement.integer(0)
      let (changes, size) = try changes(
        number, parts: statement.integer(3), end: statement.blob(4))
      let entry = Entry(
        number: number, time: statement.real(1), author: statement.string(2), changes: changes,
        size: size)
      if !body(entry) { return }
    }
  }

  private func changes(
    _ number: Int64, parts: Int64, end: UnsafeRawBufferPointer
  ) throws(StoreError) -> ([TableID: TableChanges]?, size: Int) {
    var decoder = HistoryDecoder(store.layout, store.builder)
    var size = end.count
    var isReadable = true
    func decode(_ part: UnsafeRawBufferPointer) {
      do throws(HistoryDecoder.Unreadable) { try decoder.decode(part) } catch { isReadable = false }
    }
    if parts > 0 {
      var found: Int64 = 0
      try store.connection.prepared(Self.parts, .integer(number)).forEach { row in
        size += row.blob(0).count
        if isReadable { decode(row.blob(0)) }
        found += 1
      }
      if found != parts { isReadable = false }
    }
    if isReadable { decode(end) }
    return (isReadable ? decoder.tables : nil, size)
  }

  /// Returns the numbers of the oldest and the newest entry; nil if the history is empty.
  ///
  /// - Throws: also `SQLITE_CORRUPT` if the numbers are out of order, which SQLite does not notice.
  func bounds() throws(StoreError) -> ClosedRange<Int64>? {
    try store.connection.prepared(Self.bounds).first { row throws(StoreError) in
      if row.isNull(0) { return nil }
      let (oldest, newest) = (row.integer(0), row.integer(1))
      guard 0 < oldest, oldest <= newest else {
        throw StoreError(.corrupt("the history is from \(oldest) to \(newest)", Self.bounds))
      }
      return oldest...newest
    } ?? nil
  }
}
