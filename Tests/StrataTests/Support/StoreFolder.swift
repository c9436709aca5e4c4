import Foundation

@testable import Strata

/// A folder with a store that outlives its stacks.
final class StoreFolder: Sendable {
  private let folder: TemporaryFolder
  var url: URL { URL(fileURLWithPath: path) }
  var path: String { folder.path + "/store.sqlite" }

  init() throws { folder = try TemporaryFolder() }

  deinit { folder.remove() }

  /// The sorted names of the folder's files, without the file that signals commits.
  var names: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: folder.path)
        .filter { !$0.hasSuffix("-notify") }.sorted()
    }
  }

  /// Returns the URL of another file in the folder.
  func url(of name: String) -> URL { URL(fileURLWithPath: folder.path + "/" + name) }

  /// Gives a file of the folder, which may be in a folder there, a time long ago.
  func makeOld(_ name: String) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)],
      ofItemAtPath: url(of: name).path)
  }

  /// Moves the store's file.
  ///
  /// The store has no log once every stack has closed it.
  func move(to name: String) throws {
    try FileManager.default.moveItem(atPath: path, toPath: folder.path + "/" + name)
  }

  func moveBack(from name: String) throws {
    if FileManager.default.fileExists(atPath: path) {
      try FileManager.default.removeItem(atPath: path)
    }
    try FileManager.default.moveItem(atPath: folder.path + "/" + name, toPath: path)
  }

  /// Opens a stack of boats over the store.
  func stack(_ options: Stack.Options = .init()) async throws -> Stack {
    try await Stack.open(Boat.self, Harbour.self, at: url, options: options)
  }
}
