internal import Foundation
internal import StrataSQLite

extension StoreError {
  static var setAside: StoreError {
    StoreError(
      .busy, "the store was moved while it was being opened", advice: "open it again")
  }
}

/// Moves a store's files out of the way: `songs.sqlite` becomes
/// `songs.sqlite.unreadable-2026-11-21T09.41.07Z`.
struct SetAside {
  private static let suffixes = ["-wal", "-shm", ""]
  private let path: String
  private var prefix: String { (path as NSString).lastPathComponent + ".unreadable-" }
  private var folder: String { (path as NSString).deletingLastPathComponent }
  private let files = FileManager.default

  enum Outcome {
    /// Where the file is now; nil if it was deleted.
    case moved(URL?)
    /// Nothing was moved: the file is not the one that could not be read.
    case isAnother
  }

  init(_ path: String) { self.path = path }

  /// Moves the files, then deletes all but the newest ones that were moved.
  ///
  /// Nobody else can open the file meanwhile.
  ///
  /// - Parameter isSame: whether the file is still the one that could not be read; somebody else
  ///   may have set it aside.
  /// - Throws: ``StoreError`` with code `busy` if somebody else has the file open, and
  ///   `cannotOpen`; the file is where it was then.
  func move(
    at date: Date, keeping count: Int, if isSame: () -> Bool, after unreadable: StoreError
  ) throws(StoreError) -> Outcome {
    let lock: FileLock
    do throws(StoreError) { lock = try self.lock(after: unreadable) } catch {
      // Somebody else may be just about to create the next one.
      if !isSame() { return .isAnother }
      throw error
    }
    defer { withExtendedLifetime(lock) {} }
    if !isSame() { return .isAnother }
    let target = freeName(date)
    // The log first: what is left of it must never be taken for the new store's.
    for suffix in Self.suffixes where files.fileExists(atPath: path + suffix) {
      do { try files.moveItem(atPath: path + suffix, toPath: target + suffix) } catch {
        throw StoreError(
          .cannotOpen,
          "the store cannot be read, nor be set aside: \(error.localizedDescription) (\(path))",
          advice: "check that its folder can be written")
      }
    }
    deleteAll(butNewest: count)
    return .moved(files.fileExists(atPath: target) ? URL(fileURLWithPath: target) : nil)
  }

  /// What others have acknowledged since they opened the file would go with it, unseen.
  private func lock(after unreadable: StoreError) throws(StoreError) -> FileLock {
    do throws(SQLiteError) { return try FileLock(path: path) } catch {
      if !error.isBusy { throw StoreError(error, path: path) }
      var busy = StoreError(
        .busy,
        "the store cannot be read, nor be set aside, because somebody else has it open: "
          + "\(unreadable.message) (\(path))",
        advice: "close the other stack, or end the other process, and open the store again")
      busy.sqliteCode = error.code
      throw busy
    }
  }

  private func freeName(_ date: Date) -> String {
    let time = date.ISO8601Format().replacingOccurrences(of: ":", with: ".")
    let name = path + ".unreadable-" + time
    var number = 1
    var free = name
    while files.fileExists(atPath: free) {
      number += 1
      free = name + "-" + String(number)
    }
    return free
  }

  /// What cannot be deleted stays: it harms nobody.
  private func deleteAll(butNewest count: Int) {
    let names = (try? files.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)) ?? []
    let stores = names.filter { $0.hasPrefix(prefix) && !$0.hasSuffix("-wal") }
      .filter { !$0.hasSuffix("-shm") }
    let newestFirst = stores.sorted { $0.compare($1, options: .numeric) == .orderedDescending }
    for name in newestFirst.dropFirst(max(0, count)) {
      for suffix in Self.suffixes {
        try? files.removeItem(atPath: (folder as NSString).appendingPathComponent(name + suffix))
      }
    }
  }
}
