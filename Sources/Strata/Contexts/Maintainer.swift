internal import StrataSQLite

/// Identifies a live query within its view context.
typealias LiveID = Int

/// Keeps live queries over committed data; equal queries share one result.
///
/// Merge turns run strictly in sequence, one for each time that the gate is taken: turns to the
/// writer's newest commit, and turns that show opened queries at the view context's commit. First
/// loads run beside them, on a snapshot to which the maintainer has already advanced. Commits during
/// a load wait in the query's backlog.
actor Maintainer {
  private nonisolated let executor = StoreExecutor("strata.maintainer")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let model: Model
  private let bounds: StoreBounds
  private weak var writer: Writer?
  private let gate: MergeGate
  private weak var view: ViewContext?
  private var entries = SharedQueries()
  private var lastEntry = 0
  private var identities: [LiveID: LivePlan.Identity] = [:]
  private var hold: SnapshotHold?
  /// The turn that a suspension interrupted; the writer's step after the resumption follows.
  private var undelivered: UndeliveredTurn?
  /// The error after which the view context stays at its commit for good.
  private var failure: StoreError?
  /// The results that the view context shows.
  ///
  /// The last references to them are released here: freeing large trees would hold up the main
  /// actor.
  private var delivered: [LiveID: MaintainedResult] = [:]
  /// The results of the newest turn, which the view context shows as soon as the gate is open.
  private var underway: [LiveID: MaintainedResult] = [:]
  /// Called before each load and each read, so that tests can delay it.
  var willLoad: (@Sendable () async -> Void)?

  init(_ model: Model, _ bounds: StoreBounds, _ writer: Writer) {
    self.model = model
    self.bounds = bounds
    self.writer = writer
    gate = writer.mergeGate
  }

  func setWillLoad(_ hook: (@Sendable () async -> Void)?) { willLoad = hook }

  /// The number of maintained queries.
  var queryCount: Int { entries.count }

  /// Begins to bring the view context, which shows a snapshot, to each new commit.
  func start(_ view: ViewContext, _ snapshot: Snapshot) {
    self.view = view
    hold = SnapshotHold(snapshot, .liveQueries)
    gate.open()
  }

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

  /// Reads the rows of each level of a live tree that unsaved edits want.
  func want(_ keys: [Set<RecordKey>], for id: LiveID) {
    guard let identity = identities[id] else { return }
    entries[identity]?.query.want(keys)
    showOpened()
  }

  func close(_ id: LiveID) {
    guard let identity = identities.removeValue(forKey: id) else { return }
    delivered[id] = nil
    underway[id] = nil
    entries[identity]?.remove(id)
    if entries[identity]?.isUnused == true { entries[identity] = nil }
  }

  private func load(_ identity: LivePlan.Identity, _ snapshot: Snapshot) async {
    guard let number = entries[identity]?.number, let query = entries[identity]?.query else {
      return
    }
    let end = begin(.refilling, for: identity)
    defer { end() }
    await willLoad?()
    let start = ContinuousClock.now
    let result: Result<(ResultTree, [LevelRows]), StoreError>
    var hasRoot = true
    do throws(StoreError) {
      if let root = query.plan.root {
        hasRoot = try await !snapshot.records(root.table, keys: [root.key]).isEmpty
      }
      let tree = try await snapshot.tree(query.plan, limit: query.loadLimit)
      let related = query.plan.related ?? TreePlan()
      result = .success((tree, try await snapshot.levels(related, under: tree)))
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
    case .success((let tree, let levels)):
      // The backlog cannot bring the result up to date: the next step loads again, while no commit
      // can come in between.
      entry.query.didLoad(tree, levels: levels, hasRoot: hasRoot)
    case .failure(let error) where error.code == .suspended:
      // The next step has another snapshot; the task that opened the query asks for that step.
      entry.query.didStop()
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

  /// The greatest number of rows times queries of a step that is done on the writer's thread.
  private static let quickWork = 256

  /// Brings the queries and the view context to a step of the writer, which has taken the gate.
  ///
  /// A quick step is done on the writer's thread, because waking another one costs more.
  nonisolated func show(_ step: MergeStep) {
    let isShown = executor.runIfIdle { assumeIsolated { $0.show(step, onlyIfQuick: true) } }
    if isShown == true { return }
    executor.async { self.assumeIsolated { _ = $0.show(step, onlyIfQuick: false) } }
  }

  /// Shows the results of opened queries at the commit to which the view context was brought last.
  ///
  /// The writer is not asked, so a long transaction does not delay the first result. A load that
  /// failed is tried again with the writer's next step.
  func showOpened() {
    let hasFailed = entries.isAsked { $0.hasUnreported && $0.query.error != nil }
    if failure == nil && hasFailed {
      writer?.wakeMergeSoon()
      return
    }
    guard let hold, undelivered == nil, entries.isAsked(), takeGate() else { return }
    let step = MergeStep(
      changes: [], snapshot: hold.snapshot, completedSave: nil, failure: failure)
    _ = show(step, onlyIfQuick: false)
  }

  /// Takes the gate; if it is taken, opened queries are shown when it opens.
  private func takeGate() -> Bool {
    gate.take(for: .maintainer) { [weak self, executor] in
      executor.async { [weak self] in self?.assumeIsolated { $0.showOpened() } }
    }
  }

  /// Brings the queries to a step, and hands the turn to the view context.
  ///
  /// - Returns: false, and does nothing, if the step must be quick and may not be.
  private func show(_ step: MergeStep, onlyIfQuick: Bool) -> Bool {
    let rows = step.changes.reduce(0) { $0 + $1.count }
    if onlyIfQuick
      && (step.failure != nil || undelivered != nil
        || max(rows, entries.alwaysConcerned) > Self.quickWork)
    {
      return false
    }
    if step.failure != nil {
      showFailure(of: step)
      return true
    }
    let changes = ChangeSet.composed(step.changes)
    let concerned = entries.queries(concernedBy: changes)
    if onlyIfQuick
      && (max(1, rows) * concerned.count > Self.quickWork
        || !concerned.allSatisfy { entries[$0]?.isQuick == true })
    {
      return false
    }
    noteShown()
    if hold?.snapshot !== step.snapshot { hold = SnapshotHold(step.snapshot, .liveQueries) }
    let advance = applied(step, changes, to: concerned)
    switch (advance.isComplete, onlyIfQuick) {
    case (true, true): bringAtOnce(turn(of: advance))
    case (true, false): begin(turn(of: advance))
    case (false, _): Task.detached { await self.finish(advance) }
    }
    return true
  }

  /// Hands a quick turn to the view context. The main actor opens the gate.
  private func bringAtOnce(_ turn: MergeTurn) {
    underway = turn.updates.mapValues(\.result)
    Task.detached { @MainActor @Sendable [weak view] in
      let missing = await view?.merge(turn) ?? [:]
      if missing.isEmpty { self.gate.open() } else { await self.bring(turn) }
    }
  }

  private func begin(_ turn: MergeTurn) { Task.detached { await self.bring(turn) } }

  /// Hands a turn to the view context, and reads the records that it needs first.
  ///
  /// The maintainer opens the gate, and frees what the turn has replaced and what it holds, which may
  /// take long.
  private func bring(_ first: MergeTurn) async {
    var turn = first
    underway = turn.updates.mapValues(\.result)
    while let missing = await view?.merge(turn), !missing.isEmpty {
      if await turn.read(missing, of: model) { continue }
      underway = [:]
      takeBack(turn)
      return gate.open()
    }
    noteShown()
    gate.open()
  }

  /// Reads what a step lacks, and hands the turn to the view context.
  private func finish(_ advance: MergeAdvance) async {
    if let turn = await read(advance) { await bring(turn) } else { gate.open() }
  }

  /// Notes that the view context shows the newest turn, and releases the results before.
  private func noteShown() {
    for (id, result) in underway where identities[id] != nil { delivered[id] = result }
    underway = [:]
  }

  /// Brings some queries to a step, as far as that takes no reading.
  private func applied(
    _ step: MergeStep, _ changes: ChangeSet?, to concerned: Set<LivePlan.Identity>
  ) -> MergeAdvance {
    var advance = MergeAdvance(step: step, changes: changes)
    for identity in concerned {
      switch apply(changes, to: identity) {
      case .unchanged: break
      case .changed(let change): advance.changed[identity] = change
      case .reading(let request, let change): advance.lacking.append((identity, request, change))
      case .stale: advance.stale.append(identity)
      }
    }
    return advance
  }

  /// Begins to read the rows that unsaved edits want of a query; nil if they want none.
  private func wanted(of identity: LivePlan.Identity) -> MaintainedQuery.Outcome? {
    entries[identity]?.query.isWanting == true ? entries[identity]?.query.readWanted() : nil
  }

  /// Reads what a step lacks; nil if a suspension interrupted it.
  ///
  /// The next step then includes this step.
  private func read(_ advance: MergeAdvance) async -> MergeTurn? {
    var advance = advance
    for (identity, request, change) in advance.lacking {
      switch await read(request, change, of: identity, advance.step.snapshot) {
      case .changed(let change): advance.changed[identity] = change
      case .stale: advance.stale.append(identity)
      case .unchanged, .reading: break
      }
    }
    for identity in advance.stale { await load(identity, advance.step.snapshot) }
    let turn = turn(of: advance)
    if advance.stale.contains(where: { entries[$0]?.query.isStale == true }) {
      takeBack(turn)
      return nil
    }
    return turn
  }

  /// Returns the turn of a step that has everything, and of an interrupted step before it.
  private func turn(of advance: MergeAdvance) -> MergeTurn {
    let earlier = undelivered ?? UndeliveredTurn()
    undelivered = nil
    let changed = advance.changed.merging(earlier.changed) { $1.followed(by: $0) }
    return MergeTurn(
      snapshot: advance.step.snapshot, changes: earlier.changes(with: advance.changes),
      completedSave: advance.step.completedSave ?? earlier.completedSave,
      updates: updates(changed))
  }

  private func apply(
    _ changes: ChangeSet?, to identity: LivePlan.Identity
  ) -> MaintainedQuery.Outcome {
    guard let entry = entries[identity] else { return .unchanged }
    if entry.query.isStale { return .stale }
    if changes == nil, let wanted = wanted(of: identity) { return wanted }
    // A failed load is tried again, even if nothing was committed since.
    if entry.query.error != nil { return .stale }
    guard let changes, changes.tables.keys.contains(where: entry.query.plan.depends) else {
      return .unchanged
    }
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
        case .related(let number, let keys):
          guard let level = plan.related?.levels[number] else { return .unchanged }
          let rows = try await snapshot.rows(level, for: keys)
          outcome =
            entries[identity]?.query.didRead(related: rows, of: number, for: keys, change)
            ?? .unchanged
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

  /// Hands over the last turn, in which every query fails: nothing newer can be read.
  private func showFailure(of step: MergeStep) {
    noteShown()
    failure = step.failure
    if let failure {
      for identity in Array(entries.identities) { entries[identity]?.didFail(failure) }
    }
    var turn = turn(of: MergeAdvance(step: step, changes: nil))
    turn.failure = failure
    begin(turn)
  }

  /// Keeps the content of a turn that the view context did not get, for the next turn.
  private func takeBack(_ turn: MergeTurn) {
    var taken = UndeliveredTurn(changes: turn.changes, completedSave: turn.completedSave)
    defer { undelivered = taken }
    for (id, update) in turn.updates {
      guard let identity = identities[id] else { continue }
      if let change = update.change, !update.isCaughtUp {
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
      entries[identity]?.report(changed[identity], over: delivered) { updates[$0] = $1 }
    }
    return updates
  }
}
