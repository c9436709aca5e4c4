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
      // SQLite may ask once more after the commit, and report it as interrupted.
      connection.removeCancellation()
      // Another process may read the schema at once, so the commit is counted.
      (transaction.isCounted, transaction.hasNewSchema) = (true, true)
      return transaction.owesIndexes ? .made : .done
    }.result
  }
}
