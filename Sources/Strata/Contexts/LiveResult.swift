/// The rows that one live query shows: the maintained result with the view context's edits on top.
///
/// It is the part of ``LiveQuery`` that does not depend on the entity's type. It lives on the main
/// actor. It changes only in merge turns, by edits of the view context, and when its query is
/// changed in place (``LiveLoad``). A change of the context has two phases: first every result
/// takes the change (``take(_:)``, ``lay``), then every result reports it (``report()``).
@MainActor
final class LiveResult {
  private(set) var plan: LivePlan { didSet { didChangePlan() } }
  private(set) var load: LiveLoad {
    didSet {
      if load.isAwaited && !oldValue.isAwaited { counters.activity.begin(.refilling) }
      if !load.isAwaited && oldValue.isAwaited { counters.activity.end(.refilling) }
    }
  }
  /// The plan of the next query, which replaces `plan` once its result has arrived.
  private var nextPlan: LivePlan?
  private(set) var shown: ShownRows
  /// The attributes that the consumer reads; nil for all.
  let reading: AttributeSet?
  let counters: LiveCounters
  private(set) lazy var activity = ActivityMonitor(counters.activity)
  /// The aggregates over no rows, over the committed result and over the shown rows; nil without
  /// aggregates.
  let emptyFold: AggregateFold?
  private var baseFold: AggregateFold?
  private(set) var shownFold: AggregateFold?
  /// The committed result, without edits.
  private var base: MaintainedResult
  /// Whether the root existed, edits included, when ``shown`` was made.
  private var showsRoot = true
  /// The committed result that the current merge turn brought.
  private var arrived: Arrival?
  /// The change that has not been reported yet.
  private var unreported: LiveChange?
  private var subscribers = LiveSubscribers()
  private var observers: [Int: @MainActor (LiveChange) -> Void] = [:]
  private var lastObserver = 0
  private let waiters = Waiters()
  /// Called when a change is reported. The new version is already shown by then.
  private var didChange: () -> Void = {}
  private var didFinish: () -> Void = {}
  private var noteUnreported: () -> Void = {}
  private var didChangePlan: () -> Void = {}

  /// A newer committed result, before the edits are laid over it.
  private struct Arrival {
    var changed: ChangedKeys
    /// Whether the horizon of a limited result has moved.
    var movesHorizon = false
    /// Whether only attributes differ that the consumer does not read, of rows that stay.
    var isUnread = false
  }

  /// Creates a result that waits for its load, or that never loads because of `error`.
  init(
    _ plan: LivePlan, _ counters: LiveCounters, reading: AttributeSet? = nil,
    fold: AggregateFold? = nil, _ error: StoreError? = nil
  ) {
    self.plan = plan
    emptyFold = fold
    self.counters = counters
    self.reading = reading
    load = LiveLoad(error)
    base = MaintainedResult(tree: ResultTree([], order: plan.order))
    shown = ShownRows(base.tree, plan)
  }

  deinit {
    subscribers.finish()
    if load.isAwaited { counters.activity.end(.refilling) }
  }

  var isLoaded: Bool { load.isLoaded }
  var isFinished: Bool { load.isFinished }
  var error: StoreError? { load.error }

  /// Returns the committed record of a key at the view context's commit, if the result has it.
  func stored(_ key: RecordKey) -> Record? {
    load.isCurrent ? base.tree.record(of: key)?.prefix(plan.table.columns.count) : nil
  }

  /// Adds the committed records of some keys at the view context's commit, as far as the result has them.
  func addStored(_ keys: Set<RecordKey>, to found: inout [RecordKey: Record]) {
    guard load.isCurrent else { return }
    let count = plan.table.columns.count
    if keys.count < base.tree.count {
      for key in keys where found[key] == nil {
        if let record = base.tree.record(of: key) { found[key] = record.prefix(count) }
      }
      return
    }
    var records = base.tree.inKeyOrder
    while let record = records.next() {
      let key = record.key(Table.keyColumn)
      if found[key] == nil && keys.contains(key) { found[key] = record.prefix(count) }
    }
  }

  // MARK: Changes, first phase

  /// Takes the newer committed results of a merge turn.
  ///
  /// The shown rows stay until the edits are laid over the new results.
  ///
  /// - Returns: the live query to close, if the turn decided between the current and the next one.
  func take(_ updates: [LiveID: MaintainedUpdate]) -> LiveID? {
    var unwanted: LiveID?
    if let id = load.next.id, let update = updates[id] {
      switch load.take(id, update.result.error) {
      case .changeFailed:
        unwanted = id
        reportLater(.some(KeyBatches([])), isStatus: true)
      case .replaced(let old, let isFirst):
        if let nextPlan { plan = nextPlan }
        nextPlan = nil
        take(update, isFirst ? .all : .every)
        reportLater(isFirst ? .all : .every, isStatus: true)
        return old
      case .unwanted, .current, .failed: break
      }
    }
    guard let id = load.current.id, let update = updates[id] else { return unwanted }
    let hadError = load.loadError != nil
    var changed = update.changed
    var isStatus = false
    switch load.take(id, update.result.error) {
    case .current(isFirst: true): (changed, isStatus) = (.all, true)
    case .current(isFirst: false): isStatus = hadError
    case .failed: isStatus = true
    case .unwanted, .replaced, .changeFailed: break
    }
    take(update, changed)
    if isStatus { reportLater(changed, isStatus: true) }
    return unwanted
  }

  private func take(_ update: MaintainedUpdate, _ changed: ChangedKeys) {
    arrived = Arrival(
      changed: changed, movesHorizon: update.result.horizon != base.horizon,
      isUnread: isUnread(update))
    base = update.result
    baseFold = update.fold
  }

  /// Whether an update changes only attributes that the consumer does not read, of rows that stay.
  private func isUnread(_ update: MaintainedUpdate) -> Bool {
    guard let reading, let attributes = update.change?.attributes, update.result.error == nil,
      update.result.horizon == base.horizon
    else { return false }
    return attributes.isDisjoint(with: reading.union(plan.order.attributes))
  }

  /// The committed result at the view context's commit; nil before the load.
  var committedRows: ResultTree? { load.isCurrent ? base.tree : nil }

  /// Lays the edits over the newest committed result.
  ///
  /// - Parameter touched: the edited keys whose shown rows may differ.
  /// - Complexity: O(*k* log *n*) for *k* keys that changed, edited ones included; O(*e* log *n*)
  ///   for *e* edited keys if the result was loaded or its horizon moved.
  func lay(_ layers: ViewLayers, touched: Set<RecordKey>) {
    let arrived = arrived
    self.arrived = nil
    guard isLoaded else { return }
    let hasOtherRoot = showsRoot != isRootVisible(layers)
    if arrived == nil && touched.isEmpty && !hasOtherRoot { return }
    var changed = ChangedKeys(touched)
    if let arrived { changed.formUnion(arrived.changed) }
    let edits = layers.stack.count(of: plan.table.id)
    if case .some(let keys) = changed, !hasOtherRoot, showsRoot, edits > 0,
      arrived?.movesHorizon != true, keys.count < edits
    {
      return show(keys, layers)
    }
    if arrived?.movesHorizon == true && edits > 0 {
      // Edits beyond the horizon are not shown, so its move may affect every edited key.
      changed.formUnion(ChangedKeys(layers.stack.keys(of: plan.table.id)))
    }
    if hasOtherRoot { changed.formUnion(.every) }
    let isSilent = arrived?.isUnread == true && touched.isEmpty && !hasOtherRoot
    show(tree(under: layers), changed, isSilent: isSilent)
    shownFold = fold(under: layers)
  }

  /// Returns the committed result with the edits on top.
  private func tree(under layers: ViewLayers) -> ResultTree {
    showsRoot = isRootVisible(layers)
    guard showsRoot else { return ResultTree([], order: plan.order) }
    var tree = base.tree
    for key in layers.stack.keys(of: plan.table.id) {
      tree.set(visible(key, layers), for: key)
    }
    return tree
  }

  /// Returns whether the root of a relationship's query exists, edits included.
  private func isRootVisible(_ layers: ViewLayers) -> Bool {
    guard let root = plan.root else { return true }
    switch layers.stack.state(of: root.key, in: root.table, over: .unknown) {
    case .record: return true
    case .absent: return false
    case .unknown: return base.hasRoot
    }
  }

  /// Takes edits of some rows, and perhaps of the root of a relationship's query.
  func edit(_ keys: [RecordKey], _ layers: ViewLayers) {
    guard isLoaded else { return }
    if isRootVisible(layers) != showsRoot {
      show(tree(under: layers), .every)
      shownFold = fold(under: layers)
    } else if showsRoot && !keys.isEmpty {
      show(KeyBatches(ContiguousArray(keys)), layers)
    }
  }

  /// Shows the current records of some keys, edited or not.
  private func show(_ keys: KeyBatches, _ layers: ViewLayers) {
    var tree = shown.tree
    var fold = shown.isWhole ? shownFold : nil
    shownFold = nil  // not a second reference to the groups
    var differing: ContiguousArray<RecordKey> = []
    for key in keys.distinct {
      let record =
        layers.edits(key, in: plan.table.id) ? visible(key, layers) : base.tree.record(of: key)
      let old = tree.set(record, for: key)
      if old == record { continue }
      differing.append(key)
      fold?.replace(old, record)
    }
    if !differing.isEmpty { show(tree, .some(KeyBatches(differing))) }
    shownFold = fold ?? self.fold(under: layers)
  }

  /// Returns the record that the query shows for a key that has edits; nil if it shows none.
  private func visible(_ key: RecordKey, _ layers: ViewLayers) -> Record? {
    let committed = base.tree.record(of: key)
    let stored =
      committed.map { RecordState.record($0.prefix(plan.table.columns.count)) } ?? .unknown
    guard let shown = layers.state(of: key, in: plan.table, or: stored).record else { return nil }
    let record: Record
    if plan.query.isRowLocal {
      guard plan.query.filter?.matches(shown) ?? true else { return nil }
      record = plan.query.ownRow(shown)
    } else if plan.query.hasOwnMembership {
      guard plan.query.filter?.matches(shown) ?? true else { return nil }
      record = shown.queryRow(like: committed, plan.query)
    } else {
      // Only the store knows whether an edited row belongs to a query that depends on other rows.
      // So the committed result decides. It also has the position of the row's link, which the edit
      // lacks.
      guard let committed else { return nil }
      record = shown.queryRow(like: committed, plan.query)
    }
    // A row whose section has no name is not shown; once it is saved, the load fails with that
    // error.
    guard let row = try? plan.extended(record) else { return nil }
    if let horizon = base.horizon, plan.order.compare(row, horizon) > 0 { return nil }
    return row
  }

  private func next(_ tree: ResultTree, _ changed: ChangedKeys) -> ShownRows {
    guard case .some(let keys) = changed else { return ShownRows(tree, plan) }
    return ShownRows(tree, after: shown, keys)
  }

  /// Returns the aggregates over the shown rows: over the committed rows, with edited rows
  /// exchanged.
  private func fold(under layers: ViewLayers) -> AggregateFold? {
    guard let baseFold else { return nil }
    let edited = layers.stack.keys(of: plan.table.id)
    if showsRoot && edited.isEmpty { return baseFold }
    guard shown.isWhole && showsRoot else { return baseFold.of(shown) }
    var fold = baseFold
    for key in edited { fold.replace(base.tree.record(of: key), shown.tree.record(of: key)) }
    return fold
  }

  /// Shows a newer version, which ``report()`` reports.
  private func show(_ tree: ResultTree, _ changed: ChangedKeys, isSilent: Bool = false) {
    let new = next(tree, changed)
    if !isSilent { reportLater(changed) }
    shown = new
  }

  private func reportLater(_ changed: ChangedKeys, isStatus: Bool = false) {
    var unreported =
      self.unreported ?? LiveChange(old: shown, new: shown, changed: .some(KeyBatches([])))
    self.unreported = nil  // not a second reference to the keys
    unreported.changed.formUnion(changed)
    if isStatus { unreported.isStatus = true }
    self.unreported = unreported
    noteUnreported()
  }

  // MARK: Changes, second phase

  /// Whether there is a change to report.
  var hasUnreported: Bool { unreported != nil }

  /// Sets the closure that is called when there is a change to report.
  func onUnreported(_ body: @escaping () -> Void) { noteUnreported = body }

  /// Sets the closure that is called when the query is another one.
  func onPlan(_ body: @escaping () -> Void) { didChangePlan = body }

  /// Sets the closure that observation calls whenever a change is reported.
  func onChange(_ body: @escaping () -> Void) { didChange = body }

  /// Sets the closure that is called at the end of all changes.
  func onFinish(_ body: @escaping () -> Void) { didFinish = body }

  /// Reports the change since the last report to observers, streams and waiters.
  ///
  /// An observer may edit the context; that is a new change after this one.
  func report() {
    guard var change = unreported else { return }
    unreported = nil
    change.new = shown
    if !change.isStatus && !change.isVisible(reading: reading) { return }
    didChange()
    if !change.isEmpty {
      counters.count { $0.wakes += 1 }
      subscribers.publish(change.new, change.changed)
      for id in observers.keys.sorted() { observers[id]?(change) }
    }
    if change.isStatus { waiters.resumeAll() }
  }

  // MARK: Another load

  func didOpen(as id: LiveID) { load.open(id) }

  /// Begins to load the query again, if its first load failed.
  ///
  /// - Returns: the failed load.
  func retry(as id: LiveID) -> LiveID? {
    guard let failed = load.retry(as: id) else { return nil }
    reportLater(.all, isStatus: true)
    report()
    return failed
  }

  /// Begins to change the query.
  ///
  /// - Returns: the unfinished change that this one replaces.
  func change(to plan: LivePlan, as id: LiveID) -> LiveID? {
    let old = load.error
    let superseded = load.change(to: id)
    nextPlan = plan
    if old != nil && load.error == nil {
      didChange()
    }
    if superseded != nil { waiters.resumeAll() }
    return superseded
  }

  func changeDidFail(_ error: StoreError) {
    load.changeFailed(error)
    nextPlan = nil
    didChange()
    waiters.resumeAll()
  }

  /// Returns whether this shows the result of a plan, and no change of the query is in progress or
  /// has failed.
  func shows(_ plan: LivePlan) -> Bool {
    load.isCurrent && load.isUnchanging && plan.identity == self.plan.identity
  }

  /// Returns whether the maintainer's result of a query is still wanted.
  func wants(_ id: LiveID) -> Bool { load.wants(id) }

  /// Returns when a change of the query is complete.
  ///
  /// - Throws: the error that stopped the change; `cancelled` if another change replaced it.
  func waitUntilChanged(as id: LiveID) async throws(StoreError) {
    try await waiters.waitUnlessCancelled { load.next.id == id && !isFinished }
    if load.current.id == id { return }
    if isFinished { throw .closed }
    if case .failed(let error) = load.next { throw error }
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
    try await waiters.waitUnlessCancelled { load.isAwaited }
  }

  /// Ends every subscription; the shown rows stay readable.
  func finish() {
    load.finish()
    subscribers.finish()
    subscribers = LiveSubscribers()
    waiters.resumeAll()
    didFinish()
  }
}
