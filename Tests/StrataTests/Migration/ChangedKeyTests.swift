import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

private enum V1 {
  struct Album: Entity {
    var id = ""
    var code = ""
    static let songs = manyToMany(Song.self)
    static let schema = Schema<Album>("albums", key: \.id) {
      Attribute(\.code)
      songs
    }
  }
  struct Song: Entity {
    var id: Int64 = 0
    var albumID: Album.ID?
    static let schema = Schema<Song>("songs", key: \.id) { toOne(\.albumID, Album.self) }
  }
}

/// The album's other attribute becomes its key.
///
/// Both attributes have one type, so the type does not show the change.
private enum V2 {
  struct Album: Entity {
    var oldID = ""
    var id = ""
    static let songs = manyToMany(Song.self)
    static let schema = Schema<Album>("albums", key: \.id) {
      Attribute(\.id).formerly("code")
      Attribute(\.oldID).formerly("id")
      songs
    }
  }
  struct Song: Entity {
    var id: Int64 = 0
    var albumID: Album.ID?
    static let schema = Schema<Song>("songs", key: \.id) { toOne(\.albumID, Album.self) }
  }
}

/// A new attribute becomes the key, with a different value in every row.
private enum NewKey {
  struct Album: Entity {
    var number = UUID().uuidString
    var oldID = ""
    var code = ""
    var id: String { number }
    static let songs = manyToMany(Song.self)
    static let schema = Schema<Album>("albums", key: \.number) {
      Attribute(\.oldID).formerly("id")
      Attribute(\.code)
      songs
    }
  }
  struct Song: Entity {
    var id: Int64 = 0
    var albumID: Album.ID?
    static let schema = Schema<Song>("songs", key: \.id) { toOne(\.albumID, Album.self) }
  }
}

private enum OptionalCode {
  struct Album: Entity {
    var id = ""
    var code: String?
    static let songs = manyToMany(Song.self)
    static let schema = Schema<Album>("albums", key: \.id) {
      Attribute(\.code)
      songs
    }
  }
  struct Song: Entity {
    var id: Int64 = 0
    var albumID: Album.ID?
    static let schema = Schema<Song>("songs", key: \.id) { toOne(\.albumID, Album.self) }
  }
}

/// An optional attribute becomes the key.
private enum RequiredCode {
  struct Album: Entity {
    var code = ""
    var oldID = ""
    var id: String { code }
    static let songs = manyToMany(Song.self)
    static let schema = Schema<Album>("albums", key: \.code) {
      Attribute(\.code).migrationDefault("")
      Attribute(\.oldID).formerly("id")
      songs
    }
  }
  struct Song: Entity {
    var id: Int64 = 0
    var albumID: Album.ID?
    static let schema = Schema<Song>("songs", key: \.id) { toOne(\.albumID, Album.self) }
  }
}

/// A change of the key under references and links.
///
/// Optional references and links would go on holding the old keys. They would lead nowhere, and no
/// error would say so.
@Suite(.inTurn) struct ChangedKeyTests {
  @Test func `a key is not changed under references and links that hold it`() async throws {
    let file = try StoreFile()
    try await file.open(V1.Album.self, V1.Song.self) { stack in
      try await stack.withScratch {
        $0.insert(V1.Album(id: "a", code: "x"))
        $0.insert(V1.Song(id: 1, albumID: "a"))
        $0.link(V1.Album(id: "a"), to: V1.Song(id: 1), in: V1.Album.songs)
      }
    }
    let error = await file.migrate(V2.Album.self, V2.Song.self).error
    #expect(error?.code == .schemaMismatch)
    #expect(error?.message.contains("albumID") == true)
    #expect(error?.message.contains("link of Album and Song") == true)
    #expect(try file.rows("SELECT albumID FROM songs") == ["a"])
    #expect(try file.rows("SELECT owner FROM \"strata_join_albums.songs\"") == ["a"])
  }
  /// The key also changes if the new key is not a stored attribute, or was optional.
  @Test func `a new attribute does not become the key under references and links`() async throws {
    let file = try StoreFile()
    try await file.open(V1.Album.self, V1.Song.self) { stack in
      try await stack.withScratch {
        $0.insert(V1.Album(id: "a", code: "x"))
        $0.insert(V1.Song(id: 1, albumID: "a"))
        $0.link(V1.Album(id: "a"), to: V1.Song(id: 1), in: V1.Album.songs)
      }
    }
    let error = await file.migrate(NewKey.Album.self, NewKey.Song.self).error
    #expect(error?.code == .schemaMismatch)
    #expect(error?.message.contains("albumID") == true)
    #expect(error?.message.contains("link of Album and Song") == true)
  }

  @Test func `an optional attribute does not become the key under references and links`()
    async throws
  {
    let file = try StoreFile()
    try await file.open(OptionalCode.Album.self, OptionalCode.Song.self) { stack in
      try await stack.withScratch {
        $0.insert(OptionalCode.Album(id: "a", code: "x"))
        $0.insert(OptionalCode.Song(id: 1, albumID: "a"))
        $0.link(OptionalCode.Album(id: "a"), to: .init(id: 1), in: OptionalCode.Album.songs)
      }
    }
    let error = await file.migrate(RequiredCode.Album.self, RequiredCode.Song.self).error
    #expect(error?.code == .schemaMismatch)
    #expect(error?.message.contains("albumID") == true)
    #expect(error?.message.contains("link of Album and Song") == true)
  }
}
