internal import Foundation
internal import StrataSQLite

/// The state of a file, as the system reports it.
struct FileStatus: Sendable, Equatable {
  /// The numbers that tell a file from every other file.
  struct ID: Sendable, Hashable {
    let device: UInt64
    /// The number, which a new file may have after this file was removed.
    let number: UInt64
    /// The time at which the file was made, in nanoseconds; 0 if the file system does not keep it.
    let birth: Int64
  }

  let id: ID
  /// The length in bytes.
  let size: Int64
  /// The time of the last write, in nanoseconds.
  let modified: Int64
  /// The number of the file's names.
  let links: Int

  /// Reads the state of the file at a path, behind symbolic links; nil if there is none.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    id = ID(
      device: UInt64(truncatingIfNeeded: status.st_dev),
      number: UInt64(truncatingIfNeeded: status.st_ino), birth: DatabaseFile.birth(of: path))
    size = Int64(status.st_size)
    modified = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    links = Int(status.st_nlink)
  }
}
