import StrataTestTurns
import Testing

@testable import Strata

private struct Song: Entity {
  var id = ""
  var title = ""
  var year: Int?
  static let schema = Schema<Song>("songs", key: \.id) {
    Attribute(\.title).indexed()
    Attribute(\.year).unique()
  }
}

/// Tables that were altered by hand.
@Suite(.inTurn) struct DriftTests {
  private let file: StoreFile
  init() throws { file = try StoreFile() }

  @Test(arguments: [
    ("ALTER TABLE songs ADD COLUMN mood TEXT", "column \"mood\" of table \"songs\" was added"),
    (
      "ALTER TABLE songs RENAME COLUMN title TO name",
      "column \"title\" of table \"songs\" was removed"
    ),
    ("ALTER TABLE songs RENAME TO tunes", "table \"songs\" was removed"),
    ("DROP TABLE songs", "table \"songs\" was removed"),
    (
      #"DROP INDEX "strata_""songs"".""title""""#,
      "the index on (title) of table \"songs\" was dropped"
    ),
    (
      #"DROP INDEX "strata_""songs"".""year"""; CREATE INDEX "strata_""songs"".""year""" ON songs (year)"#,
      "the index on (year) of table \"songs\" was altered"
    ),
    ("CREATE INDEX mine ON songs (title)", "index \"mine\" was added to table \"songs\""),
    (
      "CREATE TRIGGER t AFTER INSERT ON songs BEGIN DELETE FROM songs; END",
      "trigger \"t\" was added to table \"songs\""
    ),
    (
      """
      DROP TABLE songs; CREATE TABLE songs (id TEXT PRIMARY KEY NOT NULL, title TEXT, year INTEGER)
      """, "column \"title\" of table \"songs\" was altered from TEXT NOT NULL to TEXT"
    ),
    (
      """
      DROP TABLE songs; CREATE TABLE songs
      (id TEXT PRIMARY KEY NOT NULL, title TEXT NOT NULL, year INTEGER) WITHOUT ROWID
      """, "table \"songs\" was made anew as another kind of table"
    ),
  ])
  func `a change of a table outside of Strata is named`(sql: String, message: String) async throws {
    try await file.make([Song(id: "1")])
    try file.execute(sql)
    let bytes = try file.bytes
    let error = await file.migrate(Song.self).error
    #expect(error?.code == .schemaMismatch)
    #expect(error?.message.contains(message) == true, "\(String(describing: error))")
    #expect(error?.message.contains("altered outside Strata") == true)
    #expect(try file.bytes == bytes)
  }

  @Test func `a dropped index is told with the statement that makes it`() async throws {
    try await file.make([Song(id: "1")])
    let index = #"CREATE INDEX "strata_""songs"".""title""" ON "songs" ("title")"#
    try file.execute(#"DROP INDEX "strata_""songs"".""title""""#)
    #expect(await file.migrate(Song.self).error?.message.contains(index) == true)
    try file.execute(index)
    #expect(await file.migrate(Song.self).actions == [])
  }

  @Test func `a table that says the same in other words is no drift, nor are other tables`()
    async throws
  {
    try await file.make([Song(id: "1")])
    try file.execute(
      "CREATE TABLE copy (year integer, title text not null, id TEXT primary key not null)",
      "INSERT INTO copy (id, title, year) SELECT id, title, year FROM songs", "DROP TABLE songs",
      "ALTER TABLE copy RENAME TO songs",
      #"CREATE INDEX "strata_""songs"".""title""" ON songs(title)"#,
      #"CREATE UNIQUE INDEX "strata_""songs"".""year""" ON songs(year)"#,
      "CREATE TABLE mine (n)", "CREATE VIEW view AS SELECT n FROM mine",
      "CREATE TABLE strata_later (n)", "ANALYZE")
    try await file.open(Song.self) { stack in
      #expect(stack.migration.isEmpty)
      try await stack.withScratch { $0.insert(Song(id: "2", title: "x", year: 3)) }
      #expect(try await stack.fetch(Song.where { $0.title == "x" }).count == 1)
    }
  }

  @Test func `a description that cannot be read is told`() async throws {
    try await file.make([Song(id: "1")])
    try file.execute("UPDATE strata_schema SET description = '{}', fingerprint = 0")
    let error = await file.migrate(Song.self).error
    #expect(error?.code == .schemaMismatch && error?.message.contains("description") == true)
  }
}
