/// What one live query shows: the maintained result with the view context's edits on top.
///
/// The engine behind ``LiveQuery``, without its type. Lives on the main actor and changes only in
/// merge turns and edits of the view context.
@MainActor
final class LiveResult {
  nonisolated let plan: QueryPlan
  private(set) var shown: ShownRows
  private(set) var isLoaded = false
  private(set) var error: StoreError?
  /// The committed result, without edits.
  private var base: ResultTree
  private var horizon: Record?
  /// Whether the store has the root of a relationship's query.
  private var hasRoot = true
  private var subscriptions: [WeakSubscription] = []
  private var observers: [Int: @MainActor (LiveChange) -> Void] = [:]
  private var nextObserver = 0
  private var waiters = Waiters()
  /// Nothing will change any more: the stack is closed, or the query cannot be run.
  private var isFinished = false
  /// Brackets every change, for observation.
  var willChange: () -> Void = {}
  var didChange: () -> Void = {}

  private struct WeakSubscription {
    weak var subscription: LiveSubscription?
  }

  /// One change of what is shown.
  struct LiveChange {
    let old: ShownRows
    let new: ShownRows
    let changed: ChangedKeys

    /// Whether all that may have changed is as it was: a save that confirms what is shown.
    var isEmpty: Bool {
      guard case .some(let keys) = changed else { return false }
      return keys.allSatisfy { old.tree.record(of: $0) == new.tree.record(of: $0) }
    }
  }

  /// A result that waits to be loaded, or that never will be for the reason given.
  init(_ plan: QueryPlan, _ error: StoreError?) {
    self.plan = plan
    self.error = error
    base = ResultTree([], order: plan.order)
    shown = ShownRows(base, plan)
  }

  deinit {
    for entry in subscriptions { entry.subscription?.finish() }
  }

  /// The committed record of a key, if the result has it.
  func stored(_ key: RecordKey) -> Record? {
    base.record(of: key)?.prefix(plan.table.columns.count)
  }

  // MARK: Changes

  /// Takes a merge turn: the new committed result, and the keys whose edits may show otherwise.
  func merge(_ update: MaintainedUpdate?, _ layers: ViewLayers, touched: Set<RecordKey>) {
    var changed = ChangedKeys.some(touched)
    if let update {
      base = update.tree
      horizon = update.horizon
      hasRoot = update.hasRoot
      switch update.changed {
      case .some(let keys): changed.formUnion(.some(Set(keys)))
      case .all: changed = .all
      }
    }
    if update == nil && (touched.isEmpty || !isLoaded) { return }
    let tree = tree(under: layers)
    let isFirst = !isLoaded && update.map { $0.error == nil } == true
    show(tree, changed, error: update.map(\.error) ?? error, isFirst: isFirst)
  }

  /// The committed result with the edits on top.
  private func tree(under layers: ViewLayers) -> ResultTree {
    guard isRootVisible(layers) else { return ResultTree([], order: plan.order) }
    var tree = base
    for key in layers.keys(of: plan.table.id) {
      tree.set(visible(key, layers), for: key)
    }
    return tree
  }

  /// Whether the root of a relationship's query is there, edits included.
  private func isRootVisible(_ layers: ViewLayers) -> Bool {
    guard let root = plan.root else { return true }
    switch layers.shown(root.table.id, root.key, over: .unknown) {
    case .record: return true
    case .deleted: return false
    case .unknown: return hasRoot
    }
  }

  /// Takes an edit of one key of a table: of a row, or of the root of a relationship's query.
  func edit(_ key: RecordKey, in table: TableID, _ layers: ViewLayers) {
    guard isLoaded else { return }
    if let root = plan.root, root.table.id == table, root.key == key {
      let tree = tree(under: layers)
      let changed = shown.keys.union(ShownRows(tree, plan).keys)
      show(tree, .some(changed), error: error, isFirst: false)
    } else if plan.table.id == table, isRootVisible(layers) {
      edit(key, layers)
    }
  }

  private func edit(_ key: RecordKey, _ layers: ViewLayers) {
    var tree = shown.tree
    if tree.set(visible(key, layers), for: key) {
      show(tree, .some([key]), error: error, isFirst: false)
    }
  }

  /// The record that the query shows for a key that has edits; nil if it shows none.
  private func visible(_ key: RecordKey, _ layers: ViewLayers) -> Record? {
    let stored = stored(key)
    let shown = layers.shown(plan.table.id, key, over: .init(stored)).record
    guard let shown else { return nil }
    // Whether an edited row belongs to a query that looks at other rows, the store will say.
    guard plan.isRowLocal else {
      guard let base = base.record(of: key) else { return nil }
      // The place that the row's link has, the edit does not know.
      return plan.width > shown.count ? shown.appending(shown.count, of: base) : shown
    }
    guard plan.filter?.matches(shown) ?? true else { return nil }
    if let horizon, plan.order.compare(shown, horizon) > 0 { return nil }
    return shown
  }

  private func show(
    _ tree: ResultTree, _ changed: ChangedKeys, error: StoreError?, isFirst: Bool
  ) {
    let change = LiveChange(old: shown, new: ShownRows(tree, plan), changed: changed)
    if !isFirst, error == nil, self.error == nil, change.isEmpty { return }
    willChange()
    shown = change.new
    self.error = error
    if isFirst { isLoaded = true }
    didChange()
    subscriptions.removeAll { $0.subscription == nil }
    for entry in subscriptions { entry.subscription?.publish(change.new, changed) }
    for id in observers.keys.sorted() { observers[id]?(change) }
    if isFirst || error != nil { waiters.resumeAll() }
  }

  // MARK: Listeners

  func subscribe() -> LiveSubscription {
    let subscription = LiveSubscription(seen: shown)
    if isFinished { subscription.finish() }
    subscriptions.append(WeakSubscription(subscription: subscription))
    return subscription
  }

  /// Calls `body` in the turn of every change until it is told to stop.
  func observe(_ body: @escaping @MainActor (LiveChange) -> Void) -> Int {
    nextObserver += 1
    observers[nextObserver] = body
    return nextObserver
  }

  func stopObserving(_ id: Int) { observers[id] = nil }

  /// Returns when the first result, or the first error, is there.
  func waitUntilLoaded() async throws(StoreError) {
    if isLoaded || error != nil || isFinished { return }
    let id = waiters.nextID
    await withTaskCancellationHandler {
      await withUnsafeContinuation { waiters.add(.load, $0) }
    } onCancel: {
      Task { @MainActor in waiters.resume(id) }
    }
    if Task.isCancelled { throw .cancelled }
  }

  /// Ends every subscription; what is shown stays readable.
  func finish() {
    isFinished = true
    for entry in subscriptions { entry.subscription?.finish() }
    subscriptions = []
    waiters.resumeAll()
  }
}
