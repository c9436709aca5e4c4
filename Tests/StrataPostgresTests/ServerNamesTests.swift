import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataPostgres
@testable import StrataReplica

@Suite(.inTurn) struct ServerNamesTests {
  private func names(_ given: [ServerTable]) throws -> ServerNames {
    try ServerNames(of: try Library().table("songs"), in: given)
  }

  @Test func `names are quoted, so that any text is one`() throws {
    let names = try names([
      ServerTable(Song.self, schema: "a.b", name: "say \"so\"", columns: ["title": "Name"])
    ])
    #expect(names.table == "\"a.b\".\"say \"\"so\"\"\"")
    #expect(names.column(1) == "\"Name\"")
    #expect(names.inSchema("c").table == "\"c\".\"say \"\"so\"\"\"")
  }

  @Test func `a name for an attribute that is none is refused`() throws {
    let error = try #require(
      failure {
        _ = try names([ServerTable(Song.self, columns: ["titel": "name"])])
      })
    #expect(error.message == "Song has no attribute titel")
  }

  @Test func `two entities in one table are refused`() throws {
    let tables = try Library().followed.tables
    let error = try #require(
      failure {
        _ = try ServerNames.names(of: tables, in: [ServerTable(Album.self, name: "songs")])
      })
    #expect(error.message.contains("Song") && error.message.contains("Album"))
  }

  @Test func `a table has the attributes, and an index for its references`() throws {
    #expect(
      try names([]).create(try Library().table("songs"), [:])
        == """
        CREATE TABLE "songs" ("id" int8 NOT NULL PRIMARY KEY, "title" text COLLATE "C" NOT NULL, \
        "code" text COLLATE "C", "side" int8 NOT NULL, "isLive" bool NOT NULL, "score" float8 NOT NULL, \
        "price" text COLLATE "C" NOT NULL, "tags" text COLLATE "C" NOT NULL, \
        "released" timestamptz NOT NULL, "cover" bytea, "token" uuid NOT NULL, "albumID" int8); \
        CREATE INDEX ON "songs" ("albumID")
        """)
  }

  @Test func `a reference has the type of the key that is there`() throws {
    let songs = try Library().table("songs")
    let statement = try names([]).create(songs, [songs.references[0].column: "integer"])
    #expect(statement.contains("\"albumID\" integer)"))
  }
}
