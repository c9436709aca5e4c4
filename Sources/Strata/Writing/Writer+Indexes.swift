internal import StrataSQLite

extension Writer {
  /// Makes one of the indexes that an import has dropped.
  ///
  /// - Parameter givesWay: whether to stop, and leave everything as it was, when an urgent unit
  ///   waits. An index of a million rows takes some hundred milliseconds.
  func makeNextOwedIndex(givesWay: Bool) throws(StoreError) -> DeferredIndexes.Step {
    guard owesIndexes else { return .done }
    if !givesWay { return try makeNextOwedIndex() }
    return try queue.untilUrgent { flag throws(StoreError) in
      let connection = try connection
      connection.installCancellation(flag)
      defer { connection.removeCancellation() }
      do throws(StoreError) { return try makeNextOwedIndex() } catch {
        guard error.code == .cancelled else { throw error }
        return .gaveWay
      }
    }
  }

  private func makeNextOwedIndex() throws(StoreError) -> DeferredIndexes.Step {
    try transaction { transaction throws(StoreError) in
      let connection = transaction.connection
      transaction.owesIndexes = try translatingErrors { () throws(SQLiteError) in
        try DeferredIndexes.makeNext(connection)
      }
      // SQLite may check the flag once more after the commit, and would report the commit as
      // interrupted.
      connection.removeCancellation()
      // The commit is counted, because another process may read the schema at once.
      (transaction.isCounted, transaction.hasNewSchema) = (true, true)
      return transaction.owesIndexes ? .made : .done
    }.result
  }
}
