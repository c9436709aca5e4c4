internal import StrataSQLite

extension Connection {
  /// Runs `body` entirely or not at all, as a part of the open transaction.
  ///
  /// If `body` throws, its part is rolled back, and the transaction can go on. If SQLite has ended
  /// the transaction by itself, it cannot, and ``isInTransaction`` is false.
  ///
  /// No other function may roll back a part of a transaction that goes on (`.ci/savepoints`).
  func atomically<Result>(
    _ body: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try overwriteFrame()
    try run("SAVEPOINT strata_part")
    do throws(StoreError) {
      let result = try body()
      try run("RELEASE strata_part")
      return result
    } catch {
      if isInTransaction {
        try run("ROLLBACK TO strata_part")
        try run("RELEASE strata_part")
      }
      throw error
    }
  }

  /// Makes SQLite compute the sums of all frames that the transaction writes from here on again at
  /// its commit.
  ///
  /// Without this, SQLite up to 3.50.1 loses the commit and all later commits when the process
  /// dies. A transaction that does not fit in the page cache writes pages to the log before its
  /// commit. If it then changes such a page again, it overwrites the frame, notes the first such
  /// frame, and writes later frames without sums. The commit computes the sums from the noted frame
  /// on. A rollback to a savepoint drops frames, but not the note, so the frames between the
  /// savepoint and the noted frame never get sums, and recovery stops there.
  ///
  /// Here the transaction overwrites a frame before the part begins. The note then lies before the
  /// part, and only an earlier frame can replace it.
  private func overwriteFrame() throws(StoreError) {
    // A row that does not change is not written, so the number goes up and down again.
    for step in ["+ 1", "- 1"] {
      try run("UPDATE strata_commit SET number = number \(step)")
      try translatingErrors { () throws(SQLiteError) in try writePages() }
    }
  }
}
