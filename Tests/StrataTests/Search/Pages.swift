import Foundation
import StrataTesting
import Testing

@testable import Strata
@testable import StrataSQLite

/// A page with words and a place, on a shelf.
struct Page: Entity, Equatable {
  var id = ""
  var title = ""
  var body: String?
  var stars = 0
  var latitude: Double?
  var longitude: Double?
  var seat: Int?
  var shelfID: Int64?

  static let shelf = toOne(\.shelfID, Shelf.self, onDelete: .cascade)
  static let location = spatial(\.latitude, \.longitude)
  static let schema = Schema<Page>("pages", key: \.id) {
    Attribute(\.title).fullText(weight: 4)
    Attribute(\.body).fullText()
    Attribute(\.stars)
    Attribute(\.latitude)
    Attribute(\.longitude)
    Attribute(\.seat).unique()
    shelf
    location
  }

  var place: Coordinate? {
    guard let latitude, let longitude else { return nil }
    let place = Coordinate(latitude: latitude, longitude: longitude)
    return place.isValid ? place : nil
  }
}

/// A shelf, whose key is its row number.
struct Shelf: Entity, Equatable {
  var id: Int64 = 0
  var name = ""
  var latitude = 0.0
  var longitude = 0.0

  static let pages = toMany(\Page.shelfID)
  static let site = spatial(\.latitude, \.longitude)
  static let schema = Schema<Shelf>("shelves", key: \.id) {
    Attribute(\.name).fullText()
    Attribute(\.latitude)
    Attribute(\.longitude)
    site
    pages
  }
}

/// A word as people write it, and its tokens by unicode61 without diacritics.
struct Word: Sendable {
  let text: String
  let tokens: [String]

  static let all: [Word] = [
    Word(text: "grace", tokens: ["grace"]), Word(text: "GRACE", tokens: ["grace"]),
    Word(text: "gracious", tokens: ["gracious"]), Word(text: "notes", tokens: ["notes"]),
    Word(text: "note", tokens: ["note"]), Word(text: "café", tokens: ["cafe"]),
    Word(text: "Cafe\u{301}", tokens: ["cafe"]), Word(text: "don't", tokens: ["don", "t"]),
    Word(text: "a\0b", tokens: ["a", "b"]), Word(text: "🎵", tokens: []),
    Word(text: "-", tokens: []), Word(text: "\"quoted\"", tokens: ["quoted"]),
    Word(text: "AND", tokens: ["and"]), Word(text: "NOT", tokens: ["not"]),
    Word(text: "*", tokens: []), Word(text: "title:", tokens: ["title"]),
    Word(text: "42", tokens: ["42"]), Word(text: "Ωmega", tokens: ["ωmega"]),
  ]
}

/// A text as it is stored, and its words.
struct Prose: Sendable {
  let words: [Word]
  var text: String { words.map(\.text).joined(separator: " ") }
  var tokens: [String] { words.flatMap(\.tokens) }

  init(_ count: Int, _ random: inout SeededRandom) {
    words = (0..<count).map { _ in random.pick(Word.all) }
  }

  init(reading text: String) {
    words = text.split(separator: " ").map { part in
      Word.all.first { $0.text.unicodeScalars.elementsEqual(part.unicodeScalars) }
        ?? Word(text: String(part), tokens: [part.lowercased()])
    }
  }
}

/// Returns a coordinate, or nil.
///
/// The coordinates include edges, poles, the antimeridian, crowds and values that are no place.
func degrees(_ limit: Double, _ random: inout SeededRandom) -> Double? {
  switch random.below(12) {
  case 0: nil
  case 1: random.pick([-limit, limit])
  case 2: random.pick([.infinity, -.infinity, limit + 0.001, -limit - 1, 1e300])
  // The smallest of these values are too small for the R*Tree.
  case 3: random.pick([0, -0.0, 45, -45, .leastNonzeroMagnitude, -1e-42])
  case 4, 5: limit - Double(random.below(2000)) / 1000
  case 6: -limit + Double(random.below(2000)) / 1000
  default: Double(random.below(2_000_000)) / 1_000_000 * 2 * limit - limit
  }
}

func page(_ id: String, _ random: inout SeededRandom) -> Page {
  Page(
    id: id, title: Prose(random.below(4), &random).text,
    body: random.oneIn(4) ? nil : Prose(random.below(7), &random).text, stars: random.below(5),
    latitude: degrees(90, &random), longitude: degrees(180, &random))
}

// MARK: - Checks

extension Stack {
  /// Checks that every index of words and places has exactly the rows' content.
  ///
  /// The check uses a second connection.
  func checkSearch(_ source: SourceLocation = #_sourceLocation) throws {
    let path = store.writer.options.path
    let connection = try Connection(path: path, .readWrite)
    for table in store.model.tables {
      for index in table.search?.indexes ?? [] {
        try connection.check(index, table, source)
      }
    }
  }
}

extension Connection {
  fileprivate func check(
    _ index: SearchIndex, _ table: Table, _ source: SourceLocation
  ) throws {
    let name = index.name.quotedIdentifier
    switch index.module {
    case .fts5:
      do {
        try execute("INSERT INTO \(name) (\(name), rank) VALUES ('integrity-check', 1)")
      } catch {
        Issue.record("\(index.name): \(error)", sourceLocation: source)
      }
      // The check above does not notice words of deleted rows.
      #expect(
        try integer("SELECT count(*) FROM \(index.storage[2].quotedIdentifier)")
          == integer("SELECT count(*) FROM \(table.name.quotedIdentifier)"),
        sourceLocation: source)
    case .rtree:
      let statement = try prepare("SELECT rtreecheck(?1)")
      statement.bind(1, index.name)
      #expect(try statement.step() && statement.string(0) == "ok", sourceLocation: source)
      statement.reset()
      let (latitude, longitude) = (
        index.columns[0].quotedIdentifier, index.columns[1].quotedIdentifier
      )
      let valid = "\(latitude) BETWEEN -90 AND 90 AND \(longitude) BETWEEN -180 AND 180"
      let rowID = table.search?.rowID ?? "rowid"
      let differences = [
        "SELECT count(*) FROM \(table.name.quotedIdentifier) WHERE (\(valid)) IS TRUE AND NOT EXISTS "
          + "(SELECT 1 FROM \(name) WHERE id = \(rowID) AND south - 1e-30 <= \(latitude) AND "
          + "north + 1e-30 >= \(latitude) AND west - 1e-30 <= \(longitude) AND "
          + "east + 1e-30 >= \(longitude))",
        "SELECT count(*) FROM \(name) WHERE id NOT IN (SELECT \(rowID) FROM "
          + "\(table.name.quotedIdentifier) WHERE \(valid))",
        "SELECT count(*) FROM \(name) WHERE north - south > 0.001 OR east - west > 0.001",
      ]
      for sql in differences { #expect(try integer(sql) == 0, "\(sql)", sourceLocation: source) }
    }
  }
}
