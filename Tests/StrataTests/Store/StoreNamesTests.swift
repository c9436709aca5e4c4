import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataSQLite

/// The names of a store's file.
///
/// A stack that was opened through a symbolic link signalled its commits in a file beside the link.
/// No stack of the file itself heard it, nor did it hear them.
@Suite(.inTurn) struct StoreNamesTests {
  private let folder: StoreFolder
  private let files = FileManager.default
  private var home: String { folder.url.deletingLastPathComponent().path }

  init() throws { folder = try StoreFolder() }

  private func stack(at path: String) async throws -> Stack {
    var options = Stack.Options()
    options.busyTimeout = .milliseconds(20)
    return try await Stack.open(
      Boat.self, Harbour.self, at: URL(fileURLWithPath: path), options: options)
  }

  /// Commits in each stack, and returns when the other stack has the commit.
  private func hear(_ first: Stack, _ second: Stack, _ id: Int) async throws {
    let commit = try await first.commit { $0.insert(Boat(id: id)) }
    try await second.viewContext.waitUntilMerged(commit)
    let answer = try await second.commit { $0.insert(Boat(id: id + 1)) }
    try await first.viewContext.waitUntilMerged(answer)
  }

  @Test func `stacks of one file hear each other under all of its names`() async throws {
    try files.createDirectory(atPath: home + "/inner", withIntermediateDirectories: false)
    try files.createSymbolicLink(atPath: home + "/link", withDestinationPath: "store.sqlite")
    try files.createSymbolicLink(atPath: home + "/inner/far", withDestinationPath: "../link")
    try files.createSymbolicLink(atPath: home + "/folder", withDestinationPath: "inner")
    let names = ["link", "inner/far", "folder/far", "inner/../store.sqlite", "./link"]
    for (number, name) in names.enumerated() {
      // The first stack to open makes the file, also behind a link.
      let other = try await stack(at: home + "/" + name)
      let own = try await folder.stack()
      try await hear(own, other, number * 10)
      await own.close()
      await other.close()
    }
    let left = try files.subpathsOfDirectory(atPath: home).filter { $0.contains("-") }
    #expect(left == [])
  }

  @Test func `a relative path stays the path of its file`() async throws {
    let path = StorePath("store.sqlite")
    #expect(path.given == files.currentDirectoryPath + "/store.sqlite")
    #expect(path.canonical.hasPrefix("/") && path.canonical.hasSuffix("/store.sqlite"))
  }

  @Test func `a link that leads to another file gets no commit`() async throws {
    let link = home + "/link"
    try files.createSymbolicLink(atPath: link, withDestinationPath: "store.sqlite")
    let own = try await stack(at: link)
    try await own.commit { $0.insert(Boat(id: 1)) }
    try files.removeItem(atPath: link)
    try files.createSymbolicLink(atPath: link, withDestinationPath: "second.sqlite")
    #expect(await failure { try await own.commit { $0.insert(Boat(id: 2)) } }?.code == .replaced)
    let second = try await stack(at: link)
    #expect(try await second.fetch(Boat.all) == [])
    await second.close()
    try files.removeItem(atPath: link)
    try files.createSymbolicLink(atPath: link, withDestinationPath: "store.sqlite")
    try await own.commit { $0.insert(Boat(id: 2)) }
    await own.close()
    let again = try await folder.stack()
    #expect(try await again.fetch(Boat.all).map(\.id) == [1, 2])
    await again.close()
  }

  /// SQLite names the log after the file. Two stacks with two names would write two logs, and each
  /// would overwrite the pages of the other.
  @Test func `a file is not opened under two names at once`() async throws {
    let name = home + "/hard.sqlite"
    let own = try await folder.stack()
    try await own.commit { $0.insert(Boat(id: 1)) }
    try files.linkItem(atPath: folder.path, toPath: name)
    let error = await failure { try await stack(at: name) }
    #expect(error?.code == .cannotOpen && error?.message.contains("hard link") == true)
    // The same name is no other name.
    let beside = try await folder.stack()
    try await hear(own, beside, 2)
    await beside.close()
    await own.endAsIfKilled()
    #expect(await failure { try await stack(at: name) }?.code == .cannotOpen)
    await (try folder.stack()).close()
    let other = try await stack(at: name)
    #expect(try await other.fetch(Boat.all).map(\.id) == [1, 2, 3])
    await other.close()
  }
}
