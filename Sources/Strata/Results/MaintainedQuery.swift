/// A query's result over committed data, kept up to date change by change.
///
/// loading ─changes→ loading (in the backlog);  loading ─loaded→ ready, or stale if it was outrun
/// stale or failed ─loaded→ ready;  any ─stopped→ stale;  any ─failed→ failed
struct MaintainedQuery: Sendable {
  /// The effect of an advance on the result.
  enum Outcome: Sendable {
    case unchanged
    case changed(MaintainedChange)
    /// Some rows have to be read before the result is right.
    case reading(RowRequest, MaintainedChange)
    /// Too much changed, or the changes are unknown: load the result again.
    case stale
  }

  /// Rows of the store that a result lacks.
  enum RowRequest: Sendable {
    /// The rows that changes in the query's tables may affect; more than `most` make the result
    /// stale.
    case affected(AffectedRows, most: Int)
    /// The next `count` rows after a record.
    case after(Record, count: Int)
    /// The rows of a level of a live tree for some keys.
    case related(level: Int, for: Set<RecordKey>)
  }

  /// The state of the result.
  enum State: Sendable {
    /// The first load has not ended; commits wait for it.
    case loading(Backlog)
    /// The result has every commit of the newest step.
    case ready
    /// The next step loads the result, because commits outran a load or a suspension stopped it.
    case stale(hasRows: Bool)
    /// The last load failed. The next step loads again.
    case failed(StoreError, hasRows: Bool)
  }

  let plan: LivePlan
  /// The result of the newest load, with the commits since.
  private(set) var result: MaintainedResult
  private(set) var state: State
  /// Whether the root appeared or disappeared since the last reported outcome.
  private var hasMovedRoot = false
  /// The step of the related rows to a commit, which has begun.
  private var step: TreeStep?
  /// The keys of each level of a live tree for which unsaved edits want rows.
  private var wanted: [Set<RecordKey>] = []
  /// Whether rows were read for unsaved edits since the last reported outcome.
  private var hasRead = false

  /// The commits during the first load, up to a limit past which loading again costs less.
  struct Backlog: Sendable {
    let limit: Int
    /// The commits in order; nil past the limit.
    private(set) var changes: [ChangeSet]? = []
    private var count = 0

    init(limit: Int) { self.limit = limit }

    mutating func append(_ new: ChangeSet) {
      changes?.append(new)
      count += new.tables.values.reduce(0) { $0 + $1.count }
      if count > limit { changes = nil }
    }
  }

  /// - Parameter backlog: the maximum number of rows that may change while the query is loaded.
  init(_ plan: LivePlan, backlog: Int = StoreBounds().backlog) {
    self.plan = plan
    state = .loading(Backlog(limit: backlog))
    result = MaintainedResult(tree: ResultTree([], order: plan.order))
  }

  /// Returns the number of extra rows to keep, so that a deletion need not read at once.
  static func slack(for limit: Int) -> Int { max(64, limit) }

  /// The number of rows that a load reads; nil for all.
  var loadLimit: Int? {
    plan.query.limit.map { plan.query.offset + $0 + Self.slack(for: $0) }
  }

  // MARK: Loading

  var isReady: Bool { if case .ready = state { true } else { false } }
  var isStale: Bool { if case .stale = state { true } else { false } }
  /// Why the last load failed.
  var error: StoreError? { if case .failed(let error, _) = state { error } else { nil } }
  /// Whether the result has the rows of a load.
  private var hasRows: Bool {
    switch state {
    case .loading: false
    case .ready: true
    case .stale(let hasRows), .failed(_, let hasRows): hasRows
    }
  }

  /// Takes the result of a load, and applies the changes committed during the first load.
  mutating func didLoad(_ tree: ResultTree, levels: [LevelRows] = [], hasRoot: Bool = true) {
    let waiting: [ChangeSet]? =
      if case .loading(let backlog) = state { backlog.changes } else { [] }
    step = nil
    result = MaintainedResult(tree: tree, hasRoot: hasRoot, levels: levels)
    hasMovedRoot = false
    state = .ready
    if let limit = loadLimit, tree.count >= limit, tree.count > 0 {
      result.horizon = tree.rows[tree.count - 1]
    }
    guard let waiting else { return state = .stale(hasRows: true) }
    for changes in waiting {
      switch apply(changes) {
      case .unchanged, .changed: break
      case .reading, .stale: return state = .stale(hasRows: true)
      }
    }
  }

  /// Notes that a suspension stopped a load; the next load has the commits that wait.
  mutating func didStop() { state = .stale(hasRows: hasRows) }

  mutating func didFail(_ error: StoreError) { state = .failed(error, hasRows: hasRows) }

  // MARK: Changes

  /// Brings the result from one commit to a later one.
  mutating func apply(_ changes: ChangeSet) -> Outcome {
    switch state {
    case .stale, .failed: return .stale
    case .loading(var backlog):
      // The state lets go of the backlog, so that the commit is appended to it in place.
      state = .stale(hasRows: false)
      backlog.append(changes)
      state = .loading(backlog)
      return .unchanged
    case .ready: break
    }
    step = plan.related.map { _ in TreeStep(changes, from: result) }
    if let root = plan.root, let changes = changes.tables[root.table.id] {
      if case .reset = changes { return .stale }
      follow(changes[root.key])
    }
    if let dependencies = plan.dependencies { return apply(changes, dependencies) }
    switch changes.tables[plan.table.id] {
    case nil: return outcome(MaintainedChange())
    case .reset: return .stale
    case .rows(let rows):
      if isMost(of: rows) { return .stale }
      guard let changed = apply(rows) else { return .stale }
      return outcome(changed)
    }
  }

  private mutating func follow(_ root: Change?) {
    guard let root, (root.after != nil) != result.hasRoot else { return }
    result.hasRoot.toggle()
    hasMovedRoot.toggle()
  }

  /// Returns whether loading the result costs less than maintaining it.
  ///
  /// The rows that enter, leave or change in the result decide. Changes of other rows of the table
  /// do not count.
  private func isMost(of rows: ContiguousArray<RowChange>) -> Bool {
    var rest = max(10_000, result.tree.count / 2)
    if rows.count <= rest { return false }
    for row in rows where concerns(row.change) {
      rest -= 1
      if rest < 0 { return true }
    }
    return false
  }

  private func concerns(_ change: Change) -> Bool {
    change.before.map(matches) ?? false || change.after.map(matches) ?? false
  }

  /// Applies row changes; returns nil if a row has no section, and the following load reports why.
  private mutating func apply(_ rows: ContiguousArray<RowChange>) -> MaintainedChange? {
    var changed = MaintainedChange()
    for row in rows {
      let wasIn = row.change.before.map(matches) ?? false
      let isIn = row.change.after.map(matches) ?? false
      if !wasIn && !isIn { continue }
      var after = isIn ? row.change.after.map(plan.query.ownRow) : nil
      if plan.isComputed, let record = after {
        guard let extended = try? plan.extended(record) else { return nil }
        after = extended
      }
      set(after, for: row.key, &changed)
    }
    return changed
  }

  private func matches(_ record: Record) -> Bool { plan.query.filter?.matches(record) ?? true }

  private mutating func set(
    _ record: Record?, for key: RecordKey, _ changed: inout MaintainedChange
  ) {
    let after = isKnown(record) ? record : nil
    let before = result.tree.set(after, for: key)
    if before != after { changed.append(key, before, after) }
  }

  // MARK: Other tables

  /// Takes rows whose membership cannot have changed as they are.
  ///
  /// The membership of all other affected rows has to be read from the store.
  private mutating func apply(_ changes: ChangeSet, _ dependencies: QueryDependencies) -> Outcome {
    if case .relevance? = plan.query.ranking {
      // Each rank by relevance depends on every stored text.
      if changes.tables.keys.contains(where: plan.query.depends) { return .stale }
      return outcome(MaintainedChange())
    }
    var changed = MaintainedChange()
    var isUnnamed = false
    let affected = dependencies.affected(by: changes) { row in
      guard let old = result.tree.record(of: row.key), let after = row.change.after else { return }
      if let record = try? plan.extended(after.queryRow(like: old, plan.query)) {
        set(record, for: row.key, &changed)
      } else {
        isUnnamed = true
      }
    }
    guard let affected, !isUnnamed else { return .stale }
    if affected.isEmpty { return outcome(changed) }
    let most = max(1_000, result.tree.count / 4)
    if affected.count > most { return .stale }
    return .reading(.affected(affected, most: most), changed)
  }

  /// Takes the rows that the query has now for some keys; a key without a record has no row.
  mutating func didRead(
    _ keys: Set<RecordKey>, _ records: [RecordKey: Record], _ soFar: MaintainedChange
  ) -> Outcome {
    var changed = soFar
    for key in keys { set(records[key], for: key, &changed) }
    return outcome(changed)
  }

  // MARK: Windows

  /// Takes the rows after the horizon; fewer than `count` rows are all that exist.
  mutating func didRead(
    after rows: ContiguousArray<Record>, count: Int, _ soFar: MaintainedChange
  ) -> Outcome {
    var changed = soFar
    result.horizon = nil
    for record in rows { set(record, for: record.key(Table.keyColumn), &changed) }
    if rows.count == count { result.horizon = rows.last }
    return outcome(changed)
  }

  /// Returns the outcome once all known rows are right: more rows to read, or the changes.
  private mutating func outcome(_ soFar: MaintainedChange) -> Outcome {
    var changed = soFar
    if let reach = plan.query.reach, let limit = loadLimit,
      let horizon = result.horizon,
      result.tree.count < reach
    {
      return .reading(.after(horizon, count: limit - result.tree.count), changed)
    }
    trim(&changed)
    return finish(changed)
  }

  /// Returns the outcome once the roots are right.
  private mutating func finish(_ soFar: MaintainedChange) -> Outcome {
    var changed = soFar
    if isWanting {
      step = step ?? TreeStep(nil, from: result)
      hasRead = true
    }
    switch step?.advance(&result, &changed, &wanted) {
    case .lacking(let level, let keys): return .reading(.related(level: level, for: keys), changed)
    case .stale: return .stale
    case .done, nil: step = nil
    }
    defer { (hasMovedRoot, hasRead) = (false, false) }
    return changed.isEmpty && !hasMovedRoot && !hasRead ? .unchanged : .changed(changed)
  }

  // MARK: Unsaved edits

  /// Whether unsaved edits want rows that a live tree lacks.
  var isWanting: Bool { hasRows && wanted.contains { !$0.isEmpty } }

  /// Adds the keys of each level of a live tree for which unsaved edits want rows.
  mutating func want(_ keys: [Set<RecordKey>]) {
    if wanted.isEmpty { wanted = keys.map { _ in [] } }
    for (level, keys) in keys.enumerated() { wanted[level].formUnion(keys) }
  }

  /// Begins to read the rows that unsaved edits want.
  mutating func readWanted() -> Outcome { finish(MaintainedChange()) }

  /// Takes the rows of a level of a live tree that were read for some keys.
  mutating func didRead(
    related rows: ContiguousArray<Record>, of level: Int, for keys: Set<RecordKey>,
    _ soFar: MaintainedChange
  ) -> Outcome {
    var changed = soFar
    result.levels[level].take(rows, for: keys, &changed.levels[level])
    return finish(changed)
  }

  /// Returns whether a record lies before the horizon.
  private func isKnown(_ record: Record?) -> Bool {
    guard let horizon = result.horizon, let record else { return true }
    return plan.order.compare(record, horizon) <= 0
  }

  /// Drops rows far beyond the wanted rows.
  ///
  /// They count as changed, because under many unsaved deletions they may be shown.
  private mutating func trim(_ changed: inout MaintainedChange) {
    guard let limit = loadLimit, result.tree.count / 2 >= limit, result.tree.count > limit else {
      return
    }
    while result.tree.count > limit {
      let record = result.tree.rows[result.tree.count - 1]
      let key = record.key(Table.keyColumn)
      result.tree.set(nil, for: key)
      changed.append(key, record, nil)
    }
    result.horizon = result.tree.rows[result.tree.count - 1]
  }
}

extension Record {
  /// Returns the record as a row of a query, with the cells that follow the table's columns.
  ///
  /// The cells are the row's rank, the position of its link and the computed values of the order, if
  /// the query has them. The cells after the rank come from `other`, another version of the row. They
  /// are null if there is none.
  func queryRow(like other: Record?, _ plan: QueryPlan) -> Record {
    let row = plan.row(self, like: other)
    return (row.count..<plan.width).reduce(row) { $0.appending(orNull: other?[$1] ?? .null) }
  }
}
