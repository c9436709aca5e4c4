/// A read of a query through unsaved layers: the store's answer, corrected by the layers' rows.
///
/// Rows that a layer changed are dropped from the store's answer, and the layers' matching records
/// are added (``EditedRows``). The query's limit is applied after that. So a query with a limit reads
/// as many extra rows from the store as the layers could remove or put before them.
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
    return touches(plan) ? try await count(plan) : try await snapshot.count(plan)
  }

  /// Returns the number of rows that the layers show for a query.
  @concurrent
  func count(_ plan: QueryPlan) async throws(StoreError) -> Int {
    switch try await answer(of: plan) {
    case .rows(let rows): return plan.window(rows).count
    case .corrected(let plan, let edited):
      let reach = plan.reach.map { $0 + edited.stored.count }
      let stored = try await snapshot.count(plan.whole, upTo: reach)
      let all = stored - edited.stored.count + edited.shown.count
      return min(max(0, all - plan.offset), plan.limit ?? .max)
    }
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
    switch try await answer(of: plan) {
    case .rows(let rows): plan.window(rows)
    case .corrected(let plan, let edited): try await rows(of: plan, correctedBy: edited)
    }
  }

  /// The rows of a query as the layers show them, without its limit and its offset.
  enum Answer {
    /// The rows themselves, in the query's order.
    case rows([Record])
    /// The store's rows of a query without a root, corrected by rows of the layers.
    case corrected(QueryPlan, EditedRows)
  }

  /// Returns a query's rows, without reading those that the layers leave as they are.
  func answer(of plan: QueryPlan) async throws(StoreError) -> Answer {
    if plan.isNever { return .rows([]) }
    if let root = plan.root, try await shown(root.table, [root.key]).isEmpty { return .rows([]) }
    // The set of linked rows is known only after all links are read. So these rows are held.
    if plan.links != nil { return .rows(try await linked(plan.withoutRoot).map(\.record)) }
    let rows = plan.withoutRoot
    return .corrected(rows, try await edited(rows))
  }

  /// Returns the keys of the records whose membership the layers decide.
  ///
  /// They are the changed records, and the records that the filter relates to a changed row.
  func candidates(_ plan: QueryPlan) async throws(StoreError) -> Set<RecordKey> {
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
  func window(_ rows: [Record]) -> [Record] {
    let start = min(offset, rows.count)
    let end = limit.map { min(start + $0, rows.count) } ?? rows.count
    return start == 0 && end == rows.count ? rows : Array(rows[start..<end])
  }
}
