internal import StrataSQLite

// Commits of other processes are noticed in every transaction, when a snapshot is pinned, and when
// the signal file tells of them. The first to notice them publishes them.

extension Writer {
  /// More commits are not read one by one: the tables are read again instead.
  private static let foreignLimit = (commits: 100_000, bytes: 32 * 1024 * 1024)

  private static let beginReading = SQL("BEGIN")
  private static let endReading = SQL("COMMIT")

  /// Looks for commits of other processes, without the write lock. Call between transactions.
  func checkForeignCommits() {
    guard let connection = try? connection else {
      if file.isLost { retryLookingForForeignCommits() }
      return
    }
    do throws(StoreError) {
      try inOneState(of: connection) { () throws(StoreError) in
        // Commits of a program with other tables mean nothing here.
        try checkSchema(connection)
        _ = try noteForeignCommits(connection)
      }
    } catch  where error.code == .schemaChanged {
      return
    } catch {
      // The view context learns from a turn that the file is damaged.
      if error.code == .notADatabase && !merge.isStuck { merge.wake() }
      retryLookingForForeignCommits()
    }
    answerMergePull()
  }

  /// Reads in one transaction, so that a commit made meanwhile is seen whole or not at all.
  func inOneState(
    of connection: Connection, _ body: () throws(StoreError) -> Void
  ) throws(StoreError) {
    try translatingErrors { () throws(SQLiteError) in
      try connection.statement(for: Self.beginReading).run()
    }
    defer {
      try? connection.statement(for: Self.endReading).run()
      file.rollBack(connection)
    }
    try body()
  }

  /// Publishes commits of other processes up to the state that the open transaction sees.
  ///
  /// - Returns: whether there was anything to publish.
  func noteForeignCommits(_ connection: Connection) throws(StoreError) -> Bool {
    switch try counter.look(connection) {
    case .nothing: return false
    case .commits(let last): publishForeign(upTo: last, connection)
    case .unknown(let last): publish(model.resetOfEveryTable, last)
    }
    return true
  }

  /// Publishes commits of other processes that a snapshot has seen.
  func catchUp(with snapshot: Snapshot) {
    guard snapshot.commit > commit else { return }
    publishForeign(upTo: snapshot.commit, try? connection)
  }

  /// Publishes commits of other processes as the history has them, or as a reset if it lacks one.
  private func publishForeign(upTo number: Int64, _ connection: Connection?) {
    // A snapshot is never beyond the changes that are published with it.
    guard let connection, let sets = (try? foreignChanges(upTo: number, connection)) ?? nil else {
      return publish(model.resetOfEveryTable, number)
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
