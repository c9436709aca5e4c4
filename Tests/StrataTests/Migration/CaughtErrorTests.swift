import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataSQLite

private struct Song: Entity, Equatable {
  var id: Int64 = 0
  var title = ""
  static let schema = Schema<Song>("songs", key: \.id) { Attribute(\.title).indexed() }
}

/// Steps that catch an error and go on.
@Suite(.inTurn) struct CaughtErrorTests {
  private let file: StoreFile
  private let songs = [Song(id: 1, title: "So What"), Song(id: 2, title: "All Blues")]

  init() throws { file = try StoreFile() }

  private func stored() throws -> [String] { try file.rows("SELECT * FROM songs ORDER BY id") }

  /// On a full disk SQLite rolls the whole transaction back by itself. A step that catches the
  /// error must not go on without a transaction. Otherwise every statement would be a commit of its
  /// own: the deletion of rows before their insertion elsewhere, and the description of tables that
  /// were never made.
  @Test(arguments: [true, false])
  func `a step that goes on after SQLite ended the transaction writes no row`(goesOn: Bool)
    async throws
  {
    try await file.make(songs)
    let (before, bytes) = (try stored(), try file.bytes)
    let step = MigrationStep(to: 2) { migration in
      try migration.insert(["id": .integer(3), "title": .text("")], into: "songs")
      // The limit stands for a disk without space for one more page.
      try migration.connection.execute("PRAGMA max_page_count = 1")
      let long = Cell.text(String(repeating: "x", count: 100_000))
      let full = #expect(throws: StoreError.self) {
        try migration.insert(["id": .integer(4), "title": long], into: "songs")
      }
      #expect(full?.code == .diskFull && !migration.connection.isInTransaction)
      try migration.connection.execute("PRAGMA max_page_count = 1000000")
      guard goesOn else { return }
      let refused = #expect(throws: StoreError.self) {
        try migration.delete(RecordKey(.integer(1)), from: "songs")
      }
      #expect(refused?.code == .migrationFailed)
      try? migration.removeTable("songs")
    }
    let error = await file.migrate(Song.self, version: 2) { $0.migrations = [step] }.error
    #expect(error?.code == .migrationFailed)
    #expect(error?.message.contains("rolled the migration back") == true)
    #expect(try stored() == before && file.bytes == bytes)
    #expect(await file.migrate(Song.self).error == nil)
  }

  /// A conversion that fails halfway must not leave half of the rows in the table that it fills.
  @Test func `a table operation that fails is undone wholly`() async throws {
    try await file.make(songs)
    let before = try stored()
    let step = MigrationStep(to: 2) { migration in
      for _ in 1...2 {
        let error = #expect(throws: StoreError.self) {
          try migration.convertColumn("title", of: "songs", to: .init("title", .text)) { cell in
            if cell == .text("All Blues") { throw Nonsense() }
            return cell
          }
        }
        #expect(error?.message.contains("nonsense") == true)
      }
      let tables = try migration.connection.integer(
        "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'strata_old%'")
      #expect(try migration.count(of: "songs") == 2 && tables == 0)
    }
    let error = await file.migrate(Song.self, version: 2) { $0.migrations = [step] }.error
    #expect(error == nil)
    #expect(try stored() == before)
    let indexes = "SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'songs'"
    #expect(try file.rows(indexes) == ["1"])
  }
}
