internal import Foundation
internal import StrataSQLite

/// A file that gets its name only when it is whole, and has another name in the same folder until then.
///
/// A process that is killed leaves such a file. A copy to the same place that begins a minute later or more
/// removes it.
struct UnfinishedFile {
  /// The place of the whole file.
  let target: String
  /// The place of the file until then.
  let path: String
  private let files = FileManager.default

  private static let suffixes = SetAside.Companion.allCases.map(\.rawValue)

  init(for target: String) {
    self.target = target
    path = Self.prefix(target) + UUID().uuidString
  }

  private static func prefix(_ target: String) -> String {
    let folder = (target as NSString).deletingLastPathComponent
    let name = (target as NSString).lastPathComponent
    return (folder as NSString).appendingPathComponent(".\(name).unfinished-")
  }

  var folder: String { (target as NSString).deletingLastPathComponent }

  /// Checks that neither a file nor a file that SQLite would take for its log is at the target.
  ///
  /// - Throws: `fileExists`.
  func checkTarget() throws(StoreError) {
    for name in [target] + Self.suffixes.map({ target + $0 }) where Self.isTaken(name) {
      throw .fileExists(name)
    }
  }

  /// Whether a name is taken, also by a symbolic link to a missing file.
  private static func isTaken(_ path: String) -> Bool {
    (try? FileManager.default.attributesOfItem(atPath: path)) != nil
  }

  /// The time for which a file that nobody writes may still be one that is under way.
  private static let patience: Int64 = 60 * 1_000_000_000

  /// Removes the files that ended processes have left for the same target.
  ///
  /// A connection locks the file of a copy that is under way, except for moments in which no connection
  /// has it open.
  func removeLeftovers() {
    let prefix = Self.prefix(target)
    let (start, own) = (
      (prefix as NSString).lastPathComponent, (path as NSString).lastPathComponent
    )
    let latest = Int64(Date().timeIntervalSince1970 * 1_000_000_000) - Self.patience
    for name in (try? files.contentsOfDirectory(atPath: folder)) ?? []
    where name.hasPrefix(start) && name != own
      && !Self.suffixes.contains(where: { name.hasSuffix($0) })
    {
      let path = (folder as NSString).appendingPathComponent(name)
      guard let status = FileStatus(path), status.modified < latest,
        let file = try? DatabaseFile(path: path), (try? file.lock()) != nil
      else { continue }
      withExtendedLifetime(file) { Self.remove(path) }
    }
  }

  /// Removes the file and everything that SQLite has beside it.
  func remove() { Self.remove(path) }

  private static func remove(_ path: String) {
    for name in suffixes.map({ path + $0 }) + [path] { unlink(name) }
  }

  /// Gives the file its name, unless a file has it.
  ///
  /// - Throws: `fileExists`, and `inputOutput` or `cannotOpen` if the system refuses.
  func publish() throws(StoreError) {
    try check(FileNames.rename(path, toNew: target))
    FileNames.sync(folder)
    remove()
  }

  /// Gives the file its name, which the file at the target then has no longer.
  ///
  /// - Parameter didRename: called before the log and the journal of the earlier file are removed.
  func replaceTarget(_ didRename: () -> Void) throws(StoreError) {
    try check(FileNames.rename(path, over: target))
    FileNames.sync(folder)
    didRename()
    for suffix in Self.suffixes { unlink(target + suffix) }
    FileNames.sync(folder)
    remove()
  }

  private func check(_ outcome: FileNames.Outcome) throws(StoreError) {
    switch outcome {
    case .done: return
    case .isTaken: throw .fileExists(target)
    case .failed(let number):
      throw StoreError(
        .cannotOpen,
        "the file cannot get its name: \(String(cString: strerror(number))) (\(target))",
        advice: "check that its folder is there and can be written, then try again")
    }
  }
}

extension StoreError {
  fileprivate static func fileExists(_ path: String) -> StoreError {
    StoreError(
      .fileExists, "a file is already at the place of the copy (\(path))",
      advice: "choose another name for the copy, or move the file away")
  }

  /// Returns the error of making a file, with a name that the app knows.
  ///
  /// - Parameter source: the file from whose contents the error comes, unless the disk is its reason.
  func making(_ file: UnfinishedFile, from source: String? = nil) -> StoreError {
    let ofDisk: [Code] = [.diskFull, .inputOutput, .cannotOpen]
    if code == .cancelled { return self }
    let hasName = message.contains(file.target) || source.map(message.contains) == true
    let error = hasName ? self : at(file.path)
    let name = ofDisk.contains(code) ? file.target : source ?? file.target
    var copy = StoreError(
      code, error.message.replacingOccurrences(of: file.path, with: name),
      advice: code == .diskFull
        ? "free some space and try again: nothing was changed" : error.advice)
    copy.sqliteCode = sqliteCode
    copy.sql = sql
    return copy
  }
}
