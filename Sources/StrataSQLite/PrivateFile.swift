internal import Foundation
internal import Synchronization

/// A database file that its owner alone can read and write.
///
/// SQLite itself gives a new file to everybody who finds it. The log and its index get the
/// permissions of the file.
enum PrivateFile {
  /// Closing a descriptor gives up every lock that the process has on the file, SQLite's included:
  /// nobody here opens a file that is being made.
  private static let creation = Mutex(())

  /// As many links as the system follows at most.
  private static let linkLimit = 32

  /// Makes an empty file, unless something is there or cannot be made.
  ///
  /// A link to nothing is followed as SQLite does, which would make the file for everybody.
  static func create(_ path: String) {
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
