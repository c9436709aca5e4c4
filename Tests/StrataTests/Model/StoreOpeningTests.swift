internal import Foundation
internal import StrataSQLite
import StrataTestTurns
import Testing

@testable import Strata

private struct Song: Entity, Equatable {
  var id: Int64 = 0
  var title = ""
  static let schema = Schema<Song>("songs", key: \.id) { Attribute(\.title) }
}

/// The same table with one more column.
private struct LongSong: Entity {
  var id: Int64 = 0
  var title = ""
  var length: Double?
  static let schema = Schema<LongSong>("songs", key: \.id) {
    Attribute(\.title)
    Attribute(\.length)
  }
}

/// The answers of `Stack.open` to files that exist already.
@Suite(.inTurn) struct StoreOpeningTests {
  private let folder: TemporaryFolder
  private var url: URL { URL(fileURLWithPath: folder.path + "/store.sqlite") }

  init() throws { folder = try TemporaryFolder() }

  private func error(
    opening types: any Entity.Type..., at url: URL? = nil, version: Int = 1
  ) async -> StoreError? {
    var options = Stack.Options()
    options.schemaVersion = version
    do {
      try await Stack.open(types, at: url ?? self.url, options: options).close()
      return nil
    } catch {
      return error as? StoreError
    }
  }

  private func withConnection(_ body: (Connection) throws -> Void) throws {
    try body(Connection(path: url.path, access: .readWrite, busyTimeout: .zero))
  }

  private func makeStore(version: Int = 1) async throws {
    var options = Stack.Options()
    options.schemaVersion = version
    let stack = try await Stack.open(Song.self, at: url, options: options)
    try await stack.withScratch { $0.insert(Song(id: 1, title: "So What")) }
    await stack.close()
  }

  @Test(arguments: ["https://example.com/store.sqlite", "store.sqlite", "data:,"])
  func `a URL that is not of a file is refused`(text: String) async throws {
    defer { folder.remove() }
    let url = try #require(URL(string: text))
    #expect(await error(opening: Song.self, at: url)?.code == .cannotOpen)
    let plan = await #expect(throws: StoreError.self) { try await Stack.plan(Song.self, at: url) }
    #expect(plan?.code == .cannotOpen && plan?.description.contains(text) == true)
  }

  @Test func `a store is opened again with everything in it`() async throws {
    defer { folder.remove() }
    try await makeStore()
    let stack = try await Stack.open(Song.self, at: url)
    #expect(try await stack.fetch(Song.all) == [Song(id: 1, title: "So What")])
    await stack.close()
  }

  @Test func `a store of a newer schema version`() async throws {
    defer { folder.remove() }
    try await makeStore(version: 3)
    let error = await error(opening: Song.self, version: 2)
    #expect(error?.code == .newerStore)
    #expect(error?.message.contains("version 3; this program knows 2") == true)
    #expect(error?.message.contains(url.path) == true)
    #expect(await self.error(opening: Song.self, version: 3) == nil)
  }

  @Test func `a store of a newer format`() async throws {
    defer { folder.remove() }
    try await makeStore()
    try withConnection { try $0.execute("PRAGMA user_version = 99") }
    let error = await error(opening: Song.self)
    #expect(error?.code == .newerStore && error?.message.contains("format 99") == true)
  }

  @Test func `a store that has what the model does not declare says what`() async throws {
    defer { folder.remove() }
    try await makeStore()
    #expect(await error(opening: LongSong.self) == nil)
    let column = await error(opening: Song.self)
    #expect(column?.code == .schemaMismatch && column?.message.contains("\"length\"") == true)
    let table = await error(opening: StoreOpeningTests.Other.self)
    #expect(table?.code == .schemaMismatch && table?.message.contains("\"songs\"") == true)
  }

  fileprivate struct Other: Entity {
    var id: Int64 = 0
    static let schema = Schema<Other>("others", key: \.id) {}
  }

  @Test func `a refused store is left as it was`() async throws {
    defer { folder.remove() }
    try await makeStore(version: 2)
    _ = await error(opening: Other.self, version: 2)
    _ = await error(opening: Song.self, version: 1)
    let stack = try await Stack.open(Song.self, at: url, options: .init(schemaVersion: 2))
    #expect(try await stack.fetch(Song.all).map(\.title) == ["So What"])
    await stack.close()
  }

  @Test(arguments: ["PRAGMA application_id = 0", "PRAGMA application_id = 1196444487"])
  func `an SQLite file of another program`(pragma: String) async throws {
    defer { folder.remove() }
    try withConnection {
      try $0.execute("CREATE TABLE songs (id INTEGER PRIMARY KEY, title TEXT NOT NULL)")
      try $0.execute(pragma)
    }
    let error = await error(opening: Song.self)
    #expect(error?.code == .notADatabase)
    #expect(error?.message.contains("another program") == true)
    try withConnection { connection in
      let tables = try connection.integer("SELECT count(*) FROM sqlite_schema")
      #expect(tables == 1)
    }
  }

  @Test func `an empty database of another program`() async throws {
    defer { folder.remove() }
    try withConnection { try $0.execute("PRAGMA application_id = 7") }
    #expect(await error(opening: Song.self)?.code == .notADatabase)
  }

  @Test func `a file that is no database`() async throws {
    defer { folder.remove() }
    let letter = Data(String(repeating: "Dear Miles, ", count: 500).utf8)
    try letter.write(to: url)
    let error = await error(opening: Song.self)
    #expect(error?.code == .notADatabase && error?.sqliteCode == 26)
    #expect(error?.message.contains(url.path) == true)
    #expect(try Data(contentsOf: url) == letter)
  }

  @Test func `a folder, a path below a file, and a folder that does not exist`() async throws {
    defer { folder.remove() }
    try await makeStore()
    for url in [
      URL(fileURLWithPath: folder.path), url.appendingPathComponent("store.sqlite"),
      URL(fileURLWithPath: folder.path + "/nowhere/store.sqlite"),
    ] {
      let error = await error(opening: Song.self, at: url)
      #expect(error?.code == .cannotOpen && error?.message.contains(url.path) == true)
    }
  }

  @Test func `a stack that is closed leaves the store's file and no other file`() async throws {
    defer { folder.remove() }
    let before = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let stack = try await Stack.open(Song.self, at: url)
    await stack.close()
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(before.isEmpty && names == ["store.sqlite"])
  }
}

extension Stack.Options {
  fileprivate init(schemaVersion: Int) {
    self.init()
    self.schemaVersion = schemaVersion
  }
}
