internal import StrataSQLite

/// Identifies a live query within its view context.
typealias LiveID = Int

/// Keeps live queries over committed data; equal queries share one result.
///
/// Merge turns run strictly in sequence: turns to the writer's newest commit, and turns that show
/// opened queries at the view context's commit. First loads run beside them, on a snapshot to which
/// the maintainer has already advanced. Commits during a load wait in the query's backlog.
actor Maintainer {
  private nonisolated let executor = StoreExecutor("strata.maintainer")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let model: Model
  private let bounds: StoreBounds
  private var entries = SharedQueries()
  private var lastEntry = 0
  private var identities: [LiveID: LivePlan.Identity] = [:]
  private var hold: SnapshotHold?
  /// The turn that a suspension interrupted; the writer's step after the resumption follows.
  private var undelivered: UndeliveredTurn?
  /// The error after which the view context stays at its commit for good.
  private var failure: StoreError?
  /// Lets one merge turn through at a time.
  private let turns = Turnstile()
  private var deliver: Deliver?
  /// The results that the view context shows.
  ///
  /// The last references to them are released here: freeing large trees would hold up the main
  /// actor.
  private var delivered: [LiveID: MaintainedResult] = [:]
  /// Called before each load and each read, so that tests can delay it.
  var willLoad: (@Sendable () async -> Void)?

  init(_ model: Model, _ bounds: StoreBounds) {
    self.model = model
    self.bounds = bounds
  }

  func setWillLoad(_ hook: (@Sendable () async -> Void)?) { willLoad = hook }

  /// The number of maintained queries.
  var queryCount: Int { entries.count }

  func begin(_ snapshot: Snapshot) { hold = SnapshotHold(snapshot, .liveQueries) }

  // MARK: - Queries

  /// Starts maintaining a query, and loads it, unless an equal query is maintained.
  ///
  /// It returns when the load has ended, or at once if there is no load to start.
  ///
  /// - Parameter fold: the aggregates to maintain with the query.
  func open(
    _ id: LiveID, _ plan: LivePlan, _ counters: LiveCounters, fold: AggregateFold? = nil
  ) async {
    let identity = plan.identity
    identities[id] = identity
    let isMaintained = entries[identity]?.hasFailed == false
    if !isMaintained {
      lastEntry += 1
      let query = MaintainedQuery(plan, backlog: bounds.backlog)
      var entry = entries[identity] ?? SharedQuery(query, number: lastEntry)
      entry.restart(query, number: lastEntry)
      entries[identity] = entry
    }
    entries[identity]?.add(id, counters, fold)
    guard !isMaintained, let snapshot = hold?.snapshot else { return }
    await load(identity, snapshot)
  }

  func close(_ id: LiveID) {
    guard let identity = identities.removeValue(forKey: id) else { return }
    delivered[id] = nil
    entries[identity]?.remove(id)
    if entries[identity]?.isUnused == true { entries[identity] = nil }
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
    // The query may be closed by now, or closed and opened again at another commit.
    guard var entry = entries[identity], entry.number == number else { return }
    let time = ContinuousClock.now - start
    entry.count {
      $0.loads += 1
      $0.maintenance += time
    }
    switch result {
    case .success(let tree):
      // The backlog cannot bring the result up to date: the next step loads again, while no commit
      // can come in between.
      entry.isStopped = !entry.query.didLoad(tree, hasRoot: hasRoot)
    case .failure(let error) where error.code == .suspended:
      entry.query.didStop()
      // The next step has another snapshot; the task that opened the query asks for that step.
      entry.isStopped = true
    case .failure(let error): entry.query.didFail(error)
    }
    entry.didLoad(over: delivered)
    entries[identity] = entry
  }

  /// Begins an activity of all live queries of a query; the returned closure ends it.
  private func begin(
    _ activity: StackActivity, for identity: LivePlan.Identity
  ) -> @Sendable () -> Void {
    let ledgers = entries[identity]?.activities ?? []
    for ledger in ledgers { ledger.begin(activity) }
    return { for ledger in ledgers { ledger.end(activity) } }
  }

  // MARK: - Merge turns

  /// Hands a turn to the view context.
  ///
  /// Returns the keys whose records the view context needs first, none if it shows the turn; nil if
  /// the view context no longer exists.
  typealias Deliver = @Sendable (MergeTurn) async -> [TableID: Set<RecordKey>]?

  /// Starts the task that brings the view context to each new commit, strictly in sequence.
  ///
  /// The task holds the view context only during a turn, so it does not keep the context alive. It
  /// ends when the stack closes.
  nonisolated func start(_ writer: Writer, _ view: ViewContext) {
    let deliver: Deliver = { [weak view] turn in await view?.merge(turn) }
    StoreDeadline.withNone { _ = Task { await run(writer, deliver) } }
  }

  /// Brings the view context to each step of the writer, until the writer closes.
  func run(_ writer: Writer, _ deliver: @escaping Deliver) async {
    self.deliver = deliver
    _ = await showOpened()
    while let step = await writer.nextMergeStep() { await show(step) }
  }

  /// Brings every query and the view context to the step's commit.
  ///
  /// If a suspension interrupts this, the next step includes the step.
  private func show(_ step: MergeStep) async {
    // The task has no deadline and is not cancelled, so it always enters.
    guard (try? await turns.enter()) != nil else { return }
    defer { turns.leave() }
    await advanceAndDeliver(step)
  }

  /// Shows the results of opened queries at the commit to which the view context was brought last.
  ///
  /// The writer is not asked, so a long transaction does not delay the first result.
  ///
  /// - Returns: false if a load failed, which the writer's next step tries again.
  func showOpened() async -> Bool {
    guard (try? await turns.enter()) != nil else { return true }
    defer { turns.leave() }
    let hasFailed = entries.hasUnreported { $0.query.result.error != nil }
    if failure == nil && hasFailed { return false }
    guard let hold, undelivered == nil, entries.hasUnreported() else { return true }
    await advanceAndDeliver(
      MergeStep(changes: [], snapshot: hold.snapshot, completedSave: nil, failure: failure))
    return true
  }

  private func advanceAndDeliver(_ step: MergeStep) async {
    guard let deliver, var turn = await advance(step) else { return }
    while let missing = await deliver(turn), !missing.isEmpty {
      if await !read(missing, into: &turn) { return takeBack(turn) }
    }
    didDeliver(turn)
  }

  /// Reads the records that a turn lacks; false if a suspension took its snapshot.
  private func read(
    _ missing: [TableID: Set<RecordKey>], into turn: inout MergeTurn
  ) async -> Bool {
    for (table, keys) in missing {
      do throws(StoreError) {
        let records = try await turn.snapshot.records(model[table], keys: keys)
        for key in keys { turn.stored[table, default: [:]][key] = RecordState(records[key]) }
      } catch {
        if error.code == .suspended { return false }
        turn.unreadable.insert(table)
      }
    }
    return true
  }

  /// Brings every query to the step's commit; nil if a suspension interrupted it.
  ///
  /// The next step then includes this step.
  private func advance(_ step: MergeStep) async -> MergeTurn? {
    if let failure = step.failure { return fail(step, failure) }
    let changes = ChangeSet.composed(step.changes)
    if hold?.snapshot !== step.snapshot { hold = SnapshotHold(step.snapshot, .liveQueries) }
    var changed: [LivePlan.Identity: MaintainedChange] = [:]
    var stale: [LivePlan.Identity] = []
    var lacking: [(LivePlan.Identity, MaintainedQuery.RowRequest, MaintainedChange)] = []
    for identity in entries.queries(concernedBy: changes) {
      if entries[identity]?.isStopped == true {
        stale.append(identity)
        continue
      }
      // A failed load is tried again, even if nothing was committed since.
      let idle =
        entries[identity]?.query.result.error == nil ? MaintainedQuery.Outcome.unchanged : .stale
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
    let earlier = undelivered ?? UndeliveredTurn()
    undelivered = nil
    changed.merge(earlier.changed) { $1.followed(by: $0) }
    let turn = MergeTurn(
      snapshot: step.snapshot, changes: earlier.changes(with: changes),
      completedSave: step.completedSave ?? earlier.completedSave, updates: updates(changed))
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
    else { return entry.query.result.error == nil ? .unchanged : .stale }
    let start = ContinuousClock.now
    let outcome = entries[identity]?.query.apply(changes) ?? .unchanged
    entry.count(outcome, since: start)
    return outcome
  }

  /// Reads the rows that a result lacks, until none is missing; stale if they cannot be read.
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
        // The load that follows reports the error, or waits for the end of a suspension.
        return .stale
      }
      entries[identity]?.count { $0.refills += 1 }
    }
    entries[identity]?.count(outcome, since: start)
    return outcome
  }

  /// Makes the last turn, in which every query fails: nothing newer can be read.
  private func fail(_ step: MergeStep, _ failure: StoreError) -> MergeTurn {
    for identity in Array(entries.identities) { entries[identity]?.didFail(failure) }
    self.failure = failure
    let earlier = undelivered ?? UndeliveredTurn()
    undelivered = nil
    return MergeTurn(
      snapshot: step.snapshot, changes: earlier.changes,
      completedSave: step.completedSave ?? earlier.completedSave,
      updates: updates(earlier.changed), failure: failure)
  }

  /// Notes that the view context shows a turn, and releases the results that it showed before.
  private func didDeliver(_ turn: MergeTurn) {
    for (id, update) in turn.updates where identities[id] != nil {
      delivered[id] = update.result
    }
  }

  /// Keeps the content of a turn that the view context did not get, for the next turn.
  private func takeBack(_ turn: MergeTurn) {
    var taken = UndeliveredTurn(changes: turn.changes, completedSave: turn.completedSave)
    defer { undelivered = taken }
    for (id, update) in turn.updates {
      guard let identity = identities[id] else { continue }
      if let change = update.change {
        taken.changed[identity] = change
      } else {
        entries[identity]?.reportAgain(to: id)
      }
    }
  }

  private func updates(
    _ changed: [LivePlan.Identity: MaintainedChange]
  ) -> [LiveID: MaintainedUpdate] {
    var updates: [LiveID: MaintainedUpdate] = [:]
    for identity in entries.waiting.union(changed.keys) {
      entries[identity]?.report(changed[identity]) { updates[$0] = $1 }
    }
    return updates
  }
}
