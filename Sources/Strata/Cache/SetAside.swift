internal import Foundation

/// Moves a store's files out of the way: `songs.sqlite` becomes
/// `songs.sqlite.unreadable-2026-11-21T09.41.07Z`.
struct SetAside {
  private static let suffixes = ["-wal", "-shm", ""]
  private let path: String
  private var prefix: String { (path as NSString).lastPathComponent + ".unreadable-" }
  private var folder: String { (path as NSString).deletingLastPathComponent }
  private let files = FileManager.default

  init(_ path: String) { self.path = path }

  /// Moves the files, then deletes all but the newest ones that were moved.
  ///
  /// - Returns: where the file is now; nil if it was deleted.
  /// - Throws: ``StoreError`` with code `cannotOpen`; the file is where it was then.
  func move(at date: Date, keeping count: Int) throws(StoreError) -> URL? {
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
    return files.fileExists(atPath: target) ? URL(fileURLWithPath: target) : nil
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
    for name in newestFirst.dropFirst(count) {
      for suffix in Self.suffixes {
        try? files.removeItem(atPath: (folder as NSString).appendingPathComponent(name + suffix))
      }
    }
  }
}
