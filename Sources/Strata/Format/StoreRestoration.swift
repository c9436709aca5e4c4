internal import Foundation
internal import StrataSQLite

/// Puts a copy of a store in the place of a store.
///
/// At each moment, the place has the earlier store or the restored one, whole:
///
/// | step | the place has |
/// | --- | --- |
/// | lock the earlier file against all connections | the earlier store |
/// | write the copy under another name, apply its log, check it, give it a session and a number | |
/// | lock the new file | |
/// | give the new file the name | the restored store, beside the log of the earlier one |
/// | remove the log, its index and the journal of the earlier file | the restored store |
///
/// A kill before the last step leaves a log of another session, which opening sets aside (`LogBeside`).
/// Nobody opens the new file before the last step, because it is locked, too: its own log must not be
/// taken for that of the earlier file.
struct StoreRestoration: Sendable {
  let copy: String
  let target: String
  /// The longest wait for a connection that is just closing.
  let timeout: Duration
  let meter: CopyMeter
  let flag: CancellationFlag
  /// Called after each step, for tests that look at the files.
  var didStep: @Sendable () -> Void = {}

  /// The number of bytes that are read and written at once. SQLite's files take 131,071 at most.
  private static let chunk = 1 << 16
  /// The number of bytes between two reports.
  private static let interval: Int64 = 1 << 20
  /// The distance from the copy's commit number to the first number after the restoration.
  ///
  /// Numbers after the copy's commit were given by the earlier store. None of them is given again, so
  /// a history token of the earlier store is expired, and names no commit with other contents.
  static let distance: Int64 = 1 << 32

  func run() throws(StoreError) {
    let source = try lockedCopy()
    let earlier = try lockedTarget()
    let file = UnfinishedFile(for: target)
    file.removeLeftovers()
    do throws(StoreError) {
      try write(file, from: source)
      do throws(StoreError) { try prepare(file) } catch { throw error.making(file, from: copy) }
      didStep()
      if flag.isRaised { throw .cancelled }
      try put(file, over: earlier)
      didStep()
    } catch {
      file.remove()
      throw error.making(file, from: copy)
    }
  }

  // MARK: - Locks

  /// Opens the copy, which no connection may have open: its pages could change between two reads.
  private func lockedCopy() throws(StoreError) -> DatabaseFile {
    guard let status = FileStatus(copy) else {
      throw StoreError(
        .cannotOpen, "there is no copy to restore (\(copy))",
        advice: "give the URL of a copy that Stack.copy(to:) has made")
    }
    if status.id == FileStatus(target)?.id {
      throw StoreError(
        .cannotOpen, "the copy is the store itself (\(copy))", advice: "give the URL of a copy")
    }
    do throws(SQLiteError) {
      let file = try DatabaseFile(path: copy)
      try lock(file) { $0.isBusy }
      if status.size > 0, !DatabasePage.isDatabase(try file.bytes(DatabasePage.headerSize, at: 0)) {
        throw SQLiteError.notADatabase
      }
      return file
    } catch {
      if error.isBusy { throw .openCopy(copy) }
      throw StoreError(error).at(copy)
    }
  }

  /// Locks the file at the target against all connections; nil if there is none.
  private func lockedTarget() throws(StoreError) -> (file: DatabaseFile, id: FileStatus.ID)? {
    guard let status = FileStatus(target) else { return nil }
    do throws(SQLiteError) {
      let file = try DatabaseFile(path: target)
      try lock(file) { _ in true }
      let header = try file.bytes(DatabasePage.headerSize, at: 0)
      if DatabasePage.isDatabase(header),
        DatabasePage.application(header) != StoreFormat.applicationID
      {
        throw SQLiteError.notADatabase
      }
      return (file, status.id)
    } catch {
      if error.isBusy { throw .openTarget(target) }
      if error.isNotADatabase { throw StoreError.otherProgram(target) }
      throw StoreError(error).at(target)
    }
  }

  /// Locks a file, and waits for a connection that is closing.
  ///
  /// - Parameter counts: whether an error of locking counts. A file that the process may not write
  ///   cannot be locked against writers.
  private func lock(
    _ file: DatabaseFile, _ counts: (SQLiteError) -> Bool
  ) throws(SQLiteError) {
    let end = ContinuousClock.now + timeout
    while true {
      do throws(SQLiteError) { return try file.lock() } catch {
        if !counts(error) { return }
        guard error.isBusy, ContinuousClock.now < end, !flag.isRaised else { throw error }
        Thread.sleep(forTimeInterval: 0.005)
      }
    }
  }

  // MARK: - The new file

  /// Writes the bytes of the copy, and of its log and journal.
  private func write(_ file: UnfinishedFile, from source: DatabaseFile) throws(StoreError) {
    let size = FileStatus(copy)?.size ?? 0
    try translatingErrors { () throws(SQLiteError) in
      let new = try DatabaseFile(path: file.path, isNew: true)
      try new.lock()
      var position: Int64 = 0
      while position < size, !flag.isRaised {
        let bytes = try source.bytes(Int(min(Int64(Self.chunk), size - position)), at: position)
        try new.write(bytes, at: position)
        position += Int64(bytes.count)
        if position % Self.interval == 0 || position == size {
          meter.report(.copying, Int(position), of: Int(size))
        }
      }
    }
    if flag.isRaised { throw .cancelled }
    didStep()
    for companion in [SetAside.Companion.log, .journal] {
      let (from, to) = (copy + companion.rawValue, file.path + companion.rawValue)
      guard let status = FileStatus(from), status.size > 0 else { continue }
      do { try FileManager.default.copyItem(atPath: from, toPath: to) } catch {
        throw StoreError(
          .inputOutput, "the log of the copy cannot be copied: \(error.localizedDescription)",
          advice: "free some space and try again: nothing was changed")
      }
    }
    guard try LogBeside(of: file.path).belongs() else {
      throw StoreError(
        .replaced, "the log or journal beside the copy belongs to another file (\(copy))",
        advice: "move it away, then restore the copy again")
    }
    didStep()
  }

  /// Makes the new file one file without a log, and checks it.
  private func prepare(_ file: UnfinishedFile) throws(StoreError) {
    let connection = try Connection.open(.alone, path: file.path)
    connection.installCancellation(flag)
    defer { connection.removeCancellation() }
    if try StoreFormat.isEmptyFile(connection) {
      throw StoreError(
        .notADatabase, "the copy is empty (\(copy))", advice: "restore another copy")
    }
    try StoreFormat.checkFormat(connection)
    try StoreCheck(meter: meter).check(connection)
    _ = try StoreIdentity.read(connection)
    let number = try StoredCommit.readMarked(connection).number
    try connection.run("BEGIN IMMEDIATE")
    try StoredCommit.write(LogMark(after: nil, over: [], at: file.path), connection)
    try StoredCommit.raise(to: number + Self.distance, connection)
    connection.removeCancellation()
    try connection.run("COMMIT")
  }

  // MARK: - The change of the files

  private func put(
    _ file: UnfinishedFile, over earlier: (file: DatabaseFile, id: FileStatus.ID)?
  ) throws(StoreError) {
    let new = try translatingErrors { () throws(SQLiteError) in
      let new = try DatabaseFile(path: file.path)
      try new.lock()
      return new
    }
    defer { withExtendedLifetime((new, earlier)) {} }
    if let earlier {
      guard FileStatus(target)?.id == earlier.id else { throw .openTarget(target) }
      try file.replaceTarget(didStep)
    } else {
      do throws(StoreError) { try file.publish() } catch {
        throw error.code == .fileExists ? .openTarget(target) : error
      }
    }
  }
}

extension StoreError {
  fileprivate static func openTarget(_ path: String) -> StoreError {
    StoreError(
      .busy, "the store is open, here or in another process (\(path))",
      advice: "close its stacks, and end the other process, then restore the copy again")
  }

  fileprivate static func openCopy(_ path: String) -> StoreError {
    StoreError(
      .busy, "the copy is open as a store (\(path))",
      advice: "close its stack, or restore a copy that its stack makes by copy(to:)")
  }

  fileprivate static func otherProgram(_ path: String) -> StoreError {
    StoreError(
      .notADatabase, "the file is an SQLite database of another program (\(path))",
      advice: "restore the copy to another place")
  }
}
