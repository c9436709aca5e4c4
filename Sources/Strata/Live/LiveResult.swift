/// What one live query shows: the maintained result with the view context's edits on top.
///
/// The engine behind ``LiveQuery``, without its type. Lives on the main actor and changes only in
/// merge turns, edits of the view context, and when its query is changed in place:
///
/// showing ─change→ changing (shows the old query's result);  changing ─change→ changing to the newer
/// changing ─loaded→ showing the new;  changing ─failed→ showing the old, with an error
@MainActor
final class LiveResult {
  private(set) var plan: LivePlan
  /// The maintainer's name for the query; nil until it is opened.
  private(set) var id: LiveID?
  /// The query that takes the place of this one as soon as its result is there.
  private(set) var candidate: (id: LiveID, plan: LivePlan)?
  private(set) var shown: ShownRows
  private(set) var isLoaded = false
  /// Why the result could not be loaded.
  private var loadError: StoreError?
  /// Why the query could not be changed.
  private var changeError: StoreError?
  /// The attributes that the consumer reads; nil for all.
  let reading: AttributeSet?
  let counters: LiveCounters
  private(set) lazy var activity = ActivityMonitor(counters.activity)
  /// A result has been asked for and is not there yet.
  private var isAwaited = false {
    didSet {
      if isAwaited && !oldValue { counters.activity.begin(.refilling) }
      if !isAwaited && oldValue { counters.activity.end(.refilling) }
    }
  }
  /// What aggregates make of the committed result, and of what is shown; nil without aggregates.
  let emptyFold: AggregateFold?
  private var baseFold: AggregateFold?
  private(set) var shownFold: AggregateFold?
  /// The committed result, without edits.
  private var base: ResultTree
  private var horizon: Record?
  /// Whether the store has the root of a relationship's query.
  private var hasRoot = true
  /// Whether the root was there, edits included, when ``shown`` was made.
  private var showsRoot = true
  private var subscribers = LiveSubscribers()
  private var observers: [Int: @MainActor (LiveChange) -> Void] = [:]
  private var lastObserver = 0
  private let waiters = Waiters()
  /// Edits that were made while observers were told of a change: each is a change after it.
  private var deferredEdits: [(key: RecordKey, table: TableID, layers: ViewLayers)] = []
  private var isTelling = false
  /// Nothing will change any more: the stack is closed, or the query cannot be run.
  private(set) var isFinished = false
  /// Brackets every change, for observation.
  var willChange: () -> Void = {}
  var didChange: () -> Void = {}
  var didFinish: () -> Void = {}

  /// One change of what is shown.
  struct LiveChange {
    let old: ShownRows
    let new: ShownRows
    let changed: ChangedKeys

    /// Whether there is something else to see for who reads `attributes`, nil for all.
    func isVisible(reading attributes: AttributeSet?) -> Bool {
      switch changed {
      case .some(let keys): new.differs(from: old, changed: keys, reading: attributes)
      case .every: !old.range.isEmpty || !new.range.isEmpty
      case .all: true
      }
    }
  }

  /// A result that waits to be loaded, or that never will be for the reason given.
  init(
    _ plan: LivePlan, _ counters: LiveCounters, reading: AttributeSet? = nil,
    fold: AggregateFold? = nil, _ error: StoreError? = nil
  ) {
    self.plan = plan
    emptyFold = fold
    self.counters = counters
    self.reading = reading
    loadError = error
    base = ResultTree([], order: plan.order)
    shown = ShownRows(base, plan)
  }

  deinit {
    subscribers.finish()
    if isAwaited { counters.activity.end(.refilling) }
  }

  var error: StoreError? { changeError ?? loadError }

  /// The committed record of a key, if the result has it.
  func stored(_ key: RecordKey) -> Record? {
    base.record(of: key)?.prefix(plan.table.columns.count)
  }

  // MARK: Changes

  /// Takes a merge turn: the new committed result, and the keys whose edits may show otherwise.
  ///
  /// - Returns: the query that is not wanted any more, if the turn decided that of two.
  func merge(
    _ updates: [LiveID: MaintainedUpdate], _ layers: ViewLayers, touched: Set<RecordKey>
  ) -> LiveID? {
    defer { showDeferredEdits() }
    var unwanted: LiveID?
    if let candidate, let update = updates[candidate.id] {
      self.candidate = nil
      isAwaited = false
      if let error = update.error {
        changeDidFail(error)
        unwanted = candidate.id
      } else {
        unwanted = id
        id = candidate.id
        plan = candidate.plan
        take(update)
        show(tree(under: layers), isLoaded ? .every : .all, error: nil, isFirst: !isLoaded, layers)
        waiters.resumeAll()
        return unwanted
      }
    }
    let update = id.flatMap { updates[$0] }
    var edited = touched
    if let update {
      // Edits behind the horizon are not shown.
      if update.horizon != horizon { edited.formUnion(layers.keys(of: plan.table.id)) }
      take(update)
    }
    let hasOtherRoot = showsRoot != isRootVisible(layers)
    if update == nil && (edited.isEmpty && !hasOtherRoot || !isLoaded) { return unwanted }
    var changed = ChangedKeys(edited)
    if let update { changed.formUnion(update.changed) }
    if hasOtherRoot { changed.formUnion(.every) }
    let tree = tree(under: layers)
    if let update, edited.isEmpty, !hasOtherRoot, error == nil, isUnread(update) {
      shown = next(tree, changed)
      shownFold = fold(under: layers)
      return unwanted
    }
    let isFirst = !isLoaded && update.map { $0.error == nil } == true
    show(tree, changed, error: update.map(\.error) ?? loadError, isFirst: isFirst, layers)
    return unwanted
  }

  private func take(_ update: MaintainedUpdate) {
    if candidate == nil { isAwaited = false }
    base = update.tree
    horizon = update.horizon
    hasRoot = update.hasRoot
    baseFold = update.fold
  }

  /// Whether an update only changes attributes that nobody reads, of rows that stay.
  private func isUnread(_ update: MaintainedUpdate) -> Bool {
    guard let reading, let attributes = update.attributes, update.error == nil else { return false }
    return attributes.isDisjoint(with: reading.union(plan.order.attributes))
  }

  /// The committed result with the edits on top.
  private func tree(under layers: ViewLayers) -> ResultTree {
    showsRoot = isRootVisible(layers)
    guard showsRoot else { return ResultTree([], order: plan.order) }
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
    if isTelling { return deferredEdits.append((key, table, layers)) }
    show(key, in: table, layers)
    showDeferredEdits()
  }

  private func showDeferredEdits() {
    while !deferredEdits.isEmpty {
      let edits = deferredEdits
      deferredEdits = []
      for edit in edits { show(edit.key, in: edit.table, edit.layers) }
    }
  }

  private func show(_ key: RecordKey, in table: TableID, _ layers: ViewLayers) {
    guard isLoaded else { return }
    if plan.root?.table.id == table, isRootVisible(layers) != showsRoot {
      show(tree(under: layers), .every, error: loadError, isFirst: false, layers)
    } else if plan.table.id == table, showsRoot {
      show(key, layers)
    }
  }

  private func show(_ key: RecordKey, _ layers: ViewLayers) {
    var tree = shown.tree
    let record = visible(key, layers)
    let old = tree.set(record, for: key)
    if old == record { return }
    show(
      tree, ChangedKeys([key]), error: loadError, isFirst: false, layers, edit: (old, record))
  }

  /// The record that the query shows for a key that has edits; nil if it shows none.
  private func visible(_ key: RecordKey, _ layers: ViewLayers) -> Record? {
    let stored = stored(key)
    let shown = layers.shown(plan.table.id, key, over: .init(stored)).record
    guard let shown else { return nil }
    let record: Record
    if plan.query.isRowLocal {
      guard plan.query.filter?.matches(shown) ?? true else { return nil }
      record = plan.query.row(shown)
    } else {
      // Whether an edited row belongs to a query that looks at other rows, the store will say. The
      // place that the row's link has, the edit does not know.
      guard let base = base.record(of: key) else { return nil }
      record = shown.withPlace(of: base, plan.query)
    }
    // A section that has no name is an error once it is saved.
    guard let row = try? plan.extended(record) else { return nil }
    if let horizon, plan.order.compare(row, horizon) > 0 { return nil }
    return row
  }

  private func next(_ tree: ResultTree, _ changed: ChangedKeys) -> ShownRows {
    guard case .some(let keys) = changed else { return ShownRows(tree, plan) }
    return ShownRows(tree, after: shown, keys)
  }

  /// What aggregates make of what is shown: of the committed rows, with the edited ones exchanged.
  private func fold(under layers: ViewLayers) -> AggregateFold? {
    guard let baseFold else { return nil }
    if showsRoot && layers.keys(of: plan.table.id).isEmpty { return baseFold }
    guard shown.isWhole && showsRoot else { return baseFold.of(shown) }
    var fold = baseFold
    for key in layers.keys(of: plan.table.id) {
      fold.replace(base.record(of: key), shown.tree.record(of: key))
    }
    return fold
  }

  /// Shows a newer version, and tells whom it concerns.
  ///
  /// - Parameter edit: the one row that is another one, if only one is.
  private func show(
    _ tree: ResultTree, _ changed: ChangedKeys, error: StoreError?, isFirst: Bool,
    _ layers: ViewLayers, edit: (before: Record?, after: Record?)? = nil
  ) {
    let change = LiveChange(old: shown, new: next(tree, changed), changed: changed)
    let isSilent =
      !isFirst && error == nil && loadError == nil && !change.isVisible(reading: reading)
    if !isSilent {
      counters.count { $0.wakes += 1 }
      isTelling = true
      willChange()
    }
    shown = change.new
    if let edit, shown.isWhole {
      shownFold?.replace(edit.before, edit.after)
    } else {
      shownFold = fold(under: layers)
    }
    if isSilent { return }
    loadError = error
    if isFirst { isLoaded = true }
    didChange()
    subscribers.publish(change.new, change.changed)
    for id in observers.keys.sorted() { observers[id]?(change) }
    if isFirst || error != nil { waiters.resumeAll() }
    isTelling = false
  }

  // MARK: Another query

  func didOpen(as id: LiveID) {
    self.id = id
    isAwaited = true
  }

  /// Begins to change the query.
  ///
  /// - Returns: the change that this one takes the place of.
  func change(to plan: LivePlan, as id: LiveID) -> LiveID? {
    let superseded = candidate?.id
    candidate = (id, plan)
    isAwaited = true
    if changeError != nil || !isLoaded && loadError != nil {
      willChange()
      changeError = nil
      // Of the old query nobody waits for anything any more.
      if !isLoaded { loadError = nil }
      didChange()
    }
    if superseded != nil { waiters.resumeAll() }
    return superseded
  }

  func changeDidFail(_ error: StoreError) {
    willChange()
    changeError = error
    didChange()
    waiters.resumeAll()
  }

  /// Whether this is the result of a plan, with nothing on its way that could change that.
  func shows(_ plan: LivePlan) -> Bool {
    isLoaded && error == nil && candidate == nil && !isFinished
      && plan.identity == self.plan.identity
  }

  /// Whether the maintainer's result is still of use.
  func wants(_ id: LiveID) -> Bool { self.id == id || candidate?.id == id }

  /// Returns when a change of the query has taken place.
  ///
  /// - Throws: why it has not; `cancelled` if another change took its place.
  func waitUntilChanged(as id: LiveID) async throws(StoreError) {
    let isUndecided = { self.candidate?.id == id && !self.isFinished }
    while isUndecided() { try await waiters.waitUnlessCancelled(for: .load, while: isUndecided) }
    if self.id == id { return }
    if isFinished { throw .closed }
    throw candidate == nil ? changeError ?? .cancelled : .cancelled
  }

  // MARK: Listeners

  func subscribe() -> LiveSubscription {
    let subscription = LiveSubscription(seen: shown)
    if isFinished { subscription.finish() }
    subscribers.add(subscription)
    return subscription
  }

  /// Calls `body` in the turn of every change until it is told to stop.
  func observe(_ body: @escaping @MainActor (LiveChange) -> Void) -> Int {
    lastObserver += 1
    observers[lastObserver] = body
    return lastObserver
  }

  func stopObserving(_ id: Int) { observers[id] = nil }

  /// Returns when the first result, or the first error, is there.
  func waitUntilLoaded() async throws(StoreError) {
    let isUndecided = { !self.isLoaded && self.error == nil && !self.isFinished }
    while isUndecided() { try await waiters.waitUnlessCancelled(for: .load, while: isUndecided) }
  }

  /// Ends every subscription; what is shown stays readable.
  func finish() {
    isFinished = true
    isAwaited = false
    subscribers.finish()
    subscribers = LiveSubscribers()
    waiters.resumeAll()
    didFinish()
  }
}
