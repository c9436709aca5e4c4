import StrataTesting
import Testing

@testable import Strata

internal import Foundation

@Suite(.timeLimit(.minutes(10))) struct PrivateFileTests {
  private let file: StoreFile
  init() throws { file = try StoreFile() }

  // SQLite made the file with the permissions that the process gives to any file: on a machine with
  // several users, every one of them could read what was stored.
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

  @Test func `a store that is there keeps its permissions`() async throws {
    await (try Stack.open(Item.self, at: file.url)).close()
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
    await (try Stack.open(Item.self, at: file.url)).close()
    let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o640)
  }

  private struct Item: Entity {
    var id = 0
    static let schema = Schema<Item>("items", key: \.id) {}
  }
}
