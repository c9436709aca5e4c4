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

  /// Makes an empty file, unless something is there or cannot be made.
  static func create(_ path: String) {
    creation.withLock { _ in
      let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      if file >= 0 { close(file) }
    }
  }
}
