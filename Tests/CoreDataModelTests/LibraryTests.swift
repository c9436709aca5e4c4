import CStrataSQLite
import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@Suite(
  .inTurn,
  .stack(
    Album.self, Artist.self, Biography.self, DataEntity.self, Label.self, Media.self,
    Nickname.self, Nothing.self, Playlist.self))
struct LibraryTests {
  let stack = Stack.test

  @Test func `the entities of a model are one that opens, and keep what they are given`()
    async throws
  {
    let artist = Artist(
      latitude: 32.5, longitude: -94.4, name: "Miles", website: URL(string: "a:b"))
    let label = Label(name: "Columbia")
    let album = Album(barcode: "1", title: "Blue", artistID: artist.id, labelID: label.id)
    try await stack.withScratch { scratch in
      scratch.insert(artist)
      scratch.insert(label)
      scratch.insert(album)
      scratch.insert(Media(entityKind: .song, title: "So What", albumID: album.id))
      scratch.insert(DataEntity(words: ["a"]))
    }
    let song = try await stack.fetch(Media.where { $0.album.artist.name == "Miles" })
    #expect(song.map(\.title) == ["So What"])
    let denied = await #expect(throws: StoreError.self) {
      try await stack.withScratch { $0.delete(label) }
    }
    #expect(denied?.code == .deleteDenied)
    try await stack.withScratch { $0.delete(album) }
    #expect(try await stack.count(Media.all) == 0)
  }

  @Test func `a Core Data store is moved, and may be moved again`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "moved-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appending(path: "Library.sqlite")
    try OldLibrary.make(at: url)
    for _ in 1...2 {
      try await moveLibrary(from: url, to: stack)
      try await check()
    }
    #expect(try await stack.count(Artist.all) == 2)
  }

  private func check() async throws {
    let album = try #require(try await stack.find(Album.self, "0001"))
    #expect(album.title == "Kind of Blue" && album.price == Decimal(string: "9.99"))
    #expect(album.cover == Data([1, 2, 3]))
    let other = try #require(try await stack.find(Album.self, "0002"))
    #expect(other.cover == Data("a large cover".utf8) && other.price == nil)
    let miles = try #require(try await stack.fetch(Artist.where { $0.name == "Miles Davis" }).first)
    #expect(miles.id == UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
    #expect(album.artistID == miles.id)
    let nameless = try #require(try await stack.fetch(Artist.where { $0.name == nil }).first)
    #expect(other.artistID == nameless.id)
    let label = try #require(try await stack.find(Label.self, album.labelID))
    #expect(label.createdAt == Date(timeIntervalSinceReferenceDate: 694_224_000.25))
    let songs = try await stack.fetch(Album.songs(of: album))
    #expect(songs.map(\.title) == ["So What", "Blue in Green"])
    #expect(songs.map(\.entityKind) == [.song, .song] && songs.map(\.plays) == [7, nil])
    let book = try await stack.fetch(Media.where { $0.entityKind == .audiobook })
    #expect(book.map(\.title) == ["Miles"] && book.map(\.albumID) == [nil])
    let playlist = try #require(try await stack.fetch(Playlist.all).first)
    let items = try await stack.fetch(Playlist.items(of: playlist))
    #expect(items.map(\.title) == ["Miles", "So What", "Blue in Green"])
  }

  @Test func `a store that is none is an error`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "none-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    await #expect(throws: OldStoreError.self) {
      try await moveLibrary(from: folder.appending(path: "Library.sqlite"), to: stack)
    }
    try Data().write(to: folder.appending(path: "Empty.sqlite"))
    await #expect(throws: OldStoreError.self) {
      try await moveLibrary(from: folder.appending(path: "Empty.sqlite"), to: stack)
    }
  }

  @Test func `the keys of rows are their own in every store`() {
    let (first, second) = (UUID(), UUID())
    #expect(UUID(row: 1, of: first) == UUID(row: 1, of: first))
    let keys = [first, second].flatMap { store in (1...100).map { UUID(row: $0, of: store) } }
    #expect(Set(keys).count == 200)
  }

  /// The article must contain the tested code without changes.
  @Test func `the article has the code that is tested`() throws {
    let here = URL(filePath: #filePath).deletingLastPathComponent()
    let article = here.appending(path: "../../Sources/Strata/Strata.docc/MovingCoreData.md")
    let text = try String(contentsOf: article.standardized, encoding: .utf8)
    for name in ["OldStore.swift", "MoveLibrary.swift"] {
      let file = try String(contentsOf: here.appending(path: name), encoding: .utf8)
      let code = try #require(file.range(of: "import Strata\n")).upperBound
      let rest = file[code...].replacing(/\n#if canImport(?s:.)*?#endif\n/, with: "")
      #expect(text.contains(rest.trimmingCharacters(in: .newlines)), "\(name)")
    }
  }
}

/// A store with the layout that Core Data uses.
private enum OldLibrary {
  static func make(at url: URL) throws {
    let support = url.deletingLastPathComponent().appending(
      path: ".Library_SUPPORT/_EXTERNAL_DATA")
    try FileManager.default.createDirectory(at: support, withIntermediateDirectories: true)
    let cover = "6B29FC40-CA47-1067-B31D-00DD010662DA"
    try Data("a large cover".utf8).write(to: support.appending(path: cover))
    var database: OpaquePointer?
    defer { sqlite3_close(database) }
    try #require(sqlite3_open(url.path, &database) == SQLITE_OK)
    let reference = Data(cover.utf8).map { String(format: "%02x", $0) }.joined()
    let result = sqlite3_exec(database, sql + covers(reference), nil, nil, nil)
    try #require(result == SQLITE_OK, "\(String(cString: sqlite3_errmsg(database)))")
  }

  private static func covers(_ reference: String) -> String {
    """
    INSERT INTO ZALBUM VALUES (1, 1, 1, 1, 1, 9.99, '0001', 'Kind of Blue', x'01010203');
    INSERT INTO ZALBUM VALUES (2, 1, 1, 2, 1, NULL, '0002', 'Untitled', x'02\(reference)00');
    """
  }

  private static let sql = """
    PRAGMA journal_mode = WAL;
    CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
    INSERT INTO Z_METADATA VALUES (1, '8A9F5D0C-2B3E-4F6A-9C1D-7E8F90A1B2C3', x'');
    CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
    INSERT INTO Z_PRIMARYKEY VALUES (1, 'Album', 0, 2), (2, 'Artist', 0, 2), (3, 'Biography', 0, 0),
      (4, 'Dated', 0, 0), (5, 'Data', 4, 0), (6, 'Label', 4, 1), (7, 'Media', 0, 3),
      (8, 'Audiobook', 7, 0), (9, 'Playlist', 0, 1), (10, 'Song', 7, 0);
    CREATE TABLE ZARTIST (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLATITUDE FLOAT,
      ZLONGITUDE FLOAT, ZNAME VARCHAR, ZWEBSITE VARCHAR, ZID BLOB);
    INSERT INTO ZARTIST VALUES
      (1, 2, 1, NULL, NULL, 'Miles Davis', 'https://example.com', x'00112233445566778899AABBCCDDEEFF'),
      (2, 2, 1, NULL, NULL, NULL, 'https://example.org', NULL);
    CREATE TABLE ZLABEL (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCREATEDAT TIMESTAMP,
      ZNAME VARCHAR);
    INSERT INTO ZLABEL VALUES (1, 6, 1, 694224000.25, 'Columbia');
    CREATE TABLE ZALBUM (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZARTIST INTEGER,
      ZLABEL INTEGER, ZPRICE DECIMAL, ZBARCODE VARCHAR, ZTITLE VARCHAR, ZCOVER BLOB);
    CREATE TABLE ZMEDIA (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZPLAYS INTEGER,
      ZALBUM INTEGER, Z_FOK_ALBUM INTEGER, ZDURATION FLOAT, ZTITLE VARCHAR, ZNARRATOR VARCHAR);
    INSERT INTO ZMEDIA VALUES (1, 10, 1, NULL, 1, 2048, 327.5, 'Blue in Green', NULL),
      (2, 10, 1, 7, 1, 1024, 545, 'So What', NULL), (3, 8, 1, NULL, NULL, NULL, 3600, 'Miles', 'Q');
    CREATE TABLE ZPLAYLIST (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
    INSERT INTO ZPLAYLIST VALUES (1, 9, 1, 'Evening');
    CREATE TABLE Z_7PLAYLISTS (Z_7ITEMS INTEGER, Z_9PLAYLISTS INTEGER, Z_FOK_7ITEMS INTEGER,
      PRIMARY KEY (Z_7ITEMS, Z_9PLAYLISTS));
    INSERT INTO Z_7PLAYLISTS VALUES (1, 1, 3072), (2, 1, 2048), (3, 1, 1024);

    """
}
