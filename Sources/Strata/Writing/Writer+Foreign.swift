internal import StrataSQLite

// Foreign commits are noticed in every transaction, when a snapshot is pinned, and when the signal
// file changes. The step that notices them first publishes them.

extension Writer {
  /// The limit of foreign commits that are read one by one; past it, the tables are read again.
  private static let foreignLimit = (commits: 100_000, bytes: 32 * 1024 * 1024)

  private static let beginReading = SQL("BEGIN")
  private static let endReading = SQL("COMMIT")

  /// Looks for foreign commits without the write lock; called between transactions.
  func checkForeignCommits() {
    guard let connection = try? connection else {
      if file.isLost { retryLookingForForeignCommits() }
      return
    }
    do throws(StoreError) {
      try inOneState(of: connection) { () throws(StoreError) in
        // Commits of a program with other tables mean nothing here.
        try checkSchema(connection)
        try noteForeignCommits(connection)
      }
    } catch  where error.code == .schemaChanged {
      return
    } catch {
      // A merge turn tells the view context that the file is damaged.
      if error.code == .notADatabase && !merge.pull.isStuck { merge.pull.wake() }
      retryLookingForForeignCommits()
    }
    offerMergeStep()
  }

  /// Runs `body` in a read transaction, which sees a concurrent commit whole or not at all.
  func inOneState(
    of connection: Connection, _ body: () throws(StoreError) -> Void
  ) throws(StoreError) {
    try connection.run(Self.beginReading)
    defer {
      try? connection.run(Self.endReading)
      file.rollBack(connection)
    }
    try body()
  }

  /// Publishes foreign commits up to the state that the open transaction sees.
  ///
  /// Commits whose history cannot be read are published as a reset.
  ///
  /// - Throws: the error of a read with which SQLite has ended the transaction. SQLite would commit
  ///   each later statement by itself.
  func noteForeignCommits(_ connection: Connection) throws(StoreError) {
    switch try counter.look(connection) {
    case .nothing: return
    case .unknown(let last): publish(model.resetOfEveryTable, last)
    case .commits(let last):
      do throws(StoreError) {
        publishForeign(try foreignChanges(upTo: last, connection), upTo: last)
      } catch {
        publishForeign(nil, upTo: last)
        if !connection.isInTransaction { throw error }
      }
    }
  }

  /// Publishes the foreign commits that a snapshot has seen.
  ///
  /// The snapshot must never be ahead of the published changes.
  func catchUp(with snapshot: Snapshot) {
    let last = snapshot.commit
    guard last > commit else { return }
    publishForeign(try? foreignChanges(upTo: last, connection), upTo: last)
  }

  /// Publishes the changes of foreign commits, or a reset if they are nil.
  private func publishForeign(_ sets: [[TableID: TableChanges]]?, upTo number: Int64) {
    guard let sets else { return publish(model.resetOfEveryTable, number) }
    for changes in sets { publish(changes, commit + 1) }
  }

  /// Returns the changes of foreign commits; nil if the history lacks a commit or has too much.
  private func foreignChanges(
    upTo number: Int64, _ connection: Connection
  ) throws(StoreError) -> [[TableID: TableChanges]]? {
    guard number - commit <= Self.foreignLimit.commits else { return nil }
    var sets: [[TableID: TableChanges]] = []
    var size = 0
    try HistoryReader(options.access(connection, builder)).forEach(
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
