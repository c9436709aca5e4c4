import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

internal import Foundation

@Suite(.inTurn) struct PrivateFileTests {
  private let file: StoreFile
  init() throws { file = try StoreFile() }

  // SQLite creates the file with the process's usual permissions. On a machine with several users,
  // every user could then read the store.
  @Test func `a new store's files can be read by their owner alone`() async throws {
    let stack = try await Stack.open(Item.self, at: file.url)
    try await stack.withScratch { $0.insert(Item(id: 1)) }
    for suffix in ["", "-wal", "-shm", "-notify"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: file.path + suffix)
      let permissions = try #require(attributes[.posixPermissions] as? NSNumber)
      #expect(permissions.intValue == 0o600, "\(suffix)")
    }
    await stack.close()
  }

  @Test func `a temporary store's folder is its owner's alone`() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.path)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o700)
  }

  @Test func `a store that is there keeps its permissions`() async throws {
    await (try Stack.open(Item.self, at: file.url)).close()
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
    await (try Stack.open(Item.self, at: file.url)).close()
    let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o640)
  }

  // SQLite follows a link to a missing file, and would create that file for all users.
  @Test func `a new store behind a link can be read by its owner alone, too`() async throws {
    let manager = FileManager.default
    let folder = file.url.deletingLastPathComponent()
    try manager.createSymbolicLink(atPath: file.path, withDestinationPath: "second")
    try manager.createSymbolicLink(
      atPath: folder.path + "/second", withDestinationPath: folder.path + "/target")
    let stack = try await Stack.open(Item.self, at: file.url)
    try await stack.withScratch { $0.insert(Item(id: 1)) }
    await stack.close()
    let attributes = try manager.attributesOfItem(atPath: folder.path + "/target")
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
  }

  // A link may stand in the place of the file that signals commits. A signal must not write its
  // byte into the link's target.
  @Test(arguments: ["-notify", "-wal", "-shm", "-journal"])
  func `a link in the place of a file beside the store is not followed`(suffix: String)
    async throws
  {
    let victim = file.url.deletingLastPathComponent().appendingPathComponent("victim")
    let text = Data("something else".utf8)
    try text.write(to: victim)
    try FileManager.default.createSymbolicLink(
      atPath: file.path + suffix, withDestinationPath: victim.path)
    var stacks: [Stack] = []
    do {
      // A commit is signalled only if two stacks have the store open.
      for _ in 0..<2 { stacks.append(try await Stack.open(Item.self, at: file.url)) }
      let scratch = stacks[0].makeScratch()
      scratch.insert(Item(id: 1))
      try await scratch.save()
    } catch StoreError.Code.cannotOpen {}
    for stack in stacks { await stack.close() }
    #expect(try Data(contentsOf: victim) == text)
  }

  private struct Item: Entity {
    var id = 0
    static let schema = Schema<Item>("items", key: \.id) {}
  }
}
