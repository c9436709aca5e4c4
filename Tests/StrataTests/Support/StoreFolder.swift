import Foundation

@testable import Strata

/// A folder with a store that outlives its stacks.
final class StoreFolder: Sendable {
  private let folder: TemporaryFolder
  var url: URL { URL(fileURLWithPath: path) }
  var path: String { folder.path + "/store.sqlite" }

  init() throws { folder = try TemporaryFolder() }

  deinit { folder.remove() }

  /// The names of the folder's files, sorted, without the one that signals commits.
  var names: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: folder.path)
        .filter { !$0.hasSuffix("-notify") }.sorted()
    }
  }

  /// Moves the store's file; its log is gone when nobody has it open.
  func move(to name: String) throws {
    try FileManager.default.moveItem(atPath: path, toPath: folder.path + "/" + name)
  }

  func moveBack(from name: String) throws {
    if FileManager.default.fileExists(atPath: path) {
      try FileManager.default.removeItem(atPath: path)
    }
    try FileManager.default.moveItem(atPath: folder.path + "/" + name, toPath: path)
  }

  /// A stack of boats over the store.
  func stack(_ options: Stack.Options = .init()) async throws -> Stack {
    try await Stack.open(Boat.self, Harbour.self, at: url, options: options)
  }
}
