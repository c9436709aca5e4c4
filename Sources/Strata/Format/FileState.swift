internal import Foundation

/// What tells one state of a store's files from a later one while nobody here has them open.
///
/// A commit that is counted is told by its number. This notices what another program, which does
/// not count, has written.
struct FileState: Sendable {
  private struct File: Sendable, Equatable {
    let number: UInt64?
    let size: UInt64?
    let modified: Date?
  }

  private let database: File
  /// Nil if there is no log, or an empty one, which opening the database makes.
  private let log: File?

  /// What tells the database's file from any other that is there at the same time; nil if there is
  /// none.
  var number: UInt64? { database.number }

  init(ofDatabaseAt path: String) {
    database = Self.file(path)
    let log = Self.file(path + "-wal")
    self.log = (log.size ?? 0) == 0 ? nil : log
  }

  /// Whether nobody has written anything since. The log may be gone: whoever closes the database
  /// last removes it, and writes to the database what was not written back.
  func isUnchanged(since earlier: FileState) -> Bool {
    database == earlier.database && (log == nil || log == earlier.log)
  }

  private static func file(_ path: String) -> File {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return File(
      number: (attributes?[.systemFileNumber] as? NSNumber)?.uint64Value,
      size: (attributes?[.size] as? NSNumber)?.uint64Value,
      modified: attributes?[.modificationDate] as? Date)
  }
}
