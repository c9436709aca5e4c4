/// What commits changed in a maintained result.
struct MaintainedChange: Sendable {
  var keys: ContiguousArray<RecordKey> = []
  /// The attributes that differ, as long as every changed row stayed in the result.
  var attributes: AttributeSet? = AttributeSet()

  mutating func append(_ key: RecordKey, _ before: Record?, _ after: Record?) {
    keys.append(key)
    if let before, let after {
      attributes?.formUnion(after.differences(from: before))
    } else {
      attributes = nil
    }
  }

  func followed(by next: MaintainedChange) -> MaintainedChange {
    MaintainedChange(
      keys: keys + next.keys,
      attributes: attributes.flatMap { mine in next.attributes.map(mine.union) })
  }
}

/// A query's result over committed data, kept up to date change by change.
///
/// loading ─changes→ loading (kept for later);  loading ─loaded→ ready
/// ready ─changes→ ready, or ready and stale;  ready and stale ─loaded→ ready
/// loading, stale ─failed→ stale (tried again at the next advance)
/// loading, stale ─stopped→ the same (loaded at the next advance)
struct MaintainedQuery: Sendable {
  /// What a limited query knows: everything up to a horizon, the last loaded sort key.
  private struct Window: Sendable {
    /// The last record loaded; nothing after it is known. Nil if the end is known.
    var horizon: Record?
  }

  /// What became of the result in one advance.
  enum Outcome: Sendable {
    case unchanged
    case changed(MaintainedChange)
    /// Too much changed, or it is not known what: load it again.
    case stale
  }

  let plan: LivePlan
  private(set) var tree: ResultTree
  private(set) var isLoaded = false
  private(set) var error: StoreError?
  /// Whether the root of a relationship's query is there; without it, nothing is shown.
  private(set) var hasRoot = true
  private var window = Window()
  /// What was committed while the first load runs.
  private var backlog: [ChangeSet] = []

  init(_ plan: LivePlan) {
    self.plan = plan
    tree = ResultTree([], order: plan.order)
  }

  /// Rows beyond the wanted ones that are kept, so that a deletion need not load at once.
  static func slack(for reach: Int) -> Int { max(64, reach) }

  /// How many rows a load reads; nil for all.
  var loadLimit: Int? { plan.query.reach.map { $0 + Self.slack(for: $0) } }

  /// Whether everything is known, not only what comes before the horizon.
  var isComplete: Bool { window.horizon == nil }

  /// The last record before which everything is known; nil if everything is.
  var horizon: Record? { window.horizon }

  // MARK: Loading

  /// Takes the result of a load, and the changes committed since.
  mutating func didLoad(_ tree: ResultTree, hasRoot: Bool = true) -> Outcome {
    let backlog = backlog
    self.backlog = []
    self.tree = tree
    self.hasRoot = hasRoot
    isLoaded = true
    error = nil
    if let limit = loadLimit, tree.count >= limit, tree.count > 0 {
      window.horizon = tree.rows[tree.count - 1]
    } else {
      window.horizon = nil
    }
    for changes in backlog {
      if case .stale = apply(changes) { return .stale }
    }
    return .changed(MaintainedChange())
  }

  /// A suspension stopped the load; what is loaded next has what was committed meanwhile.
  mutating func didStop() { backlog = [] }

  mutating func didFail(_ error: StoreError) {
    self.error = error
    backlog = []
  }

  // MARK: Changes

  /// Brings the result from one commit to a later one.
  mutating func apply(_ changes: ChangeSet) -> Outcome {
    if !isLoaded {
      if error != nil { return .stale }
      backlog.append(changes)
      return .unchanged
    }
    if error != nil { return .stale }
    if let root = plan.root {
      if changes.changesExistence(of: root) { return .stale }
      if !hasRoot { return .unchanged }
    }
    if !plan.query.isRowLocal {
      return changes.tables.keys.contains(where: plan.query.depends) ? .stale : .unchanged
    }
    switch changes.tables[plan.table.id] {
    case nil: return .unchanged
    case .reset: return .stale
    case .rows(let rows):
      // Loading costs less than maintaining when most of the result changes.
      if rows.count > 10_000 && rows.count > tree.count / 2 { return .stale }
      guard var changed = apply(rows) else { return .stale }
      if isShort { return .stale }
      trim(&changed)
      return changed.keys.isEmpty ? .unchanged : .changed(changed)
    }
  }

  /// Nil if a row has no section: the load that follows says why.
  private mutating func apply(_ rows: ContiguousArray<RowChange>) -> MaintainedChange? {
    var changed = MaintainedChange()
    for row in rows {
      let wasIn = row.change.before.map(matches) ?? false
      let isIn = row.change.after.map(matches) ?? false
      if !wasIn && !isIn { continue }
      var after = isIn && isKnown(row.change.after) ? row.change.after : nil
      if plan.isComputed, let record = after {
        guard let extended = try? plan.extended(record) else { return nil }
        after = extended
      }
      let before = tree.set(after, for: row.key)
      if before != after { changed.append(row.key, before, after) }
    }
    return changed
  }

  private func matches(_ record: Record) -> Bool { plan.query.filter?.matches(record) ?? true }

  /// Whether a record lies before the horizon.
  private func isKnown(_ record: Record?) -> Bool {
    guard let horizon = window.horizon, let record else { return true }
    return plan.order.compare(record, horizon) <= 0
  }

  /// Whether fewer rows are known than are wanted although there may be more.
  private var isShort: Bool {
    guard let reach = plan.query.reach, !isComplete else { return false }
    return tree.count < reach
  }

  /// Forgets rows far beyond the wanted ones. Under many unsaved deletions they may be shown.
  private mutating func trim(_ changed: inout MaintainedChange) {
    guard let limit = loadLimit, tree.count / 2 >= limit, tree.count > limit else { return }
    while tree.count > limit {
      let record = tree.rows[tree.count - 1]
      let key = record.key(Table.keyColumn)
      tree.set(nil, for: key)
      changed.append(key, record, nil)
    }
    window.horizon = tree.rows[tree.count - 1]
  }
}

extension ChangeSet {
  /// Whether a root may have come or gone.
  fileprivate func changesExistence(of root: PlannedRoot) -> Bool {
    guard let changes = tables[root.table.id] else { return false }
    if case .reset = changes { return true }
    return changes[root.key].map { ($0.before == nil) != ($0.after == nil) } ?? false
  }
}
