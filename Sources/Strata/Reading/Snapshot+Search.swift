internal import StrataSQLite

extension Snapshot {
  /// Returns the keys of the given records that a search matches, whatever the store has for them.
  func matches(
    of search: ResolvedSearch, among records: [Record]
  ) async throws(StoreError) -> Set<RecordKey> {
    if records.isEmpty { return [] }
    return try await readOnce { reader, connection throws(StoreError) in
      try reader.matcher(of: search.index)
        .matches(of: search.expression, among: records, for: connection)
    }
  }

  /// Returns excerpts of records that a search matches.
  func excerpts(
    of search: ResolvedSearch, in records: [Record], length: Int
  ) async throws(StoreError) -> [(excerpt: Excerpt, attributes: [Excerpt?])] {
    try await readOnce { reader, connection throws(StoreError) in
      try reader.matcher(of: search.index)
        .excerpts(of: search, in: records, length: length, for: connection)
    }
  }
}

extension Snapshot {
  /// Returns the query within a circle that has as many rows as are wanted.
  func narrowed(_ plan: QueryPlan, to limit: Int?) async throws(StoreError) -> QueryPlan {
    if !plan.isNarrowed(by: limit) { return plan }
    return try await read { reader, connection throws(StoreError) in
      try plan.narrowed(to: limit, connection, reader.model)
    }
  }
}
