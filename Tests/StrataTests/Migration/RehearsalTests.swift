import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

private enum Genre: String, AttributeValue { case blues, jazz }
private struct Lyrics: JSONValue, Equatable { var lines = [""] }

private enum V1 {
  struct Song: Entity {
    var id = Key<Song>()
    var title = ""
    var genre = Genre.blues
    var bpm: Double?
    var plays = 0
    var small: UInt8 = 0
    var loved = false
    var added = Date.distantPast
    var link: URL?
    var price = Decimal(1)
    var cover = Data()
    var tags: [String] = []
    var lyrics: Lyrics?
    var token = Key<Song>()
    var artistID = ""
    var nextID: Song.ID?
    static let artist = toOne(\.artistID, Artist.self, onDelete: .cascade)
    static let schema = Schema<Song>("songs", key: \.id) {
      Attribute(\.title)
      Attribute(\.genre)
      Attribute(\.bpm).indexed()
      Attribute(\.plays).unique()
      Attribute(\.small)
      Attribute(\.loved)
      Attribute(\.added)
      Attribute(\.link)
      Attribute(\.price)
      Attribute(\.cover)
      Attribute(\.tags)
      Attribute(\.lyrics)
      Attribute(\.token).unique()
      artist
      toOne(\.nextID, Song.self)
      Unique(\.title, \.plays)
    }
  }
  struct Artist: Entity {
    var id = ""
    var name = ""
    static let schema = Schema<Artist>("artists", key: \.id) { Attribute(\.name).unique() }
  }
}

private enum V2 {
  struct Song: Entity {
    var id = UUID()
    var name = ""
    var genre = Genre.jazz
    var bpm = 0.0
    var plays = ""
    var artistID: Artist.ID?
    static let schema = Schema<Song>("tunes", formerly: ["songs"], key: \.id) {
      Attribute(\.name).formerly("title")
      Attribute(\.genre)
      Attribute(\.bpm).migrationDefault(60)
      Attribute(\.plays).unique().converted(from: Int.self) { "\($0)" }
      toOne(\.artistID, Artist.self)
      Removed<Song>(
        "small", "loved", "added", "link", "price", "cover", "tags", "lyrics", "token", "nextID")
    }
  }
  typealias Artist = V1.Artist
}

private struct Membership: Entity {
  enum Rank: String, AttributeValue { case guest, member }
  var id = ""
  var userID = ""
  var isPrimary = false
  var rank = Rank.guest
  var number = 0
  var code: Int8 = 0
  static let schema = Schema<Membership>("memberships", key: \.id) {
    Attribute(\.userID)
    Attribute(\.isPrimary)
    Attribute(\.rank)
    Attribute(\.number)
    Attribute(\.code)
    Unique(\.isPrimary, \.userID)
    Unique(\.rank, \.number)
    Unique(\.rank, \.code)
  }
}

/// An entity whose unique attributes have few possible values.
private struct Signal: Entity {
  var id: Int8 = 0
  var isMain = false
  var level: UInt8?
  static let schema = Schema<Signal>("signals", key: \.id) {
    Attribute(\.isMain)
    Attribute(\.level).unique()
  }
}

private enum Linked {
  struct Note: Entity {
    var id = ""
    static let tags = manyToMany(Tag.self, ordered: true)
    static let schema = Schema<Note>("notes", key: \.id) { tags }
  }
  struct Tag: Entity {
    var id = 0
    static let schema = Schema<Tag>("tags", key: \.id) {}
  }
  struct NewNote: Entity {
    var id = ""
    static let tags = manyToMany(NewTag.self, ordered: true)
    static let schema = Schema<NewNote>("notes", key: \.id) { tags }
  }
  struct NewTag: Entity {
    var id = ""
    static let schema = Schema<NewTag>("tags", key: \.id) {
      Attribute(\.id).converted(from: Int.self) { "\($0)" }
    }
  }
}

@Suite(.inTurn) struct RehearsalTests {
  @Test func `a description goes through JSON, and tolerates what it does not know`() throws {
    let description = try Stack.schema(of: [V1.Song.self, V1.Artist.self], version: 7)
    // The description leaves out defaults that are new each time.
    #expect(try Stack.schema(of: [V1.Song.self, V1.Artist.self], version: 7) == description)
    #expect(try SchemaDescription(json: description.json) == description)
    #expect(try SchemaDescription(json: description.compactJSON) == description)
    #expect(description.version == 7 && description.tables.map(\.name) == ["artists", "songs"])
    let song = try #require(description[table: "SONGS"])
    #expect(song[column: "artistID"]?.target == "artists")
    #expect(song[column: "bpm"]?.valueType == "Double" && song[column: "bpm"]?.isOptional == true)
    #expect(song[column: "genre"]?.example == .text("blues"))
    let json = """
      {"version": 2, "later": [1], "tables": [{"name": "a", "key": "id", "later": {},
      "columns": [{"name": "id", "storage": "TEXT", "later": null}]}]}
      """
    #expect(
      try SchemaDescription(json: json)
        == SchemaDescription(version: 2, tables: [.init("a", columns: [.init("id", .text)])]))
    for bad in [
      "", "[]", #"{"version": 1}"#,
      #"{"version": 1, "tables": [{"name": "a", "key": "x", "columns": []}]}"#,
    ] {
      let error = #expect(throws: StoreError.self) { try SchemaDescription(json: bad) }
      #expect(error?.code == .schemaMismatch)
    }
  }

  @Test func `a store of an earlier version is made, filled with edge values and opened`()
    async throws
  {
    let old = try Stack.schema(of: [V1.Song.self, V1.Artist.self], version: 1)
    // The entities of the same version read every generated row.
    let same = try await rehearseMigration(from: old, to: V1.Song.self, V1.Artist.self)
    #expect(same.plan.isEmpty && same.rowsAfter == ["Song": 50, "Artist": 50])
    let plays = try await same.stack.fetch(V1.Song.all).map(\.plays)
    #expect(plays.contains(.max) && plays.contains(.min))
    #expect(try await same.stack.fetch(V1.Song.where { $0.bpm == nil }).isEmpty == false)
    await same.stack.close()
    let migrated = try await rehearseMigration(
      from: SchemaDescription(json: old.json), to: V2.Artist.self, V2.Song.self)
    #expect(migrated.rowsBefore == ["songs": 50, "artists": 50])
    #expect(migrated.rowsAfter == ["Song": 50, "Artist": 50])
    #expect(migrated.plan.actions.contains(.copyRows(50, table: "tunes")))
    #expect(migrated.description.contains("after: Artist 50, Song 50"))
    #expect(try await migrated.stack.fetch(V2.Song.where { $0.bpm == 60.0 }).isEmpty == false)
    await migrated.stack.close()
  }

  @Test func `given rows and values are used, and the same seed makes the same rows`()
    async throws
  {
    let old = try Stack.schema(of: [V1.Song.self, V1.Artist.self], version: 3)
    var rows = RehearsalRows()
    rows.count = 4
    rows.tables["artists"] = [["id": .text("miles"), "name": .text("Miles")]]
    rows.values["Genre"] = [.text("jazz")]
    var titles: [[String]] = []
    for _ in 1...2 {
      let rehearsal = try await rehearseMigration(
        from: old, rows: rows, to: V2.Song.self, V2.Artist.self)
      let songs = try await rehearsal.stack.fetch(V2.Song.all)
      #expect(songs.count == 4 && songs.allSatisfy { $0.artistID == "miles" && $0.genre == .jazz })
      titles.append(songs.map(\.name))
      #expect(rehearsal.plan.storedVersion == 3)
      await rehearsal.stack.close()
    }
    #expect(titles[0] == titles[1])
  }

  // Only one of the columns that are unique together gets different values. If every column did, a
  // column of a small type would get values that its type does not have.
  @Test func `a rehearsal varies one of the columns that are unique together`() async throws {
    let old = try Stack.schema(of: [Membership.self], version: 1)
    let rehearsal = try await rehearseMigration(from: old, to: Membership.self)
    #expect(rehearsal.rowsAfter == ["Membership": 50])
    let ranks = try await rehearsal.stack.fetch(Membership.all).map(\.rank)
    #expect(Set(ranks) == [.guest])
    await rehearsal.stack.close()
  }

  // The 129th generated key of an `Int8` must not be 128, which the type does not have.
  @Test func `a rehearsal makes no more rows than a unique column has values`() async throws {
    let old = try Stack.schema(of: [Signal.self], version: 1)
    var rows = RehearsalRows()
    rows.count = 300
    let rehearsal = try await rehearseMigration(from: old, rows: rows, to: Signal.self)
    #expect(rehearsal.rowsAfter == ["Signal": 256])
    await rehearsal.stack.close()
  }

  // Generated links have the keys that a program's links have, and they repeat no pair.
  @Test func `links are made like those of a program`() async throws {
    let old = try Stack.schema(of: [Linked.Note.self, Linked.Tag.self], version: 1)
    for seed in 1...12 {
      var rows = RehearsalRows()
      rows.seed = UInt64(seed)
      let new = try await rehearseMigration(
        from: old, rows: rows, to: Linked.NewNote.self, Linked.NewTag.self)
      #expect(new.rowsAfter == ["NewNote": 50, "NewTag": 50])
      await new.stack.close()
    }
    let same = try await rehearseMigration(from: old, to: Linked.Note.self, Linked.Tag.self)
    var links = 0
    for note in try await same.stack.fetch(Linked.Note.all) {
      let tags = try await same.stack.fetch(Linked.Note.tags(of: note.id))
      links += tags.count
      #expect(Set(tags.map(\.id)).count == tags.count)
      try await same.stack.withScratch { scratch in
        for tag in tags { scratch.unlink(note, from: tag, in: Linked.Note.tags) }
      }
      let left = try await same.stack.fetch(Linked.Note.tags(of: note.id))
      #expect(left.isEmpty)
    }
    #expect(links > 0)
    await same.stack.close()
  }

  @Test func `a rehearsal that fails says so, and rows that do not fit, too`() async throws {
    let old = try Stack.schema(of: [V1.Song.self, V1.Artist.self], version: 1)
    let refused = await failure { try await rehearseMigration(from: old, to: V1.Artist.self) }
    #expect(refused?.code == .schemaMismatch)
    // With the options of an app that rebuilds its store, every rehearsal would pass with an empty
    // store.
    var rebuilding = Stack.Options()
    rebuilding.ifUnreadable = .rebuild()
    let rebuilt = await failure { [rebuilding] in
      try await rehearseMigration(from: old, to: V1.Artist.self, options: rebuilding)
    }
    #expect(rebuilt?.code == .schemaMismatch)
    var rows = RehearsalRows()
    rows.tables["artists"] = [["id": .integer(1), "name": .text("")]]
    let wrong = await failure {
      try await rehearseMigration(from: old, rows: rows, to: V1.Song.self, V1.Artist.self)
    }
    #expect(wrong?.message.contains("\"artists\".\"id\" is String (TEXT), not 1") == true)
  }

  @Test func `a description is recorded once, and a changed one is refused`() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let url = URL(fileURLWithPath: folder.path).appendingPathComponent("schemas")
    let one = try Stack.schema(of: [V1.Artist.self], version: 1)
    #expect(try one.record(in: url))
    #expect(try !one.record(in: url))
    let file = url.appendingPathComponent("schema-v1.json")
    #expect(try SchemaDescription(contentsOf: file) == one)
    let other = try Stack.schema(of: [V1.Song.self, V1.Artist.self], version: 1)
    let error = #expect(throws: SchemaRecordingError.self) { try other.record(in: url) }
    #expect(error?.description.contains("raise the version") == true)
    #expect(try SchemaDescription(contentsOf: file) == one)
  }
}
