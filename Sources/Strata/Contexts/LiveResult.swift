/// The contents of one live query, and those who are told of their changes.
///
/// It is the part of ``LiveQuery`` that does not depend on the entity's type. It lives on the main
/// actor. A change of the context has two phases: first the contents of every result change
/// (``change(_:)``), then every result reports (``report()``).
@MainActor
final class LiveResult {
  private(set) var contents: LiveContents
  let counters: LiveCounters
  private(set) lazy var activity = ActivityMonitor(counters.activity)
  private var subscribers = LiveSubscribers()
  private var observers: [Int: @MainActor (LiveChange) -> Void] = [:]
  private var lastObserver = 0
  private let waiters = Waiters()
  /// Called when a change is reported. The new version is already shown by then.
  private var didChange: () -> Void = {}
  private var didFinish: () -> Void = {}
  private var noteUnreported: () -> Void = {}
  private var didChangePlan: () -> Void = {}
  private var noteLacking: ([Set<RecordKey>]) -> Void = { _ in }

  /// Creates a result that waits for its load, or that never loads because of `error`.
  init(
    _ plan: LivePlan, _ counters: LiveCounters, reading: AttributeSet? = nil,
    fold: AggregateFold? = nil, _ error: StoreError? = nil
  ) {
    contents = LiveContents(plan, reading: reading, fold: fold, error)
    self.counters = counters
  }

  deinit {
    subscribers.finish()
    if contents.load.isAwaited { counters.activity.end(.refilling) }
  }

  var plan: LivePlan { contents.plan }
  var shown: ShownRows { contents.shown }
  var reading: AttributeSet? { contents.reading }
  var emptyFold: AggregateFold? { contents.emptyFold }
  var shownFold: AggregateFold? { contents.shownFold }
  var isLoaded: Bool { contents.load.isLoaded }
  var isFinished: Bool { contents.load.isFinished }
  var error: StoreError? { contents.load.error }

  // MARK: Changes, first phase

  /// Changes the contents.
  ///
  /// The shown rows change only within a change of the context, which reports them.
  func change<R>(_ body: (inout LiveContents) -> R) -> R {
    let (wasAwaited, plans) = (contents.load.isAwaited, contents.replacedPlans)
    defer {
      switch (wasAwaited, contents.load.isAwaited) {
      case (false, true): counters.activity.begin(.refilling)
      case (true, false): counters.activity.end(.refilling)
      case (true, true), (false, false): break
      }
      if contents.replacedPlans != plans { didChangePlan() }
      if contents.unreported != nil { noteUnreported() }
      if let keys = contents.takeUnasked() { noteLacking(keys) }
    }
    return body(&contents)
  }

  // MARK: Changes, second phase

  /// Whether there is a change to report.
  var hasUnreported: Bool { contents.unreported != nil }

  /// Sets the closure that is called when there is a change to report.
  func onUnreported(_ body: @escaping () -> Void) { noteUnreported = body }

  /// Sets the closure that is called when the query is another one.
  func onPlan(_ body: @escaping () -> Void) { didChangePlan = body }

  /// Sets the closure that is called with the keys of each level of a live tree whose rows edits need.
  func onLacking(_ body: @escaping ([Set<RecordKey>]) -> Void) { noteLacking = body }

  /// Sets the closure that observation calls whenever a change is reported.
  func onChange(_ body: @escaping () -> Void) { didChange = body }

  /// Sets the closure that is called at the end of all changes.
  func onFinish(_ body: @escaping () -> Void) { didFinish = body }

  /// Reports the change since the last report to observers, streams and waiters.
  ///
  /// An observer may edit the context; that is a new change after this one.
  func report() {
    guard let change = contents.takeUnreported() else { return }
    didChange()
    if !change.isEmpty {
      counters.count { $0.wakes += 1 }
      subscribers.publish(change.new, change.changed)
      for id in observers.keys.sorted() { observers[id]?(change) }
    }
    if change.isStatus { waiters.resumeAll() }
  }

  // MARK: Another load

  func didOpen(as id: LiveID) { change { $0.didOpen(as: id) } }

  /// Begins to load the query again, if its first load failed.
  ///
  /// - Returns: the failed load.
  func retry(as id: LiveID) -> LiveID? {
    guard let failed = change({ $0.retry(as: id) }) else { return nil }
    report()
    return failed
  }

  /// Begins to change the query.
  ///
  /// - Returns: the unfinished change that this one replaces.
  func change(to plan: LivePlan, as id: LiveID) -> LiveID? {
    let old = error
    let superseded = change { $0.change(to: plan, as: id) }
    if old != nil && error == nil { didChange() }
    if superseded != nil { waiters.resumeAll() }
    return superseded
  }

  func changeDidFail(_ error: StoreError) {
    change { $0.changeDidFail(error) }
    didChange()
    waiters.resumeAll()
  }

  /// Returns whether this shows the result of a plan, and no change of the query is in progress or
  /// has failed.
  func shows(_ plan: LivePlan) -> Bool {
    contents.load.isCurrent && contents.load.isUnchanging && plan.identity == self.plan.identity
  }

  /// Returns whether the maintainer's result of a query is still wanted.
  func wants(_ id: LiveID) -> Bool { contents.load.wants(id) }

  /// Returns when a change of the query is complete.
  ///
  /// - Throws: the error that stopped the change; `cancelled` if another change replaced it.
  func waitUntilChanged(as id: LiveID) async throws(StoreError) {
    try await waiters.waitUnlessCancelled { contents.load.next.id == id && !isFinished }
    if contents.load.current.id == id { return }
    if isFinished { throw .closed }
    if case .failed(let error) = contents.load.next { throw error }
    throw .cancelled
  }

  // MARK: Listeners

  func subscribe() -> LiveSubscription {
    let subscription = LiveSubscription(seen: shown)
    if isFinished { subscription.finish() }
    subscribers.add(subscription)
    return subscription
  }

  /// Calls `body` in the turn of every change until ``stopObserving(_:)``.
  func observe(_ body: @escaping @MainActor (LiveChange) -> Void) -> Int {
    lastObserver += 1
    observers[lastObserver] = body
    return lastObserver
  }

  func stopObserving(_ id: Int) { observers[id] = nil }

  /// Returns when the first result or the first error has arrived, or when the live query has
  /// ended.
  func waitUntilLoaded() async throws(StoreError) {
    try await waiters.waitUnlessCancelled { contents.load.isAwaited }
  }

  /// Ends every subscription; the shown rows stay readable.
  func finish() {
    change { $0.finish() }
    subscribers.finish()
    subscribers = LiveSubscribers()
    waiters.resumeAll()
    didFinish()
  }
}
