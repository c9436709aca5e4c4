/// A read of a query through unsaved layers: the store's answer with the layers' records in place.
///
/// Rows that a layer changed are dropped from the store's answer, and the layers' matching records
/// are added. The query's limit is applied after that. So a query with a limit reads as many extra
/// rows from the store as the layers could remove.
struct LayeredFetch: Sendable {
  let snapshot: Snapshot
  let layers: LayerStack
  let model: Model

  /// Returns the entities of a query.
  func fetch<E: Entity>(_ query: Query<E>) async throws(StoreError) -> [E] {
    let plan = try QueryPlan(query, model)
    if !touches(plan) { return try await snapshot.fetch(plan, E.self) }
    return try await layered(plan)
  }

  @concurrent
  private func layered<E: Entity>(_ plan: QueryPlan) async throws(StoreError) -> [E] {
    try await records(plan).map { record throws(StoreError) in try entity(record, plan.table) }
  }

  /// Returns the number of entities of a query.
  func count<E: Entity>(_ query: Query<E>) async throws(StoreError) -> Int {
    let plan = try QueryPlan(query, model)
    if !touches(plan) { return try await snapshot.count(plan) }
    return try await records(plan).count
  }

  /// Returns the entities with the given keys, in the order of the keys; unknown keys are left out.
  func fetch<E: Entity>(_ keys: [E.ID], _: E.Type) async throws(StoreError) -> [E] {
    let table = model.table(of: E.self)
    let keys = try keys.map { id throws(StoreError) in try table.key(id) }
    if !layers.edits(table.id) {
      return try await snapshot.fetch(table, keys: keys, E.self)
    }
    let records = try await shown(table, Set(keys))
    return try keys.compactMap { records[$0] }.map { record throws(StoreError) in
      try entity(record, table)
    }
  }

  func entity<E: Entity>(_ record: Record, _ table: Table) throws(StoreError) -> E {
    do throws(CodingFailure) { return try table.decode(record, as: E.self) } catch {
      throw table.error(error, key: record.key(Table.keyColumn))
    }
  }

  /// Returns whether the layers may change the result.
  func touches(_ plan: QueryPlan) -> Bool {
    layers.layers.contains { $0.tables.keys.contains(where: plan.depends) }
      || plan.root.map { layers.edits($0.key, in: $0.table.id) } == true
  }

  // MARK: Records

  /// Returns the rows that the layers show for a query.
  ///
  /// This does not run on the caller's actor, because the records of a large table are sorted here.
  @concurrent
  func records(_ plan: QueryPlan) async throws(StoreError) -> [Record] {
    if plan.isNever { return [] }
    let sources = try await sources(plan)
    var result = sources.rows
    if let stored = sources.stored {
      let limit = sources.limit
      result += try await snapshot.records(stored, limit: limit, isSorted: limit != nil)
        .filter { !sources.replaced.contains($0.key(Table.keyColumn)) }
    }
    result.sort { plan.order.compare($0, $1) < 0 }
    return plan.window(result)
  }

  /// The two sources of a query's rows.
  struct Sources {
    /// The query whose rows the store has; nil if the layers have all rows.
    var stored: QueryPlan?
    /// The number of stored rows that are needed; nil for all.
    var limit: Int?
    /// The keys whose rows the layers decide, so that their stored rows are skipped.
    var replaced: Set<RecordKey> = []
    /// The rows that the layers show, in any order.
    var rows: [Record] = []
  }

  /// Returns the sources of a query's rows, without its limit.
  func sources(_ plan: QueryPlan) async throws(StoreError) -> Sources {
    if let root = plan.root {
      if try await shown(root.table, [root.key]).isEmpty { return Sources() }
      return try await sources(plan.withoutRoot)
    }
    // The set of linked rows is known only after all links are read. So these rows are held.
    if plan.links != nil { return Sources(rows: try await linked(plan).map(\.record)) }
    let keys = try await candidates(plan)
    var rows = try await matching(plan, try await shown(plan.table, keys))
    if plan.ranking != nil { rows = try await ranked(rows, plan) }
    rows = try await withSortValues(rows, plan)
    return Sources(
      stored: plan, limit: plan.reach.map { $0 + keys.count }, replaced: keys, rows: rows)
  }

  /// Returns the keys of the records whose membership the layers decide.
  ///
  /// They are the changed records, and the records that the filter relates to a changed row.
  private func candidates(_ plan: QueryPlan) async throws(StoreError) -> Set<RecordKey> {
    let changed = layers.keys(of: plan.table.id)
    guard let dependencies = QueryDependencies(of: plan) else { return changed }
    var tables: [TableID: TableChanges] = [:]
    for table in model.tables where plan.depends(on: table.id) {
      let keys = layers.keys(of: table.id)
      if keys.isEmpty { continue }
      let before = try await snapshot.records(table, keys: keys)
      let after = layers.records(of: keys, in: table, over: before)
      tables[table.id] = .rows(
        ContiguousArray(
          keys.map { RowChange(key: $0, change: Change(before: before[$0], after: after[$0])) }))
    }
    let changes = ChangeSet(commit: snapshot.commit, model: model, tables: tables)
    guard let affected = dependencies.affected(by: changes, adopt: { _ in }) else { return changed }
    return changed.union(try await snapshot.roots(of: affected, dependencies))
  }

  /// Returns the rows that the layers show for keys, over the stored rows.
  func shown(
    _ table: Table, _ keys: Set<RecordKey>
  ) async throws(StoreError) -> [RecordKey: Record] {
    layers.records(of: keys, in: table, over: try await snapshot.records(table, keys: keys))
  }
}

extension QueryPlan {
  /// Returns the sorted rows that remain after the offset and the limit.
  fileprivate func window(_ rows: [Record]) -> [Record] {
    let start = min(offset, rows.count)
    let end = limit.map { min(start + $0, rows.count) } ?? rows.count
    return start == 0 && end == rows.count ? rows : Array(rows[start..<end])
  }
}
