internal import StrataSQLite

extension Writer {
  /// Writes the file anew without unused space, as one commit without a number.
  ///
  /// SQLite writes the whole store to the log. Other processes notice it, so that their snapshots move
  /// on, and read their tables again.
  ///
  /// - Parameter flag: stops the work, which then has changed nothing.
  /// - Returns: the number of bytes by which the store is smaller.
  func compact(_ flag: CancellationFlag) throws(StoreError) -> Int {
    if options.isReadOnly { throw .readOnlyStack }
    let connection = try connection
    let size = try connection.byteCount()
    try tieLog(connection)
    try file.checkPlace(of: connection, counter.mark)
    try vacuum(connection, flag)
    // The number of the schema's version rises, also if another program has changed the tables.
    guard try file.hasSameTables(connection) else {
      didFindOtherTables()
      throw .schemaChanged
    }
    // A log that becomes long again is cut off when it is started again.
    try? connection.run("PRAGMA journal_size_limit = \(options.settings.logLimit)")
    announcer.didPublish()
    return max(0, size - (try connection.byteCount()))
  }

  private func vacuum(
    _ connection: Connection, _ flag: CancellationFlag
  ) throws(StoreError) {
    connection.installCancellation(flag)
    defer { connection.removeCancellation() }
    do throws(StoreError) {
      try connection.run("VACUUM")
    } catch {
      file.rollBack(connection)
      throw error
    }
  }

  /// Writes the log back, which cuts the file off, and makes the log empty unless it is read.
  ///
  /// The snapshots of this process move to the newest state. A failure loses nothing, because the log
  /// has every commit.
  ///
  /// - Returns: whether the file is cut off; false while a reader needs its end.
  func cutFileOff() -> Bool {
    guard let connection = file.connection, !log.isWritingBack, isTied(connection) else {
      return false
    }
    moveSnapshots()
    guard let log = try? connection.checkpointPassively(), log.done == log.frames else {
      return false
    }
    moveSnapshots()
    _ = try? connection.emptyLog()
    return true
  }

  private func moveSnapshots() {
    if pool.isAtRest(at: commit) {
      pool.moveSnapshots(at: commit, schemaVersion: file.schemaVersion)
    }
  }
}
