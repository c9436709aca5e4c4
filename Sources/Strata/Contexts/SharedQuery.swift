/// A maintained query, and the live queries that share its result.
struct SharedQuery: Sendable {
  /// Tells this value from an earlier value of the same query, whose load may still run.
  private(set) var number: Int
  var query: MaintainedQuery
  private var counters: [LiveID: LiveCounters] = [:]
  /// The live queries that have not received the result yet.
  private var unreported: Set<LiveID> = []
  /// The difference that a load made to the result that the other live queries have.
  private var reloaded: MaintainedChange?
  /// The aggregates of the live queries that have some.
  private var folds: [LiveID: MaintainedFold] = [:]

  init(_ query: MaintainedQuery, number: Int) {
    self.query = query
    self.number = number
  }

  /// Whether the first load failed.
  var hasFailed: Bool { if case .failed(_, hasRows: false) = query.state { true } else { false } }

  /// Begins anew with a query that is not loaded; a load that still runs no longer counts.
  mutating func restart(_ query: MaintainedQuery, number: Int) {
    (self.query, self.number) = (query, number)
    reloaded = nil
    unreported = Set(counters.keys)
  }

  mutating func add(_ id: LiveID, _ counters: LiveCounters, _ fold: AggregateFold?) {
    self.counters[id] = counters
    unreported.insert(id)
    folds[id] = fold.map(MaintainedFold.init)
  }

  mutating func remove(_ id: LiveID) {
    counters[id] = nil
    unreported.remove(id)
    folds[id] = nil
  }

  /// Whether no live query shows the result.
  var isUnused: Bool { counters.isEmpty }

  /// Whether a live query has not received the result yet.
  var hasUnreported: Bool { !unreported.isEmpty }

  /// Whether something waits for a step, although nothing has changed.
  var isAsked: Bool { hasUnreported || query.isWanting }

  /// Whether the next step looks at the query, whatever changes.
  var isWaiting: Bool {
    hasUnreported || reloaded != nil || query.isWanting || !query.isReady
  }

  /// Whether a change of a few rows takes a few microseconds, and runs no code of the app.
  ///
  /// The aggregates of a limited query are computed from all of its rows.
  var isQuick: Bool {
    !isWaiting && !query.plan.isComputed
      && (folds.isEmpty || query.plan.query.reach == nil)
  }

  // MARK: - Statistics

  var activities: [ActivityLedger] { counters.values.map(\.activity) }

  func count(_ change: @Sendable (inout LiveStatistics) -> Void) {
    for counters in counters.values { counters.count(change) }
  }

  func count(_ outcome: MaintainedQuery.Outcome, since start: ContinuousClock.Instant) {
    let time = ContinuousClock.now - start
    let changed = if case .changed(let change) = outcome { change.keys.count } else { 0 }
    count {
      $0.maintainedChanges += changed
      $0.maintenance += time
    }
  }

  // MARK: - Results

  /// Notes how a load changed the result that some live queries already have.
  ///
  /// Even if much of a table changes, that result may stay the same.
  ///
  /// - Parameter delivered: the results that live queries have.
  mutating func didLoad(over delivered: [LiveID: MaintainedResult]) {
    let new = query.result
    guard query.isReady, let reported = counters.keys.first(where: { !unreported.contains($0) }),
      let old = delivered[reported], old.error == nil,
      old.hasRoot == new.hasRoot, let change = MaintainedChange(from: old, to: new)
    else {
      reloaded = nil
      unreported = Set(counters.keys)
      return
    }
    // A change without keys still counts if the horizon moved.
    reloaded = change.isEmpty && old.horizon == new.horizon ? nil : change
  }

  /// Notes that nothing newer can be read.
  mutating func didFail(_ failure: StoreError) {
    query.didFail(failure)
    unreported = Set(counters.keys)
  }

  /// Notes that a live query did not receive the result.
  mutating func reportAgain(to id: LiveID) { unreported.insert(id) }

  /// Reports the result to the live queries that lack it, and a change to the others.
  ///
  /// - Parameter delivered: the results that live queries have.
  mutating func report(
    _ change: MaintainedChange?, over delivered: [LiveID: MaintainedResult],
    to update: (LiveID, MaintainedUpdate) -> Void
  ) {
    guard query.isReady || query.error != nil else { return }
    var result = query.result
    result.error = query.error
    for id in unreported {
      let missed = delivered[id].flatMap { MaintainedChange(from: $0, to: result) }
      update(
        id,
        MaintainedUpdate(
          result: result, change: missed, isCaughtUp: true, fold: fold(of: id, nil)))
    }
    let change = change.map { change in reloaded.map(change.followed) ?? change } ?? reloaded
    reloaded = nil
    if let change {
      for id in counters.keys where !unreported.contains(id) {
        let fold = fold(of: id, change.keys)
        update(
          id, MaintainedUpdate(result: result, change: change, isCaughtUp: false, fold: fold))
      }
    }
    unreported = []
  }

  /// Brings the aggregates of a live query to the newest result.
  private mutating func fold(
    of id: LiveID, _ keys: ContiguousArray<RecordKey>?
  ) -> AggregateFold? {
    folds[id]?.follow(query, keys.map(Set.init))
    return folds[id]?.fold
  }
}
