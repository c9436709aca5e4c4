internal import Foundation
internal import StrataSQLite

extension StoreError {
  static var setAside: StoreError {
    StoreError(
      .busy, "the store was moved while it was being opened", advice: "open it again")
  }
}

/// Moves the files of a store out of the way.
///
/// For example, `songs.sqlite` becomes `songs.sqlite.unreadable-2026-11-21T09.41.07Z`.
struct SetAside {
  /// The reason why files are set aside, which is a part of their names.
  enum Reason: String {
    /// The store cannot be read.
    case unreadable
    /// The log or the journal belongs to a file that is no longer at the path.
    case replaced
  }

  /// The files that SQLite has beside a database file.
  enum Companion: String, CaseIterable {
    case log = "-wal"
    case index = "-shm"
    case journal = "-journal"
  }

  private static let suffixes = Companion.allCases.map(\.rawValue) + [""]
  private let path: String
  private let reason: Reason
  private var prefix: String { (path as NSString).lastPathComponent + ".\(reason.rawValue)-" }
  private var folder: String { (path as NSString).deletingLastPathComponent }
  private let files = FileManager.default

  enum Outcome {
    /// The file was moved to this URL; nil if it was deleted.
    case moved(URL?)
    /// Nothing was moved, because the file is not the unreadable file any more.
    case isAnother
  }

  init(_ path: String, _ reason: Reason) { (self.path, self.reason) = (path, reason) }

  /// Moves one companion alone, and deletes the companion that was moved before.
  ///
  /// No other connection has the file open.
  ///
  /// - Throws: ``StoreError`` with code `cannotOpen`. The companion then stays where it is.
  func move(_ companion: Companion, at date: Date) throws(StoreError) -> URL {
    let suffix = companion.rawValue
    let earlier = (try? files.contentsOfDirectory(atPath: folder))?.filter { name in
      name.hasPrefix(prefix) && name.hasSuffix(suffix)
    }
    let target = freeName(date) + suffix
    do { try files.moveItem(atPath: path + suffix, toPath: target) } catch {
      throw StoreError(
        .cannotOpen,
        "the log or journal of another file cannot be set aside: \(error.localizedDescription)",
        advice: "check that its folder can be written")
    }
    for name in earlier ?? [] {
      try? files.removeItem(atPath: (folder as NSString).appendingPathComponent(name))
    }
    return URL(fileURLWithPath: target)
  }

  /// Moves the files, then deletes all but the newest files that were set aside.
  ///
  /// No other connection can open the file meanwhile.
  ///
  /// - Parameter isSame: whether the file is still the unreadable file, which may have been set
  ///   aside from elsewhere.
  /// - Throws: ``StoreError`` with code `busy` if another connection has the file open, and with
  ///   code `cannotOpen`. The database file then stays where it is.
  func move(
    at date: Date, keeping count: Int, if isSame: () -> Bool, after unreadable: StoreError
  ) throws(StoreError) -> Outcome {
    let lock: DatabaseFile
    do throws(StoreError) { lock = try self.lock(after: unreadable) } catch {
      // The connection that has the file open may be creating the next store.
      if !isSame() { return .isAnother }
      throw error
    }
    defer { withExtendedLifetime(lock) {} }
    if !isSame() { return .isAnother }
    let target = freeName(date)
    // The log moves first: a log that stays behind must never be taken for the new store's log.
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

  /// Locks the file against all other connections.
  ///
  /// Without the lock, commits that another connection makes after it opened the file would move
  /// away with the file, unnoticed.
  private func lock(after unreadable: StoreError) throws(StoreError) -> DatabaseFile {
    do throws(SQLiteError) {
      let file = try DatabaseFile(path: path)
      try file.lock()
      return file
    } catch {
      if !error.isBusy { throw StoreError(error).at(path) }
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
    let name = path + ".\(reason.rawValue)-" + time
    var number = 1
    var free = name
    while Self.suffixes.contains(where: { files.fileExists(atPath: free + $0) }) {
      number += 1
      free = name + "-" + String(number)
    }
    return free
  }

  /// Deletes all but the newest files that were set aside.
  ///
  /// A file that cannot be deleted stays and does no harm.
  private func deleteAll(butNewest count: Int) {
    let names = (try? files.contentsOfDirectory(atPath: folder)) ?? []
    let stores = names.filter { name in
      name.hasPrefix(prefix)
        && !Companion.allCases.contains { name.hasSuffix($0.rawValue) }
    }
    let newestFirst = stores.sorted { $0.compare($1, options: .numeric) == .orderedDescending }
    for name in newestFirst.dropFirst(max(0, count)) {
      for suffix in Self.suffixes {
        try? files.removeItem(atPath: (folder as NSString).appendingPathComponent(name + suffix))
      }
    }
  }
}
