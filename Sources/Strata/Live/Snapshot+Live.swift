internal import StrataSQLite

extension Snapshot {
  /// The result of a live query as trees, built on the reader's executor.
  ///
  /// - Parameter limit: at most so many rows from the first; nil for all.
  func tree(_ plan: LivePlan, limit: Int?) async throws(StoreError) -> ResultTree {
    try await read { reader, connection throws(StoreError) in
      // Reading in table order and sorting records in memory is twice as fast as ORDER BY.
      let isSorted = limit != nil
      let sql = plan.query.select(limit: limit, offset: 0, isSorted: isSorted)
      var records = try reader.builder.records(
        try connection.prepared(sql, reader.model), of: plan.table, width: plan.query.width)
      if plan.isComputed {
        for index in records.indices { records[index] = try plan.extended(records[index]) }
      }
      return ResultTree(records, order: plan.order, isSorted: isSorted)
    }
  }
}
