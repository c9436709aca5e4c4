/// Finds the rows of a query's table whose membership a set of changes may decide.
///
/// A changed row is followed backwards along the query's references and relationships, to the rows
/// that refer to it or are related to it, before the changes or after them. Costs as many reads as
/// the query has steps, each of an index and of as many rows as are affected.
struct AffectedKeys: Sendable {
  /// A row before and after the changes; nil where it is not there.
  struct Versions: Sendable {
    let before: Record?
    let after: Record?
  }

  /// A state of the store either before the changes or after them: the rows that did not change are
  /// the same.
  let snapshot: Snapshot
  /// The changed rows of every table that the query depends on.
  let changes: [TableID: [RecordKey: Versions]]

  /// The keys of the affected rows of the query's table, those that changed themselves among them.
  func keys(of plan: QueryPlan) async throws(StoreError) -> Set<RecordKey> {
    try await keys(of: plan.table, plan.joins, plan.related)
  }

  private func keys(
    of table: Table, _ joins: [Join], _ related: [RelatedRows]
  ) async throws(StoreError) -> Set<RecordKey> {
    let tables = [table] + joins.map(\.table)
    var affected = tables.map { Set((changes[$0.id] ?? [:]).keys) }
    for rows in related { affected[rows.source].formUnion(try await sources(of: rows)) }
    // A join comes after the one that has its reference, so the farthest ones are complete first.
    for (index, join) in joins.enumerated().reversed() where !affected[index + 1].isEmpty {
      let referring = try await snapshot.records(
        tables[join.source], referring: affected[index + 1], in: join.column)
      affected[join.source].formUnion(referring.map { $0.key(Table.keyColumn) })
    }
    return affected[0]
  }

  /// The keys of the rows that a relationship leads from, to rows that are affected.
  private func sources(of rows: RelatedRows) async throws(StoreError) -> Set<RecordKey> {
    let targets = try await keys(of: rows.table, rows.joins, rows.related)
    switch rows.kind {
    case .toMany(let column):
      let stored = try await snapshot.records(
        rows.table, referring: targets, in: Table.keyColumn)
      return values(of: column, in: stored, rows.table)
    case .links(let end):
      let stored = try await snapshot.records(end.table, referring: targets, in: end.target)
      return values(of: end.root, in: stored, end.table)
    }
  }

  /// What a column has in some records, and in both versions of the table's changed ones.
  private func values(
    of column: Int, in records: some Sequence<Record>, _ table: Table
  ) -> Set<RecordKey> {
    var keys: Set<RecordKey> = []
    func add(_ record: Record?) {
      if let record, !record.isNull(column) { keys.insert(record.key(column)) }
    }
    for record in records { add(record) }
    for versions in (changes[table.id] ?? [:]).values {
      add(versions.before)
      add(versions.after)
    }
    return keys
  }
}
