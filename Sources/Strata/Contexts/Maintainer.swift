internal import StrataSQLite

/// Names a live query within its view context.
typealias LiveID = Int

/// What the maintainer has for one live query in one merge turn.
struct MaintainedUpdate: Sendable {
  let tree: ResultTree
  let horizon: Record?
  var changed: ChangedKeys
  /// The attributes that differ, if every row stayed in the result; nil if it is not known.
  let attributes: AttributeSet?
  let error: StoreError?
  /// Whether the root of a relationship's query is there.
  let hasRoot: Bool
  /// What the query's aggregates make of the result, if it has some.
  var fold: AggregateFold?
}

/// Everything for one merge turn of the view context.
struct MergeTurn: Sendable {
  let snapshot: Snapshot
  let changes: ChangeSet?
  let completedSave: CompletedSave?
  let updates: [LiveID: MaintainedUpdate]
  /// Stored records of keys that the view context has edits for, in tables that were reset.
  var stored: [TableID: [RecordKey: Record?]] = [:]
  /// Reset tables whose records could not be read.
  var unreadable: Set<TableID> = []
  /// Why the view context will not get any further.
  var failure: StoreError?
}

/// Keeps live queries over committed data; equal queries share one result.
///
/// One task calls ``advance(_:)``, strictly in sequence, so it is never re-entered. First loads run
/// beside it, on a snapshot that the maintainer has advanced to; what is committed meanwhile waits
/// in the query's backlog.
actor Maintainer {
  private nonisolated let executor = StoreExecutor("strata.maintainer")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private struct Entry: Sendable {
    /// Tells the entry from an earlier one of the same query, whose load may still be on its way.
    let number: Int
    var query: MaintainedQuery
    /// The live queries that show the result.
    var ids: [LiveID: LiveCounters]
    /// Those of `ids` that have not been told of the result yet.
    var untold: Set<LiveID>
    /// What a load has found to be different from what the others have been told.
    var reloaded: MaintainedChange?
    /// Those of `ids` that want values made of the result.
    var folds: [LiveID: MaintainedFold] = [:]
    /// A load was stopped by a suspension or outrun by commits: the next step loads again.
    var isStopped = false

    func count(_ change: @Sendable (inout LiveStatistics) -> Void) {
      for counters in ids.values { counters.count(change) }
    }

    func count(_ outcome: MaintainedQuery.Outcome, since start: ContinuousClock.Instant) {
      let time = ContinuousClock.now - start
      let changed = if case .changed(let change) = outcome { change.keys.count } else { 0 }
      count {
        $0.maintainedChanges += changed
        $0.maintenance += time
      }
    }
  }

  private let bounds: StoreBounds
  private var entries: [LivePlan.Identity: Entry] = [:]
  private var lastEntry = 0
  private var identities: [LiveID: LivePlan.Identity] = [:]
  private var hold: SnapshotHold?
  private var undelivered = UndeliveredTurn()
  /// What the view context shows. Its last reference is let go of here, not on the main actor,
  /// which large trees would hold up.
  private var delivered: [LiveID: MaintainedUpdate] = [:]
  /// Called before anything is loaded or read, for tests that hold that up.
  var willLoad: (@Sendable () async -> Void)?

  init(_ bounds: StoreBounds = StoreBounds()) { self.bounds = bounds }

  func setWillLoad(_ hook: (@Sendable () async -> Void)?) { willLoad = hook }

  /// The number of queries that are maintained.
  var queryCount: Int { entries.count }

  func begin(_ snapshot: Snapshot) { hold = SnapshotHold(snapshot, .liveQueries) }

  // MARK: - Queries

  /// Starts maintaining a query; returns when its result is there or has failed.
  ///
  /// - Parameter fold: the aggregates whose values are wanted, too.
  func open(
    _ id: LiveID, _ plan: LivePlan, _ counters: LiveCounters, fold: AggregateFold? = nil
  ) async {
    let identity = plan.identity
    identities[id] = identity
    if entries[identity] != nil {
      entries[identity]?.ids[id] = counters
      entries[identity]?.untold.insert(id)
      entries[identity]?.folds[id] = fold.map(MaintainedFold.init)
      return
    }
    lastEntry += 1
    entries[identity] = Entry(
      number: lastEntry, query: MaintainedQuery(plan, backlog: bounds.backlog), ids: [id: counters],
      untold: [id],
      folds: fold.map { [id: MaintainedFold($0)] } ?? [:])
    guard let snapshot = hold?.snapshot else { return }
    await load(identity, snapshot)
  }

  func close(_ id: LiveID) {
    guard let identity = identities.removeValue(forKey: id) else { return }
    delivered[id] = nil
    entries[identity]?.ids[id] = nil
    entries[identity]?.untold.remove(id)
    entries[identity]?.folds[id] = nil
    if entries[identity]?.ids.isEmpty == true { entries[identity] = nil }
  }

  private func load(_ identity: LivePlan.Identity, _ snapshot: Snapshot) async {
    guard let number = entries[identity]?.number, let query = entries[identity]?.query else {
      return
    }
    entries[identity]?.isStopped = false
    let end = begin(.refilling, for: identity)
    defer { end() }
    await willLoad?()
    let start = ContinuousClock.now
    let result: Result<ResultTree, StoreError>
    var hasRoot = true
    do throws(StoreError) {
      if let root = query.plan.root {
        hasRoot = try await !snapshot.records(root.table, keys: [root.key]).isEmpty
      }
      result = .success(try await snapshot.tree(query.plan, limit: query.loadLimit))
    } catch {
      result = .failure(error)
    }
    // Nobody may want it any more, or somebody else, of another commit.
    guard var entry = entries[identity], entry.number == number else { return }
    let time = ContinuousClock.now - start
    entry.count {
      $0.loads += 1
      $0.maintenance += time
    }
    switch result {
    case .success(let tree):
      // More was committed during the load than it can be brought up to: the next step loads again,
      // and nothing is committed during that.
      entry.isStopped = !entry.query.didLoad(tree, hasRoot: hasRoot)
    case .failure(let error) where error.code == .suspended:
      entry.query.didStop()
      // The next step has another snapshot; whoever opened the query asks for one.
      entry.isStopped = true
    case .failure(let error): entry.query.didFail(error)
    }
    if entry.isStopped || !noteDifference(in: &entry) {
      entry.reloaded = nil
      entry.untold = Set(entry.ids.keys)
    }
    entries[identity] = entry
  }

  /// Notes what a load has made different for those who have been told of an earlier result: much
  /// of a table may change and nothing that they show.
  ///
  /// - Returns: false if that cannot be listed, so that they are told of the whole new one.
  private func noteDifference(in entry: inout Entry) -> Bool {
    let (told, query) = (entry.ids.keys.first { !entry.untold.contains($0) }, entry.query)
    guard let told, let old = delivered[told], old.error == nil, query.error == nil,
      old.hasRoot == query.hasRoot, let change = MaintainedChange(from: old.tree, to: query.tree)
    else { return false }
    // The end of the table may be known now, or not any more.
    entry.reloaded = change.isEmpty && old.horizon == query.horizon ? nil : change
    return true
  }

  /// Shows an activity on everybody who has a query, until the result is called.
  private func begin(
    _ activity: Activity, for identity: LivePlan.Identity
  ) -> @Sendable () -> Void {
    let ledgers = entries[identity]?.ids.values.map(\.activity) ?? []
    for ledger in ledgers { ledger.begin(activity) }
    return { for ledger in ledgers { ledger.end(activity) } }
  }

  // MARK: - Advancing

  /// Brings every query to the step's commit; nil if a suspension came in between, so that it is
  /// for the next step to do so.
  func advance(_ step: MergeStep) async -> MergeTurn? {
    if let failure = step.failure { return fail(step, failure) }
    let changes = ChangeSet.composed(step.changes)
    hold = SnapshotHold(step.snapshot, .liveQueries)
    var changed: [LivePlan.Identity: MaintainedChange] = [:]
    var stale: [LivePlan.Identity] = []
    var lacking: [(LivePlan.Identity, MaintainedQuery.RowRequest, MaintainedChange)] = []
    for identity in entries.keys {
      if entries[identity]?.isStopped == true {
        stale.append(identity)
        continue
      }
      // A load that failed or was outrun is tried again even if nothing was committed since.
      let idle = entries[identity]?.query.error == nil ? MaintainedQuery.Outcome.unchanged : .stale
      switch changes.map({ apply($0, to: identity) }) ?? idle {
      case .unchanged: break
      case .changed(let change): changed[identity] = change
      case .reading(let request, let change): lacking.append((identity, request, change))
      case .stale: stale.append(identity)
      }
    }
    for (identity, request, change) in lacking {
      switch await read(request, change, of: identity, step.snapshot) {
      case .changed(let change): changed[identity] = change
      case .stale: stale.append(identity)
      case .unchanged, .reading: break
      }
    }
    for identity in stale { await load(identity, step.snapshot) }
    changed.merge(undelivered.changed) { $1.followed(by: $0) }
    let turn = MergeTurn(
      snapshot: step.snapshot, changes: undelivered.changes(with: changes),
      completedSave: step.completedSave ?? undelivered.completedSave, updates: updates(changed))
    undelivered = UndeliveredTurn()
    if stale.contains(where: { entries[$0]?.isStopped == true }) {
      takeBack(turn)
      return nil
    }
    return turn
  }

  private func apply(
    _ changes: ChangeSet, to identity: LivePlan.Identity
  ) -> MaintainedQuery.Outcome {
    guard let entry = entries[identity] else { return .unchanged }
    guard
      changes.tables.keys.contains(where: entry.query.plan.depends) || !entry.query.isLoaded
    else { return entry.query.error == nil ? .unchanged : .stale }
    let start = ContinuousClock.now
    let outcome = entries[identity]?.query.apply(changes) ?? .unchanged
    entry.count(outcome, since: start)
    return outcome
  }

  /// Reads rows that a result lacks until it lacks none; stale if they cannot be read.
  private func read(
    _ request: MaintainedQuery.RowRequest, _ change: MaintainedChange,
    of identity: LivePlan.Identity, _ snapshot: Snapshot
  ) async -> MaintainedQuery.Outcome {
    let end = begin(.refilling, for: identity)
    defer { end() }
    await willLoad?()
    let start = ContinuousClock.now
    var outcome = MaintainedQuery.Outcome.reading(request, change)
    while case .reading(let request, let change) = outcome {
      guard let plan = entries[identity]?.query.plan else { return .unchanged }
      do throws(StoreError) {
        switch request {
        case .affected(let affected, let most):
          let rows = try await snapshot.rows(plan, affected: affected, most: most)
          guard let rows else { return .stale }
          outcome = entries[identity]?.query.didRead(rows.keys, rows.records, change) ?? .unchanged
        case .after(let record, let count):
          let rows = try await snapshot.rows(plan, after: record, count: count)
          outcome =
            entries[identity]?.query.didRead(after: rows, count: count, change) ?? .unchanged
        }
      } catch {
        // Loading says why, or waits for the end of a suspension.
        return .stale
      }
      entries[identity]?.count { $0.refills += 1 }
    }
    entries[identity]?.count(outcome, since: start)
    return outcome
  }

  /// Tells every query that there is nothing newer for it.
  private func fail(_ step: MergeStep, _ failure: StoreError) -> MergeTurn {
    for identity in entries.keys {
      guard var entry = entries[identity] else { continue }
      entry.query.didFail(failure)
      entry.isStopped = false
      entry.untold = Set(entry.ids.keys)
      entries[identity] = entry
    }
    defer { undelivered = UndeliveredTurn() }
    return MergeTurn(
      snapshot: step.snapshot, changes: undelivered.changes(with: nil),
      completedSave: step.completedSave ?? undelivered.completedSave,
      updates: updates(undelivered.changed), failure: failure)
  }

  /// The view context shows a turn: what it showed before may go.
  func didDeliver(_ turn: MergeTurn) {
    for (id, update) in turn.updates where identities[id] != nil {
      delivered[id] = update
      // Of what was told nothing else is needed any more.
      delivered[id]?.changed = .all
    }
  }

  /// Keeps what a turn has for the one that follows it: the view context did not get it.
  func takeBack(_ turn: MergeTurn) {
    undelivered = UndeliveredTurn(changes: turn.changes, completedSave: turn.completedSave)
    for (id, update) in turn.updates {
      guard let identity = identities[id] else { continue }
      if case .some(let keys) = update.changed {
        undelivered.changed[identity] = MaintainedChange(
          keys: ContiguousArray(keys.distinct), attributes: update.attributes)
      } else {
        entries[identity]?.untold.insert(id)
      }
    }
  }

  private func updates(
    _ changed: [LivePlan.Identity: MaintainedChange]
  ) -> [LiveID: MaintainedUpdate] {
    var updates: [LiveID: MaintainedUpdate] = [:]
    for (identity, entry) in entries where !entry.isStopped {
      let query = entry.query
      guard query.isLoaded || query.error != nil else { continue }
      func update(_ changed: ChangedKeys, _ attributes: AttributeSet?) -> MaintainedUpdate {
        MaintainedUpdate(
          tree: query.tree, horizon: query.horizon, changed: changed, attributes: attributes,
          error: query.error, hasRoot: query.hasRoot)
      }
      for id in entry.untold {
        updates[id] = update(.all, nil)
        updates[id]?.fold = follow(id, of: identity, nil)
      }
      let change = changed[identity].map { change in
        entry.reloaded.map(change.followed) ?? change
      }
      entries[identity]?.reloaded = nil
      if let change = change ?? entry.reloaded {
        let keys = KeyBatches(change.keys)
        for id in entry.ids.keys where !entry.untold.contains(id) {
          updates[id] = update(.some(keys), change.attributes)
          updates[id]?.fold = follow(id, of: identity, keys)
        }
      }
      if !entry.untold.isEmpty { entries[identity]?.untold = [] }
    }
    return updates
  }

  /// Brings the values that a live query wants to the newest result.
  private func follow(
    _ id: LiveID, of identity: LivePlan.Identity, _ keys: KeyBatches?
  ) -> AggregateFold? {
    guard let query = entries[identity]?.query else { return nil }
    entries[identity]?.folds[id]?.follow(query, keys?.distinct)
    return entries[identity]?.folds[id]?.fold
  }
}
