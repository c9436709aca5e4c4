internal import StrataSQLite

// Commits of other processes: noticed in every transaction, when a snapshot is pinned, and when the
// signal file says so; whichever comes first publishes them.

extension Writer {
  /// More than this is not worth reading one by one: the tables are read again instead.
  private static let foreignLimit = (commits: 100_000, bytes: 32 * 1024 * 1024)

  private static let beginReading = SQL("BEGIN")
  private static let endReading = SQL("COMMIT")

  /// Looks for commits of other processes, without the write lock; called between transactions.
  func checkForeignCommits() {
    guard let connection = try? connection else {
      if hasLostConnection { retryLookingForForeignCommits() }
      return
    }
    do throws(StoreError) {
      try inOneState(of: connection) { () throws(StoreError) in
        // What a program with other tables has committed means nothing here.
        try checkSchema(connection)
        _ = try noteForeignCommits(connection)
      }
    } catch  where error.code == .schemaChanged {
      return
    } catch {
      // The view context learns from a turn that the file is damaged, if that is so for it, too.
      if error.code == .notADatabase && !merge.isStuck { merge.wake() }
      retryLookingForForeignCommits()
    }
    answerMergePull()
  }

  /// Reads in one transaction: what somebody commits meanwhile is not seen in part.
  func inOneState(
    of connection: Connection, _ body: () throws(StoreError) -> Void
  ) throws(StoreError) {
    try translatingErrors { () throws(SQLiteError) in
      try connection.statement(for: Self.beginReading).run()
    }
    defer {
      try? connection.statement(for: Self.endReading).run()
      rollBack(connection)
    }
    try body()
  }

  /// Accounts for commits of other processes up to the state that the open transaction sees.
  ///
  /// - Returns: whether there was anything to publish.
  func noteForeignCommits(_ connection: Connection) throws(StoreError) -> Bool {
    let stored = try storedCommit(connection)
    let version = try storedDataVersion(connection)
    // Somebody wrote without counting; or an older file took the store's place.
    let isUncounted = version != dataVersion && stored == countedCommit
    dataVersion = version
    countedCommit = stored
    if stored > commit {
      publishForeign(upTo: stored, connection)
    } else if stored < commit || isUncounted {
      publishReset(upTo: stored)
    } else {
      return false
    }
    return true
  }

  /// Accounts for commits of other processes that a snapshot has seen.
  func catchUp(with snapshot: Snapshot) {
    guard snapshot.commit > commit else { return }
    // A snapshot is never beyond the changes that are published with it.
    guard let connection = try? connection else { return publishReset(upTo: snapshot.commit) }
    publishForeign(upTo: snapshot.commit, connection)
  }

  /// Publishes commits of other processes as the history has them, or as a reset if it does not
  /// have every single one.
  private func publishForeign(upTo number: Int64, _ connection: Connection) {
    guard let sets = (try? foreignChanges(upTo: number, connection)) ?? nil else {
      return publishReset(upTo: number)
    }
    for changes in sets { publish(changes, commit + 1) }
  }

  private func foreignChanges(
    upTo number: Int64, _ connection: Connection
  ) throws(SQLiteError) -> [[TableID: TableChanges]]? {
    guard number - commit <= Self.foreignLimit.commits else { return nil }
    var sets: [[TableID: TableChanges]] = []
    var size = 0
    try HistoryReader(connection, historyLayout, builder).forEach(
      after: commit, upTo: number
    ) { entry in
      size += entry.size
      guard entry.number == commit + Int64(sets.count) + 1, size <= Self.foreignLimit.bytes,
        let changes = entry.changes
      else { return false }
      sets.append(changes)
      return true
    }
    return sets.count == number - commit ? sets : nil
  }
}
