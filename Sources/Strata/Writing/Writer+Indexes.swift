internal import StrataSQLite

extension Writer {
  /// Makes one of the indexes that an import has dropped.
  ///
  /// - Parameter givesWay: whether to stop, and leave everything as it was, when an urgent unit
  ///   waits. An index of a million rows takes some hundred milliseconds.
  func makeNextDeferredIndex(givesWay: Bool) throws(StoreError) -> DeferredIndexes.Step {
    guard hasDeferredIndexes else { return .done }
    if !givesWay { return try makeNextDeferredIndex(unless: nil) }
    return try queue.untilUrgent { flag throws(StoreError) in
      do throws(StoreError) { return try makeNextDeferredIndex(unless: flag) } catch {
        guard error.code == .cancelled else { throw error }
        return .gaveWay
      }
    }
  }

  /// Makes one of the dropped indexes, unless the flag is raised meanwhile.
  func makeNextDeferredIndex(
    unless flag: CancellationFlag?
  ) throws(StoreError) -> DeferredIndexes.Step {
    try transaction { transaction throws(StoreError) in
      let connection = transaction.connection
      if let flag { connection.installCancellation(flag) }
      // SQLite may check the flag once more after the commit, and would report the commit as
      // interrupted.
      defer { connection.removeCancellation() }
      transaction.hasDeferredIndexes = try DeferredIndexes.makeNext(connection)
      // The commit is counted, because another process may read the schema at once.
      (transaction.isCounted, transaction.hasNewSchema) = (true, true)
      return transaction.hasDeferredIndexes ? .moreLeft : .done
    }.result
  }
}
