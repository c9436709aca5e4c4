/// What one live query shows, as a value: the maintained result with the view context's edits on top.
///
/// It changes in merge turns, by edits of the view context, and when its query is changed in place (``LiveLoad``).
/// A large change is made to a copy on another thread (``ContextVersion``).
struct LiveContents: Sendable {
  private(set) var plan: LivePlan
  /// The number of plans that were replaced.
  private(set) var replacedPlans = 0
  private(set) var load: LiveLoad
  /// The plan of the next query, which replaces `plan` once its result has arrived.
  private var nextPlan: LivePlan?
  /// The rows at the context's commit, with all edits.
  private var newest: ShownRows
  /// The older version that a live tree shows until the rows that edits need are in memory.
  private var older: ShownRows?
  private var lacking = LackingRows()
  /// The attributes that the consumer reads; nil for all.
  let reading: AttributeSet?
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
  private(set) var unreported: LiveChange?
  /// Whether the consumer sees a difference in ``unreported``; nil if nobody has compared the rows yet.
  private var isSeen: Bool?
  /// The number of changes, so that a copy can be told from a later version.
  private(set) var edition = 0

  /// A newer committed result, before the edits are laid over it.
  private struct Arrival {
    var changed: ChangedKeys
    /// The keys of each level of a live tree whose rows may differ; nil for any key.
    var levels: [ContiguousArray<RecordKey>]?
    /// Whether the horizon of a limited result has moved.
    var movesHorizon = false
    /// Whether only attributes differ that the consumer does not read, of rows that stay.
    var isUnread = false
  }

  /// Creates contents that wait for their load, or that never load because of `error`.
  init(_ plan: LivePlan, reading: AttributeSet?, fold: AggregateFold?, _ error: StoreError?) {
    self.plan = plan
    self.reading = reading
    emptyFold = fold
    load = LiveLoad(error)
    base = MaintainedResult(tree: ResultTree([], order: plan.order))
    newest = ShownRows(base.tree, plan)
  }

  /// The rows to show.
  var shown: ShownRows { older ?? newest }

  /// Whether rows of a live tree that edits need have not arrived.
  var isLacking: Bool { lacking.isOpen(base.levels) }

  /// Returns the keys of each level of a live tree whose rows edits need, once; nil if there are none.
  mutating func takeUnasked() -> [Set<RecordKey>]? { lacking.takeUnasked() }

  /// The committed rows of each table at the view context's commit; empty before the load.
  var committedRows: [(table: Table, rows: ResultTree)] {
    guard load.isCurrent else { return [] }
    return [(plan.table, base.tree)] + base.levels.map { ($0.level.table, $0.tree) }
  }

  /// Returns the committed record of a key at the view context's commit, if the result has it.
  func stored(_ key: RecordKey, in table: TableID) -> Record? {
    guard load.isCurrent else { return nil }
    // Without `committedRows`: edits ask for each key, and most results are no trees.
    if plan.table.id == table, let record = base.tree.record(of: key) {
      return record.prefix(plan.table.columns.count)
    }
    for rows in base.levels where rows.level.table.id == table {
      if let record = rows.tree.record(of: key) { return record }
    }
    return nil
  }

  /// Adds the committed records of some keys at the view context's commit, as far as the result has them.
  func addStored(
    _ keys: Set<RecordKey>, in table: TableID, to found: inout [RecordKey: Record]
  ) {
    for (own, rows) in committedRows where own.id == table {
      let count = own.columns.count
      if keys.count < rows.count {
        for key in keys where found[key] == nil {
          if let record = rows.record(of: key) { found[key] = record.prefix(count) }
        }
        continue
      }
      var records = rows.inKeyOrder
      while let record = records.next() {
        let key = record.key(Table.keyColumn)
        if found[key] == nil && keys.contains(key) { found[key] = record.prefix(count) }
      }
    }
  }

  // MARK: Newer results

  /// Takes the newer committed results of a merge turn.
  ///
  /// The shown rows stay until the edits are laid over the new results.
  ///
  /// - Returns: the live query to close, if the turn decided between the current and the next one.
  mutating func take(_ updates: [LiveID: MaintainedUpdate]) -> LiveID? {
    edition += 1
    var unwanted: LiveID?
    if let id = load.next.id, let update = updates[id] {
      switch load.take(id, update.result.error) {
      case .changeFailed:
        unwanted = id
        reportLater(.some(KeyBatches([])), isStatus: true)
      case .replaced(let old, let isFirst):
        if let nextPlan {
          plan = nextPlan
          replacedPlans += 1
        }
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

  private mutating func take(_ update: MaintainedUpdate, _ changed: ChangedKeys) {
    arrived = Arrival(
      changed: changed, levels: update.change?.levels,
      movesHorizon: update.result.horizon != base.horizon,
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

  // MARK: Edits

  /// Lays the edits over the newest committed result.
  ///
  /// - Parameter touched: the edited keys of each table whose shown rows may differ.
  /// - Complexity: O(*k* log *n*) for *k* keys that changed, edited ones included; O(*e* log *n*)
  ///   for *e* edited keys if the result was loaded or its horizon moved.
  mutating func lay(_ layers: ViewLayers, touched: [TableID: Set<RecordKey>]) {
    edition += 1
    let arrived = arrived
    self.arrived = nil
    guard load.isLoaded else { return }
    let (old, showedRoot) = (newest, showsRoot)
    layRows(layers, touched: touched[plan.table.id] ?? [], arrived)
    layRelated(layers, touched, arrived, from: old, isOther: showedRoot != showsRoot)
  }

  private mutating func layRows(
    _ layers: ViewLayers, touched: Set<RecordKey>, _ arrived: Arrival?
  ) {
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

  /// Takes edits of some rows, and perhaps of the root of a relationship's query.
  mutating func edit(_ edited: [TableID: Set<RecordKey>], _ layers: ViewLayers) {
    edition += 1
    guard load.isLoaded else { return }
    let (old, showedRoot) = (newest, showsRoot)
    editRows(edited[plan.table.id] ?? [], layers)
    layRelated(layers, edited, nil, from: old, isOther: showedRoot != showsRoot)
  }

  private mutating func editRows(_ keys: Set<RecordKey>, _ layers: ViewLayers) {
    if isRootVisible(layers) != showsRoot {
      show(tree(under: layers), .every)
      shownFold = fold(under: layers)
    } else if showsRoot && !keys.isEmpty {
      show(KeyBatches(ContiguousArray(keys)), layers)
    }
  }

  /// Returns the committed result with the edits on top.
  private mutating func tree(under layers: ViewLayers) -> ResultTree {
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

  /// Shows the current records of some keys, edited or not.
  private mutating func show(_ keys: KeyBatches, _ layers: ViewLayers) {
    var tree = newest.tree
    var fold = newest.isWhole ? shownFold : nil
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
    return ShownRows(tree, after: newest, keys)
  }

  /// Returns the aggregates over the shown rows: over the committed rows, with edited rows
  /// exchanged.
  private func fold(under layers: ViewLayers) -> AggregateFold? {
    guard let baseFold else { return nil }
    let edited = layers.stack.keys(of: plan.table.id)
    if showsRoot && edited.isEmpty { return baseFold }
    guard newest.isWhole && showsRoot else { return baseFold.of(newest) }
    var fold = baseFold
    for key in edited { fold.replace(base.tree.record(of: key), newest.tree.record(of: key)) }
    return fold
  }

  /// Shows a newer version, which is to be reported.
  private mutating func show(_ tree: ResultTree, _ changed: ChangedKeys, isSilent: Bool = false) {
    let new = next(tree, changed)
    if !isSilent { reportLater(changed) }
    newest = new
  }

  // MARK: Related rows

  /// Brings what stands beside the rows of a live tree to the newest version.
  ///
  /// - Parameters:
  ///   - touched: the edited keys of each table whose shown rows may differ.
  ///   - arrived: the newer committed result.
  ///   - old: the newest rows before.
  ///   - isOther: whether the root of the query has come or gone.
  /// - Complexity: O(*k* log *n*) for *k* keys that changed, edited ones included; O(*e* log *n*) for *e*
  ///   edited keys if a larger result has arrived.
  private mutating func layRelated(
    _ layers: ViewLayers, _ touched: [TableID: Set<RecordKey>], _ arrived: Arrival?,
    from old: ShownRows, isOther: Bool
  ) {
    guard let related = plan.related else { return }
    let tables = related.levels.map(\.table.id)
    var isLaidAnew = false
    if arrived == nil, newest.related != nil, touched.isEmpty, !isOther { return }
    var levels = base.levels
    var affected: Set<RecordKey> = []
    let edits = ([plan.table.id] + tables).reduce(0) { $0 + layers.stack.count(of: $1) }
    if !isOther, let before = old.related, let arrived = few(arrived, edits) {
      levels = before.levels
      let roots = arrived.roots.union(touched[plan.table.id] ?? [])
      let keys = zip(arrived.levels, tables).map { $0.union(touched[$1] ?? []) }
      affected = levels.show(
        keys, under: newest.versions(of: roots, from: old.tree), over: base.levels, layers)
    } else {
      isLaidAnew = true
      let roots = newest.versions(of: layers.stack.keys(of: plan.table.id), from: base.tree)
      affected = levels.show(
        tables.map(layers.stack.keys), under: roots, over: base.levels, layers)
      for (number, table) in tables.enumerated() {
        for key in touched[table] ?? [] {
          guard let row = old.related?.levels[number].tree.record(of: key) else { continue }
          affected.formUnion(old.related?.levels.roots(of: row, in: number) ?? [])
        }
      }
    }
    if let arrived { reportLater(arrived.changed) }
    if !affected.isEmpty { reportLater(ChangedKeys(affected)) }
    newest.related = TreeRows(branches: related.branches, levels: levels)
    lacking.follow(
      newest, plan.table, over: base, layers, edited: isLaidAnew ? nil : touched)
    older = lacking.areAwaited ? older ?? old : nil
  }

  /// Returns the keys that a newer committed result changed, if following them costs less than laying all
  /// edits over the result.
  private func few(
    _ arrived: Arrival?, _ edits: Int
  ) -> (roots: Set<RecordKey>, levels: [Set<RecordKey>])? {
    guard let arrived else { return ([], base.levels.map { _ in [] }) }
    guard case .some(let roots) = arrived.changed, let levels = arrived.levels,
      !arrived.movesHorizon, levels.reduce(roots.count, { $0 + $1.count }) < edits
    else { return nil }
    return (roots.distinct, levels.isEmpty ? base.levels.map { _ in [] } : levels.map { Set($0) })
  }

  // MARK: Reports

  private mutating func reportLater(_ changed: ChangedKeys, isStatus: Bool = false) {
    var unreported =
      self.unreported ?? LiveChange(old: shown, new: shown, changed: .some(KeyBatches([])))
    self.unreported = nil  // not a second reference to the keys
    unreported.changed.formUnion(changed)
    if isStatus { unreported.isStatus = true }
    self.unreported = unreported
    isSeen = nil
  }

  /// Returns the change since the last report, if its consumer sees one, and forgets it.
  mutating func takeUnreported() -> LiveChange? {
    guard var change = unreported, older == nil else { return nil }
    unreported = nil
    change.new = newest
    return isSeen ?? isSeen(change) ? change : nil
  }

  private func isSeen(_ change: LiveChange) -> Bool {
    change.isStatus || change.isVisible(reading: reading)
  }

  /// Compares the rows for the report, which then does not have to.
  mutating func prepareReport() {
    guard var change = unreported, older == nil else { return }
    change.new = newest
    isSeen = isSeen(change)
  }

  // MARK: Loads

  mutating func didOpen(as id: LiveID) {
    edition += 1
    load.open(id)
  }

  /// Begins to load the query again, if its first load failed.
  ///
  /// - Returns: the failed load.
  mutating func retry(as id: LiveID) -> LiveID? {
    guard let failed = load.retry(as: id) else { return nil }
    edition += 1
    reportLater(.all, isStatus: true)
    return failed
  }

  /// Begins to change the query.
  ///
  /// - Returns: the unfinished change that this one replaces.
  mutating func change(to plan: LivePlan, as id: LiveID) -> LiveID? {
    edition += 1
    nextPlan = plan
    return load.change(to: id)
  }

  mutating func changeDidFail(_ error: StoreError) {
    edition += 1
    load.changeFailed(error)
    nextPlan = nil
  }

  mutating func finish() {
    edition += 1
    load.finish()
  }
}
