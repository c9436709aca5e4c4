import StrataTestTurns
import Testing

@testable import Strata

private enum V1 {
  struct Note: Entity {
    var id = ""
    var text = ""
    static let tags = manyToMany(Tag.self)
    static let schema = Schema<Note>("notes", key: \.id) {
      Attribute(\.text)
      tags
    }
  }
  struct Tag: Entity {
    var id: Int64 = 0
    static let schema = Schema<Tag>("tags", key: \.id) {}
  }
}

/// Both tables get new names, the key gets a new type, and the links get an order.
private enum V2 {
  struct Page: Entity {
    var id: Int64 = 0
    var text = ""
    static let labels = manyToMany(Label.self, ordered: true)
    static let schema = Schema<Page>("pages", formerly: ["notes"], key: \.id) {
      Attribute(\.id).converted(from: String.self) { Int64($0) ?? 0 }
      Attribute(\.text)
      labels
    }
  }
  struct Label: Entity {
    var id: Int64 = 0
    static let schema = Schema<Label>("labels", formerly: ["tags"], key: \.id) {}
  }
  /// The note without its relationship.
  struct Alone: Entity {
    var id = ""
    var text = ""
    static let schema = Schema<Alone>("notes", key: \.id) { Attribute(\.text) }
  }
  struct Renamed: Entity {
    var id = ""
    var text = ""
    static let tags = manyToMany(V1.Tag.self, "marks")
    static let schema = Schema<Renamed>("notes", key: \.id) {
      Attribute(\.text)
      tags
    }
  }
}

private enum Keys {
  struct Album: Entity {
    var id = ""
    static let schema = Schema<Album>("albums", key: \.id) {}
  }
  struct Song: Entity {
    var id: Int64 = 0
    var albumID: Album.ID?
    static let schema = Schema<Song>("songs", key: \.id) { toOne(\.albumID, Album.self) }
  }
  enum Code: String, AttributeValue { case x = "X", y = "Y" }
  struct NewAlbum: Entity {
    var id = Code.x
    static let schema = Schema<NewAlbum>("albums", key: \.id) {
      Attribute(\.id).converted(from: String.self) { Code(rawValue: $0.uppercased()) ?? .y }
    }
  }
  struct StaleSong: Entity {
    var id: Int64 = 0
    var albumID: NewAlbum.ID?
    static let schema = Schema<StaleSong>("songs", key: \.id) { toOne(\.albumID, NewAlbum.self) }
  }
  struct NewSong: Entity {
    var id: Int64 = 0
    var albumID: NewAlbum.ID?
    static let album = toOne(\.albumID, NewAlbum.self).converted(from: String.self) {
      Code(rawValue: $0.uppercased())
    }
    static let schema = Schema<NewSong>("songs", key: \.id) { album }
  }
}

@Suite(.inTurn) struct LinkMigrationTests {
  private let file: StoreFile
  init() throws { file = try StoreFile() }

  private func makeNotes() async throws {
    try await file.open(V1.Note.self, V1.Tag.self) { stack in
      try await stack.withScratch { scratch in
        for id in 1...3 { scratch.insert(V1.Note(id: "\(id)")) }
        for id in 7...9 { scratch.insert(V1.Tag(id: Int64(id))) }
        for (note, tag) in [("1", 9), ("1", 7), ("2", 7)] {
          scratch.link(V1.Note(id: note), to: V1.Tag(id: Int64(tag)), in: V1.Note.tags)
        }
      }
    }
  }

  @Test func `links follow the names and the keys of both ends`() async throws {
    try await makeNotes()
    for attempt in 1...2 {
      try await file.open(V2.Page.self, V2.Label.self) { stack in
        let one = try await stack.fetch(V2.Page.labels(of: 1)).map(\.id)
        // The links are in the order of their row numbers. The save wrote them in the order of
        // their keys.
        #expect(one == [7, 9])
        let two = try await stack.fetch(V2.Page.labels(of: 2)).map(\.id)
        #expect(two == [7])
        #expect(stack.migration.isEmpty == (attempt == 2))
        if attempt == 2 {
          // A link's key consists of its ends' keys, so linking once more changes nothing.
          try await stack.withScratch {
            $0.link(V2.Page(id: 2), to: V2.Label(id: 7), in: V2.Page.labels)
          }
        }
      }
      #expect(
        try file.rows("SELECT owner, target FROM \"strata_join_pages.labels\" ORDER BY 1, 2")
          == ["1 7", "1 9", "2 7"])
    }
  }

  @Test func `links that nobody claims refuse the store, and go with either end`() async throws {
    try await makeNotes()
    let refused = await file.migrate(V2.Alone.self, V1.Tag.self).error
    #expect(refused?.code == .schemaMismatch)
    #expect(refused?.message.contains("\"strata_join_notes.tags\"") == true)
    let gone = await file.migrate(V2.Alone.self) { $0.removedTables = ["tags"] }
    #expect(
      gone.actions.map { Array($0.prefix(2)) } == [
        .removeTable("strata_join_notes.tags", rows: 3), .removeTable("tags", rows: 3),
      ])
  }

  @Test func `a step gives a relationship another name`() async throws {
    try await makeNotes()
    let step = MigrationStep(to: 2) {
      try $0.renameTable("strata_join_notes.tags", to: "strata_join_notes.marks")
    }
    try await file.open(
      V2.Renamed.self, V1.Tag.self, version: 2, options: { $0.migrations = [step] }
    ) { stack in
      let tags = try await stack.fetch(V2.Renamed.tags(of: "1")).map(\.id)
      #expect(tags == [7, 9])
    }
  }

  @Test func `a key is not converted under references that are not`() async throws {
    try await file.open(Keys.Album.self, Keys.Song.self) { stack in
      try await stack.withScratch {
        $0.insert(Keys.Album(id: "x"))
        $0.insert(Keys.Song(id: 1, albumID: "x"))
      }
    }
    let stale = await file.migrate(Keys.NewAlbum.self, Keys.StaleSong.self).error
    #expect(stale?.code == .schemaMismatch && stale?.entity == "StaleSong")
    #expect(stale?.attributes == ["albumID"])
    #expect(await file.migrate(Keys.NewAlbum.self, Keys.NewSong.self).error == nil)
    #expect(try file.rows("SELECT albumID FROM songs") == ["X"])
    #expect(try file.rows("SELECT id FROM albums") == ["X"])
  }
}
