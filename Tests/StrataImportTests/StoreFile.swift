import Foundation
import Strata

/// A store file in a folder of its own, which a test may open several times.
final class StoreFile: Sendable {
  let url: URL

  init() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("strata-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    url = folder.appendingPathComponent("store.sqlite")
  }

  deinit { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }

  func open(
    _ entities: any Entity.Type..., options: Stack.Options = Stack.Options()
  ) async throws -> Stack {
    try await Stack.open(entities, at: url, options: options)
  }

  static func indexes(of table: String, _ stack: Stack) async throws -> Int {
    try await stack.read(
      "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = \(table) AND sql <> ''",
      as: String.self
    ).count
  }
}
