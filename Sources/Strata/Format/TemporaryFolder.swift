package import Foundation

/// A new folder that only this process knows, for a temporary store.
package final class TemporaryFolder: Sendable {
  package let path: String
  package var url: URL { URL(fileURLWithPath: path, isDirectory: true) }

  package init() throws(StoreError) {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-\(UUID().uuidString)", isDirectory: true)
    do {
      try FileManager.default.createDirectory(
        at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    } catch {
      throw StoreError(
        .cannotOpen, "no temporary folder: \(error.localizedDescription)",
        advice: "check the temporary directory")
    }
    path = url.path
  }

  package func remove() { try? FileManager.default.removeItem(atPath: path) }
}
