import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataPostgres
@testable import StrataReplica

/// A replica that mistakes a table of the server for another one is live, and its rows are wrong.
@Suite(.inTurn) struct ServerTablesTests {
  @Test func `a server that was prepared for the entities fits`() throws {
    let library = try Library()
    let tables = try library.tables()
    #expect(tables.fit(library.shapes))
    #expect(tables.mappings.map(\.number) == [1, 2, 3, 4])
    #expect(tables[library.table("songs")].name == "\"public\".\"songs\"")
  }

  // A renamed, restored or altered table, and one of whose triggers one is gone.
  static let changes: [(String, @Sendable (ServerShape) -> ServerShape)] = [
    ("number", { $0.with(number: 9) }),
    ("table", { $0.with(relation: 9) }),
    ("name", { $0.with(name: "songs_old") }),
    ("schema", { $0.with(schema: "old") }),
    ("type", { $0.with(columns: $0.columns.replacing("20 int8", with: "701 float8")) }),
    ("column", { $0.with(columns: $0.columns.replacing("\"score\"", with: "\"points\"")) }),
    ("trigger", { $0.with(unseen: "songs") }),
    ("key", { $0.with(isKeyed: false) }),
    ("search path", { $0.with(place: .some(nil)) }),
  ]

  @Test(arguments: changes.indices) func `a table that changed does not fit`(
    _ index: Int
  ) throws {
    var library = try Library()
    let tables = try library.tables()
    library.change("songs", Self.changes[index].1)
    #expect(!tables.fit(library.shapes), "\(Self.changes[index].0)")
  }

  @Test func `a table that comes, goes or is shown twice fits as long as the first one counts`()
    throws
  {
    var library = try Library()
    let tables = try library.tables()
    let songs = try #require(library.shapes.first { $0.name == "songs" })
    library.shapes.append(songs.with(number: 9, relation: 9, schema: "later", place: 2))
    #expect(tables.fit(library.shapes))
    library.shapes.append(songs.with(number: 8, relation: 8, schema: "hidden", place: .some(nil)))
    #expect(tables.fit(library.shapes))
    library.shapes.append(songs.with(number: 7, relation: 7, schema: "earlier", place: 0))
    #expect(!tables.fit(library.shapes))
    library.shapes.removeAll { $0.name == "songs" }
    #expect(!tables.fit(library.shapes))
  }

  @Test func `a schema that is named counts alone`() throws {
    var library = try Library()
    let songs = try #require(library.shapes.first { $0.name == "songs" })
    library.shapes.append(songs.with(number: 9, schema: "music", place: .some(nil)))
    let tables = try library.tables(on: [ServerTable(Song.self, schema: "music")])
    #expect(tables[library.table("songs")].number == 9)
    #expect(tables[library.table("songs")].name == "\"music\".\"songs\"")
  }

  @Test func `a table that cannot be followed is named, with what to do`() throws {
    func message(_ change: (ServerShape) -> ServerShape) throws -> String {
      var library = try Library()
      library.change("songs", change)
      let error = try #require(failure { _ = try library.tables() })
      #expect(error.code == .unsuitableServer && !error.advice.isEmpty)
      return error.message
    }
    #expect(try message { $0.with(name: "tracks") }.contains("no table \"songs\" that is prepared"))
    #expect(try message { $0.with(unseen: "songs_2026") }.contains("songs_2026"))
    #expect(try message { $0.with(isKeyed: false) }.contains("\"songs\".id is not unique"))
    #expect(
      try message { $0.with(columns: $0.columns.replacing("\"score\"", with: "\"points\"")) }
        .contains("has no column score"))
    #expect(
      try message { $0.with(columns: $0.columns.replacing("701 float8", with: "1700 numeric")) }
        .contains("score has type numeric, and the attribute is Double"))
    // A type of the owner's with a name of PostgreSQL's.
    #expect(
      try message { $0.with(columns: $0.columns.replacing("701 float8", with: "99999 app.float8")) }
        .contains("type app.float8"))
  }

  @Test func `a table of links needs the key that the server computes`() throws {
    var library = try Library()
    library.change("songs_moods") { $0.with(columns: $0.columns.replacing(" generated", with: "")) }
    let error = try #require(failure { _ = try library.tables() })
    #expect(error.advice.contains("GENERATED ALWAYS AS (strata.link_end(\"owner\")"))
  }

  @Test func `another type of the same width is another fingerprint`() throws {
    let library = try Library()
    var later = library
    later.change("songs") {
      $0.with(columns: $0.columns.replacing("1184 timestamptz", with: "701 float8"))
    }
    let shape = try #require(library.shapes.first { $0.name == "songs" })
    #expect(
      try library.mapping("songs").fingerprint(shape)
        != later.mapping("songs").fingerprint(shape))
  }
}
