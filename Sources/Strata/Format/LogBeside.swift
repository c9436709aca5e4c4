internal import Foundation
internal import StrataSQLite

/// The log, the log's index and the rollback journal that lie beside a database file, and their
/// removal if they belong to another file.
///
/// SQLite uses whatever lies beside the file. After a file was moved away or replaced, that is the
/// log of the earlier file, whose pages SQLite would write over those of the new one. The index may
/// even be in use by a stack that still has the earlier file open. So a store is opened in these
/// steps:
///
/// | another connection has the file open | the log belongs to the file | step |
/// | --- | --- | --- |
/// | no | yes | remove the index, which SQLite makes again |
/// | no | no | remove the index, and set the log aside |
/// | yes | yes | nothing |
/// | yes | no | wait for the other connection to close, then throw `replaced` |
///
/// A new store has a rollback journal until it has a log. A journal that belongs to the file is left
/// to SQLite, and any other one is set aside (`RollbackJournal`).
struct LogBeside {
  private let path: String
  private var log: String { path + SetAside.Companion.log.rawValue }
  private var index: String { path + SetAside.Companion.index.rawValue }
  private var journal: RollbackJournal? {
    RollbackJournal(path: path + SetAside.Companion.journal.rawValue)
  }
  private let files = FileManager.default

  /// Whether a journal is there that SQLite would roll back.
  var hasJournal: Bool { journal != nil }

  init(of path: String) { self.path = path }

  /// Makes the file and everything beside it fit each other.
  ///
  /// - Returns: the URLs of the log and of the journal, as far as they were set aside.
  /// - Throws: ``StoreError`` with code `replaced` if the file was put over a store that is still
  ///   open elsewhere, and with code `cannotOpen` if the file is open under another name.
  @discardableResult
  func settle(for timeout: Duration, at date: Date) throws(StoreError) -> [URL] {
    let end = ContinuousClock.now + timeout
    var pause = Duration.milliseconds(1)
    var waited = Duration.zero
    while let status = FileStatus(path) {
      if status.links > 1 { try checkNames(status) }
      let isAlone = FileStatus(log) == nil && FileStatus(index) == nil
      if isAlone && status.links == 1 && journal == nil { return [] }
      let file: DatabaseFile
      do throws(SQLiteError) { file = try DatabaseFile(path: path) } catch { return [] }
      if let urls = try settle(file, status.id, at: date) { return urls }
      guard waited < timeout, ContinuousClock.now < end else {
        throw isAlone ? .otherName : .overwritten
      }
      Thread.sleep(forTimeInterval: pause / .seconds(1))
      (waited, pause) = (waited + pause, min(pause * 2, .milliseconds(20)))
    }
    return []
  }

  /// Returns whether the log and the journal belong to the file, without changing anything.
  func belongs() throws(StoreError) -> Bool {
    let journal = journal
    guard let status = FileStatus(path), FileStatus(log) != nil || journal != nil else {
      return true
    }
    let file = try translatingErrors { () throws(SQLiteError) in try DatabaseFile(path: path) }
    guard try isFitting(file, status) else { return false }
    // A connection that is writing the journal has the file locked.
    guard let journal, (try? file.lock()) != nil else { return true }
    return try isFitting(journal, file, status)
  }

  /// - Returns: nil if another connection is in the way.
  private func settle(
    _ file: DatabaseFile, _ id: FileStatus.ID, at date: Date
  ) throws(StoreError) -> [URL]? {
    var isLocked = true
    do throws(SQLiteError) { try file.lock() } catch {
      // A file that cannot be locked cannot be opened either, and opening it has the better error.
      guard error.isBusy else { return [] }
      isLocked = false
    }
    defer { withExtendedLifetime(file) {} }
    // The file may have grown before it was locked.
    guard let status = FileStatus(path), status.id == id else { return nil }
    if !isLocked {
      // The other connection may be writing the journal. SQLite waits for it.
      guard FileStatus(log) != nil else { return journal == nil ? nil : [] }
      return try isFitting(file, status) ? [] : nil
    }
    let (belongs, journal) = (try isFitting(file, status), journal)
    let journalBelongs = try journal.map { journal throws(StoreError) in
      try isFitting(journal, file, status)
    }
    // The index goes first: a new file must never meet an index that is in use.
    unlink(index)
    var urls: [URL] = []
    if journalBelongs == false { urls.append(try setAside(.journal, at: date)) }
    if !belongs { urls.append(try setAside(.log, at: date)) }
    return urls
  }

  // MARK: - Belonging

  private func isFitting(_ file: DatabaseFile, _ status: FileStatus) throws(StoreError) -> Bool {
    do { return try belongs(to: file, status) } catch { throw StoreError(error) }
  }

  private func isFitting(
    _ journal: RollbackJournal, _ file: DatabaseFile, _ status: FileStatus
  ) throws(StoreError) -> Bool {
    do {
      // SQLite removes the journal of a change of the mode before it makes the log.
      if try hasLog(of: file, status) { return false }
      return try journal.belongs(to: file, size: status.size)
    } catch {
      throw StoreError(error)
    }
  }

  /// Returns whether the file has commits in a log that is known to be its own.
  private func hasLog(of file: DatabaseFile, _ status: FileStatus) throws(SQLiteError) -> Bool {
    guard let frames = LogMark.log(at: log), frames.hasCommits, LogMark(of: frames) != nil else {
      return false
    }
    return try belongs(to: file, status)
  }

  private func belongs(
    to file: DatabaseFile, _ status: FileStatus
  ) throws(SQLiteError) -> Bool {
    guard let frames = LogMark.log(at: log), frames.hasCommits, let mark = LogMark(of: frames)
    else { return true }
    let header = try file.bytes(DatabasePage.headerSize, at: 0)
    let size = DatabasePage.size(header)
    guard status.size > 0 else { return false }
    let page = try file.bytes(size, at: LogMark.position(header))
    let session: UInt64
    switch LogMark.stored(header, page) {
    case .session(let number): session = number
    case .unreadable: return true
    // A new store's tables are in the log alone until they are first written back.
    case .none: return status.size <= Int64(size) && DatabasePage.application(header) == 0
    }
    let current = LogMark.Place.File(status.id)
    // A copy of the log tells nothing about the file that it was copied with.
    let isOriginal = FileStatus(log).map { LogMark.Place.File($0.id) } == mark.place?.log
    let place = isOriginal ? mark.place : nil
    if session == mark.session {
      // Without the times of birth, a copy may have the number of a file that was removed.
      guard let place, place.log.birth != 0 else { return true }
      return place.file == current
    }
    guard session == mark.previous, !mark.isNoted else { return false }
    guard let place else { return true }
    // A reader can keep the page of the mark from being written back, but not the other pages.
    return place.file == current && place.row == LogMark.checksum(ofRowIn: page)
  }

  // MARK: - Names

  /// Checks that nothing of a file with several names is in the log or the journal of another name.
  ///
  /// SQLite names the log and the journal after the file, so two names have two of them.
  private func checkNames(_ status: FileStatus) throws(StoreError) {
    let folder = (path as NSString).deletingLastPathComponent
    let own = (path as NSString).lastPathComponent
    for name in (try? files.contentsOfDirectory(atPath: folder)) ?? [] where name != own {
      let other = (folder as NSString).appendingPathComponent(name)
      guard FileStatus(other)?.id == status.id,
        LogMark.log(at: other + SetAside.Companion.log.rawValue)?.hasCommits == true
          || RollbackJournal(path: other + SetAside.Companion.journal.rawValue) != nil
      else { continue }
      throw .otherName
    }
  }

  // MARK: - Setting aside

  private func setAside(
    _ companion: SetAside.Companion, at date: Date
  ) throws(StoreError) -> URL {
    try SetAside(path, .replaced).move(companion, at: date)
  }
}

extension StoreError {
  fileprivate static var otherName: StoreError {
    StoreError(
      .cannotOpen, "the file is in use under another name, a hard link",
      advice: "open the store under that name, or make a symbolic link or a copy of it")
  }

  fileprivate static var overwritten: StoreError {
    StoreError(
      .replaced, "the file was put over a store that is still open",
      advice: "close the other stack, or end the other process, and open the store again")
  }
}
