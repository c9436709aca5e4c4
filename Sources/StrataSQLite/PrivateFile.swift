internal import Foundation
internal import Synchronization

/// A database file that only its owner can read and write.
///
/// SQLite itself creates files that other users can read. The log and its index get the permissions
/// of the database file.
package enum PrivateFile {
  /// Held while a file is created, so that a second connection that creates the file opens it only
  /// after the descriptor is closed. Closing a descriptor releases every lock that the process has
  /// on the file, including SQLite's.
  private static let creation = Mutex(())

  /// The maximum number of symbolic links to follow, like the system's own limit.
  private static let linkLimit = 32

  /// Creates an empty file, unless the file exists or cannot be created.
  ///
  /// A symbolic link to a missing file is followed, as SQLite does. Otherwise SQLite would create
  /// that file with its own permissions.
  package static func create(_ path: String) {
    creation.withLock { _ in
      var path = path
      for _ in 0..<linkLimit {
        let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if file >= 0 {
          close(file)
          return
        }
        guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else {
          return
        }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        path = URL(fileURLWithPath: target, relativeTo: folder).absoluteURL.path
      }
    }
  }
}
