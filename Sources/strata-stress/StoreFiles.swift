import Foundation

/// The files of a store.
enum StoreFiles {
  /// Removes the file of a store, its log, and the files beside them.
  static func remove(_ url: URL) {
    for suffix in ["", "-wal", "-shm", "-notify"] {
      try? FileManager.default.removeItem(atPath: url.path + suffix)
    }
  }
}
