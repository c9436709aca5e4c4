import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataSQLite

internal import Foundation

/// A store with a copy beside it, on a disk that fails when a test says so.
private struct NoteShop: Sendable {
  struct Note: Entity {
    var id = 0
    static let schema = Schema<Note>("notes", key: \.id) {}
  }

  let disk: FaultyDisk
  let stack: Stack
  var folder: URL { disk.url.deletingLastPathComponent() }
  var copy: URL { folder.appending(path: "copy.store") }

  init() async throws {
    disk = try FaultyDisk()
    var options = Stack.Options()
    options.log = { _ in }
    stack = try await Stack.open(Note.self, at: disk.url, options: options)
    try await stack.withScratch { $0.insert(Note(id: 1)) }
  }

  /// Closes the store and restores a file, whose bytes `edit` may change.
  func restore(_ edit: (inout Data) -> Void = { _ in }) async throws {
    try await stack.copy(to: copy)
    await stack.close()
    var bytes = try Data(contentsOf: copy)
    edit(&bytes)
    try bytes.write(to: copy)
    try await restoreNow()
  }

  func restoreNow() async throws {
    try await Stack.restore(
      StoreRestoration(
        copy: StorePath(copy.path).canonical, target: StorePath(disk.url.path).canonical,
        timeout: .zero, meter: CopyMeter(handler: nil), flag: CancellationFlag()))
  }
}

/// The errors of copying, restoring and compacting a store.
@Suite(.inTurn) struct SeenCopyErrorTests {
  fileprivate typealias Provoke = @Sendable (NoteShop) async throws -> Void

  fileprivate static let provocations: [(situation: String, provoke: Provoke)] = [
    (
      "a file has the name of the copy",
      { shop in
        try Data().write(to: shop.copy)
        try await shop.stack.copy(to: shop.copy)
      }
    ),
    (
      "the folder of the copy is missing",
      { try await $0.stack.copy(to: $0.folder.appending(path: "missing/copy.store")) }
    ),
    (
      "the disk has no space for the copy",
      { shop in
        let disk = FaultyDisk(at: shop.folder.appending(path: ".copy.store"))
        disk.fail(.full)
        defer { withExtendedLifetime(disk) {} }
        try await shop.stack.copy(to: shop.copy)
      }
    ),
    (
      "the disk has no space to compact the store",
      { shop in
        shop.disk.fail(.full)
        defer { shop.disk.recover() }
        try await shop.stack.compact()
      }
    ),
    ("there is no copy to restore", { try await $0.restoreNow() }),
    (
      "the store is open",
      { shop in
        try await shop.stack.copy(to: shop.copy)
        try await shop.restoreNow()
      }
    ),
    (
      "the copy is open",
      { shop in
        try await shop.stack.copy(to: shop.copy)
        let opened = try await Stack.open(NoteShop.Note.self, at: shop.copy)
        defer { withExtendedLifetime(opened) {} }
        try await shop.restoreNow()
      }
    ),
    (
      "the copy is the store",
      { shop in
        await shop.stack.close()
        try await Stack.restore(shop.disk.url, to: shop.disk.url)
      }
    ),
    (
      "the copy is no store",
      { try await $0.restore { $0 = Data(String(repeating: "Dear Miles, ", count: 500).utf8) } }
    ),
    ("the copy is empty", { try await $0.restore { $0 = Data() } }),
    (
      "the copy is of a newer version",
      { try await $0.restore { $0[63] = UInt8(StoreFormat.version + 1) } }
    ),
    (
      "the log beside the copy is another file's",
      { shop in
        let log = try Data(contentsOf: URL(filePath: shop.disk.url.path + "-wal"))
        try await shop.stack.copy(to: shop.copy)
        await shop.stack.close()
        try log.write(to: URL(filePath: shop.copy.path + "-wal"))
        try await shop.restoreNow()
      }
    ),
    (
      "another program's file is at the place",
      { shop in
        try await shop.stack.copy(to: shop.copy)
        await shop.stack.close()
        try Connection(path: shop.disk.url.path, .readWrite).run("PRAGMA application_id = 7")
        try await shop.restoreNow()
      }
    ),
  ]

  private let shop: NoteShop
  private let seen: SeenErrors

  init() async throws {
    shop = try await NoteShop()
    seen = try SeenErrors(under: "Copying and restoring a store")
  }

  @Test(arguments: provocations.indices)
  func `a copy or a restoration that fails is told as the article says`(_ index: Int) async {
    let (situation, provoke) = Self.provocations[index]
    let folder = StorePath(shop.folder.path).canonical
    await seen.check(situation, naming: [(run: folder, article: "/app")]) {
      try await provoke(shop)
    }
    await shop.stack.close()
  }

  @Test func `each row of the article is provoked`() {
    seen.check(provoked: Self.provocations.map(\.situation))
  }
}
