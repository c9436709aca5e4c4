// Filters over the rows that the layers show: a row, its references and its related rows.

extension LayeredFetch {
  /// Returns the records that meet the filter.
  func matching(
    _ plan: QueryPlan, _ records: [RecordKey: Record]
  ) async throws(StoreError) -> [Record] {
    guard let filter = plan.filter else { return Array(records.values) }
    let records = Array(records.values)
    let matches = try await matches(filter, plan.joins, plan.related, plan.searches, records)
    return zip(records, matches).compactMap { $1 ? $0 : nil }
  }

  /// Returns whether each of the records meets the filter.
  private func matches(
    _ filter: ResolvedFilter, _ joins: [Join], _ related: [RelatedRows],
    _ searches: [ResolvedSearch], _ records: [Record]
  ) async throws(StoreError) -> [Bool] {
    let around = try await surroundings(joins, related, searches, of: records)
    return records.indices.map { index in
      filter.matches(
        records[index], joined: around.joined[index], related: around.counts, found: around.found)
    }
  }

  /// Returns rows with the computed values of the query's order as their last cells.
  func withSortValues(_ rows: [Record], _ plan: QueryPlan) async throws(StoreError) -> [Record] {
    let values = plan.sortValues
    if values.isEmpty || rows.isEmpty { return rows }
    let around = try await surroundings(plan.joins, plan.related, plan.searches, of: rows)
    return rows.indices.map { index in
      rows[index].withView { view in
        values.append(
          to: rows[index],
          MatchRow(
            row: view, joined: around.joined[index], related: around.counts, found: around.found))
      }
    }
  }

  /// The rows and counts around some records, as ``MatchRow`` has them for one record.
  private struct Surroundings {
    var joined: [[Record?]]
    var counts: [[RecordKey: Int]] = []
    var found: [Set<RecordKey>] = []
  }

  /// Reads the rows and counts that filters and orders read around some records.
  private func surroundings(
    _ joins: [Join], _ related: [RelatedRows], _ searches: [ResolvedSearch], of records: [Record]
  ) async throws(StoreError) -> Surroundings {
    let joined = try await joined(joins, records)
    var around = Surroundings(joined: joined)
    for rows in related {
      let sources = records.indices.compactMap { index in
        rows.source == 0 ? records[index] : joined[index][rows.source - 1]
      }
      around.counts.append(try await count(rows, of: Set(sources.map { $0.key(Table.keyColumn) })))
    }
    for search in searches {
      let searched = search.join == 0 ? records : joined.compactMap { $0[search.join - 1] }
      around.found.append(try await snapshot.matches(of: search, among: searched))
    }
    return around
  }

  /// Returns the records that each record refers to, in the order of the joins.
  private func joined(
    _ joins: [Join], _ records: [Record]
  ) async throws(StoreError) -> [[Record?]] {
    var joined = [[Record?]](repeating: [], count: records.count)
    for join in joins {
      let keys = records.indices.map { index -> RecordKey? in
        let source = join.source == 0 ? records[index] : joined[index][join.source - 1]
        guard let source, !source.isNull(join.column) else { return nil }
        return source.key(join.column)
      }
      let targets = try await shown(join.table, Set(keys.compactMap { $0 }))
      for index in records.indices { joined[index].append(keys[index].flatMap { targets[$0] }) }
    }
    return joined
  }

  /// Returns the number of each source's related rows that meet the condition.
  private func count(
    _ rows: RelatedRows, of sources: Set<RecordKey>
  ) async throws(StoreError) -> [RecordKey: Int] {
    let found = try await related(rows, to: sources)
    guard let filter = rows.filter else {
      return found.reduce(into: [:]) { $0[$1.source, default: 0] += 1 }
    }
    // Links may lead from many sources to one row.
    let records = Array(Dictionary(byKey: found.lazy.map(\.record)).values)
    let matches = try await matches(filter, rows.joins, rows.related, rows.searches, records)
    var matching: Set<RecordKey> = []
    for (record, matches) in zip(records, matches) where matches {
      matching.insert(record.key(Table.keyColumn))
    }
    return found.reduce(into: [:]) { counts, pair in
      if matching.contains(pair.record.key(Table.keyColumn)) {
        counts[pair.source, default: 0] += 1
      }
    }
  }

  /// Returns the rows that a relationship leads to, each with its source.
  private func related(
    _ rows: RelatedRows, to sources: Set<RecordKey>
  ) async throws(StoreError) -> [(source: RecordKey, record: Record)] {
    if sources.isEmpty { return [] }
    switch rows.kind {
    case .toMany(let column):
      return try await shown(rows.table, referring: sources, in: column)
        .map { ($0.key(column), $0) }
    case .links(let end):
      let links = try await shown(end.table, referring: sources, in: end.root)
      let targets = try await shown(rows.table, Set(links.map { $0.key(end.target) }))
      return links.compactMap { link in
        targets[link.key(end.target)].map { (link.key(end.root), $0) }
      }
    }
  }

  /// Returns the records whose reference in `column` is one of `keys`, as the layers show them.
  private func shown(
    _ table: Table, referring keys: Set<RecordKey>, in column: Int
  ) async throws(StoreError) -> [Record] {
    let changed = layers.keys(of: table.id)
    let stored = try await snapshot.records(table, referring: keys, in: column)
      .filter { !changed.contains($0.key(Table.keyColumn)) }
    let edited = try await shown(table, changed).values.filter { record in
      !record.isNull(column) && keys.contains(record.key(column))
    }
    return stored + edited
  }
}
