import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataSQLite

internal import Foundation

private struct Artist: Entity {
  var id = 0
  var name = ""
  static let schema = Schema<Artist>("artists", key: \.id) { Attribute(\.name) }
}

private struct Song: Entity {
  enum Mood: String, AttributeValue { case calm, wild }

  var id = 0
  var title = ""
  var code: String?
  var bpm = 100.0
  var mood = Mood.calm
  var artistID = 1
  var isPlaying = false
  var initial: String { String(title.prefix(1)) }

  static let artist = toOne(\.artistID, Artist.self, onDelete: .deny)
  static let schema = Schema<Song>("songs", key: \.id) {
    Attribute(\.title).fullText()
    Attribute(\.code).unique()
    Attribute(\.bpm).validated("must be above 0") { $0 > 0 }
    Attribute(\.mood)
    artist
    Ignored(\.isPlaying)
  }
}

/// A store of one artist and one song, in a file on a disk that fails when a test says so.
private struct SongShop: Sendable {
  let disk: FaultyDisk
  let stack: Stack
  let song = Song(id: 1, title: "Blue")

  var path: String { disk.url.path }
  var folder: String { disk.url.deletingLastPathComponent().path }

  init() async throws {
    disk = try FaultyDisk()
    var options = Stack.Options()
    options.busyTimeout = .milliseconds(1)
    options.log = { _ in }
    stack = try await Stack.open(Song.self, Artist.self, at: disk.url, options: options)
    try await stack.withScratch { [song] in
      $0.insert(Artist(id: 1, name: "Miles"))
      $0.insert(song)
    }
  }

  func save(_ edit: @Sendable (ScratchContext) -> Void) async throws {
    try await stack.withScratch { edit($0) }
  }

  /// Saves an edit that does not know the edits before it.
  func saveBlindly(
    after other: @Sendable (ScratchContext) -> Void, _ edit: (ScratchContext) -> Void
  ) async throws {
    let scratch = stack.makeScratch()
    edit(scratch)
    try await save(other)
    try await scratch.save()
  }

  func execute(_ sql: String) throws {
    try Connection(path: path, .readWrite).execute(sql)
  }
}

/// The errors of an open store.
@Suite(.inTurn) struct SeenErrorTests {
  fileprivate typealias Provoke = @Sendable (SongShop) async throws -> Void

  fileprivate static let saving: [(situation: String, provoke: Provoke)] = [
    (
      "another edit has changed the attribute",
      { shop in
        try await shop.saveBlindly(after: { $0.update(shop.song) { $0.title = "theirs" } }) {
          $0.update(shop.song) { $0.title = "mine" }
        }
      }
    ),
    (
      "another edit has deleted the row",
      { shop in
        try await shop.saveBlindly(after: { $0.delete(shop.song) }) {
          $0.update(shop.song) { $0.title = "mine" }
        }
      }
    ),
    (
      "another edit has changed a deleted row",
      { shop in
        try await shop.saveBlindly(after: { $0.update(shop.song) { $0.title = "theirs" } }) {
          $0.delete(shop.song)
        }
      }
    ),
    ("the row exists already", { try await $0.save { $0.insert(Song(id: 1, title: "So What")) } }),
    (
      "a unique value is taken",
      { shop in
        try await shop.save { $0.insert(Song(id: 2, code: "A7")) }
        try await shop.save { $0.insert(Song(id: 3, code: "A7")) }
      }
    ),
    (
      "a value breaks a rule",
      { shop in try await shop.save { $0.update(shop.song) { $0.bpm = -1 } } }
    ),
    (
      "a reference leads nowhere",
      { shop in try await shop.save { $0.update(shop.song) { $0.artistID = 9 } } }
    ),
    (
      "a row refers to the deleted row",
      { try await $0.save { $0.delete(Artist(id: 1, name: "Miles")) } }
    ),
    (
      "a number is none",
      { shop in try await shop.save { $0.update(shop.song) { $0.bpm = .nan } } }
    ),
    (
      "another program is writing",
      { shop in
        let other = try Connection(path: shop.path, .readWrite)
        try other.execute("BEGIN IMMEDIATE")
        defer { withExtendedLifetime(other) {} }
        try await shop.save { $0.insert(Song(id: 2)) }
      }
    ),
    (
      "the disk is full",
      { shop in
        shop.disk.fail(.full)
        defer { shop.disk.recover() }
        try await shop.save { $0.insert(Song(id: 2)) }
      }
    ),
    (
      "the disk fails",
      { shop in
        shop.disk.fail(.writes)
        defer { shop.disk.recover() }
        try await shop.save { $0.insert(Song(id: 2)) }
      }
    ),
    (
      "the file was moved away",
      { shop in
        try FileManager.default.moveItem(atPath: shop.path, toPath: shop.path + ".away")
        try await shop.save { $0.insert(Song(id: 2)) }
      }
    ),
    (
      "another program has changed the tables",
      { shop in
        try shop.execute("ALTER TABLE songs ADD COLUMN more")
        try await shop.save { $0.insert(Song(id: 2)) }
      }
    ),
    (
      "the stack is closed",
      { shop in
        await shop.stack.close()
        try await shop.save { $0.insert(Song(id: 2)) }
      }
    ),
    (
      "the stack only reads",
      { shop in
        var options = Stack.Options()
        options.access = .readOnly
        let reader = try await Stack.open(
          Song.self, Artist.self, at: shop.disk.url, options: options)
        try await reader.withScratch { $0.insert(Song(id: 2)) }
      }
    ),
  ]

  fileprivate static let reading: [(situation: String, provoke: Provoke)] = [
    (
      "a condition uses a computed property",
      { _ = try await $0.stack.fetch(Song.where { $0.initial == "B" }) }
    ),
    (
      "an order uses an ignored property",
      { _ = try await $0.stack.fetch(Song.all.sorted(by: \.isPlaying)) }
    ),
    (
      "a search is misspelt",
      { _ = try await $0.stack.fetch(Song.matching(.expression("blue AND"))) }
    ),
    (
      "a stored value cannot be read",
      { shop in
        try shop.execute("UPDATE songs SET mood = 'zouk'")
        _ = try await shop.stack.fetch(Song.all)
      }
    ),
    (
      "raw SQL is misspelt",
      { _ = try await $0.stack.read("SELECT title FROM song", as: String.self) }
    ),
    ("raw SQL writes", { _ = try await $0.stack.read("DELETE FROM songs", as: String.self) }),
    (
      "the task is cancelled",
      { shop in
        let (gate, stack) = (TestGate(), shop.stack)
        let task = Task {
          await gate.pass()
          _ = try await stack.fetch(Song.all)
        }
        task.cancel()
        await gate.open()
        try await task.value
      }
    ),
    (
      "the time is over",
      { shop in
        try await withStoreDeadline(in: .zero) { _ = try await shop.stack.fetch(Song.all) }
      }
    ),
  ]

  private func check(
    _ seen: SeenErrors, _ provocation: (situation: String, provoke: Provoke)
  ) async throws {
    let shop = try await SongShop()
    await seen.check(provocation.situation, naming: [(shop.folder, "/app")]) {
      try await provocation.provoke(shop)
    }
    await shop.stack.close()
  }

  @Test(arguments: saving.indices)
  func `a save that fails is told as the article says`(_ index: Int) async throws {
    try await check(SeenErrors(under: "Saving"), Self.saving[index])
  }

  @Test(arguments: reading.indices)
  func `a read that fails is told as the article says`(_ index: Int) async throws {
    try await check(SeenErrors(under: "Reading"), Self.reading[index])
  }

  @Test func `the article has the errors of an open store that are provoked`() throws {
    try SeenErrors(under: "Saving").check(provoked: Self.saving.map(\.situation))
    try SeenErrors(under: "Reading").check(provoked: Self.reading.map(\.situation))
  }
}
