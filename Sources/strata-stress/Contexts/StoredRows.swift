import Foundation
import StrataSQLite

/// The rows in the file of a closed store, read by SQLite alone.
struct StoredRows {
  private(set) var rows = PlainRows()

  init(_ url: URL) throws {
    let connection = try Connection(path: url.path, access: .existing, busyTimeout: .seconds(5))
    let columns: [PlainTable: String] = [
      .shelves: "height", .books: "first, second, slot, shelfID", .pages: "bookID, number",
      .loans: "bookID", .topics: "weight",
    ]
    for (table, names) in columns {
      let statement = try connection.prepare("SELECT id, \(names) FROM \(table)")
      defer { statement.reset() }
      while try statement.step() {
        rows[table, Int(statement.integer(0))] = (1..<Int32(statement.columnCount)).map {
          statement.isNull($0) ? nil : Int(statement.integer($0))
        }
      }
    }
    let wrong = try connection.text(
      """
      SELECT id FROM books
      WHERE word <> 'word' || second OR latitude <> second OR longitude <> second
      """)
    if let wrong { throw Contradiction(description: "book \(wrong) has parts of two rows") }
    let damage = try connection.damage()
    if !damage.isEmpty { throw Contradiction(description: "the file is damaged: \(damage)") }
    func join(_ name: String) throws -> String {
      try connection.text(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE '%\(name)'") ?? ""
    }
    let links = try connection.prepare("SELECT owner, target FROM \"\(join("books.topics"))\"")
    defer { links.reset() }
    let readings = try connection.prepare(
      "SELECT owner, target FROM \"\(join("topics.reading"))\" ORDER BY position, target")
    defer { readings.reset() }
    while try readings.step() {
      rows.readings[Int(readings.integer(0)), default: []].append(Int(readings.integer(1)))
    }
    while try links.step() {
      rows.links.insert(
        PlainLink(book: Int(links.integer(0)), topic: Int(links.integer(1))))
    }
  }
}
