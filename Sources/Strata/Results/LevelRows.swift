/// The rows of one level of a live tree at one moment.
///
/// It is a value: versions share their common parts, as those of a ``ResultTree`` do.
struct LevelRows: Sendable {
  let level: TreeLevel
  /// The rows in the level's order.
  private(set) var tree: ResultTree
  /// The rows above in the order of the key to which they lead, if they refer to the level's rows.
  private var above: OrderTree
  /// The last known row under each row above that has more rows than the level keeps.
  private var horizons = ShardedDictionary<RecordKey, Record>()
  /// The aggregates of the rows, by the key of the row above; nil without aggregates.
  private(set) var fold: AggregateFold?
  /// The keys whose rows are kept for unsaved edits: of rows above if the level refers to them, or else of
  /// the level's rows.
  private(set) var guests: Set<RecordKey> = []

  /// Creates the level without rows.
  init(_ level: TreeLevel) {
    self.level = level
    tree = ResultTree([], order: level.order)
    above = OrderTree(sorted: [], by: Self.orderAbove(level))
    fold = level.emptyFold
  }

  /// Creates the level from rows that were read.
  ///
  /// - Parameters:
  ///   - rows: the rows; those under one row above stand together, in the order of the plan, if the level
  ///     has a reach.
  ///   - rowsAbove: the rows of the level above.
  /// - Complexity: O(*n* log *n*).
  init(_ level: TreeLevel, _ rows: ContiguousArray<Record>, under rowsAbove: ResultTree) {
    self.init(level)
    tree = ResultTree(rows, order: level.order)
    fold = level.emptyFold.map { AggregateFold($0.terms, by: $0.groupColumns, of: rows) }
    switch level.route {
    case .referred(let column):
      var referring = ContiguousArray<Record>()
      var all = rowsAbove.inKeyOrder
      while let row = all.next() { if !row.isNull(column) { referring.append(row) } }
      above = OrderTree(referring, by: above.order)
    case .referring(let column):
      guard let window = level.window else { return }
      var start = 0
      while start < rows.count {
        let key = rows[start].key(column)
        var end = start + 1
        while end < rows.count && rows[end].key(column) == key { end += 1 }
        if end - start >= window { setHorizon(rows[end - 1], under: key) }
        start = end
      }
    }
  }

  private static func orderAbove(_ level: TreeLevel) -> RecordOrder {
    switch level.route {
    case .referring: .byKey
    case .referred(let column):
      RecordOrder([RecordOrder.Column(position: column, isDescending: false)])
    }
  }

  // MARK: Reading

  /// Returns the ranks in ``tree`` of the rows that refer to a row above.
  ///
  /// - Complexity: O(log *n*).
  func run(under key: RecordKey) -> Range<Int> {
    guard case .referring(let column) = level.route else { return 0..<0 }
    return tree.rows.run(of: key, in: column)
  }

  /// Returns the rows that refer to a row above, as far as a window shows them.
  func rows(under key: RecordKey, _ window: TreeWindow) -> ShownRows {
    ShownRows(tree, window.ranks(in: run(under: key)))
  }

  /// Returns the keys of the rows above that lead to a row of the level.
  func keysAbove(_ row: Record) -> [RecordKey] {
    switch level.route {
    case .referring(let column): return [row.key(column)]
    case .referred(let column):
      return above.run(of: row.key(Table.keyColumn), in: column).map {
        above[$0].key(Table.keyColumn)
      }
    }
  }

  /// Returns whether a row above refers to a row of the level, or an unsaved edit does.
  private func isReferred(_ key: RecordKey) -> Bool {
    guard case .referred(let column) = level.route else { return false }
    return guests.contains(key) || !above.run(of: key, in: column).isEmpty
  }

  /// Returns the key that a row above needs and for which the level has no rows; nil if it has them.
  ///
  /// - Parameter rowsAbove: the committed rows of the level above.
  func keyLacking(for row: Record, among rowsAbove: ResultTree) -> RecordKey? {
    switch level.route {
    case .referring:
      let key = row.key(Table.keyColumn)
      return guests.contains(key) || rowsAbove.record(of: key) != nil ? nil : key
    case .referred(let column):
      if row.isNull(column) || isReferred(row.key(column)) { return nil }
      return row.key(column)
    }
  }

  // MARK: Changing

  /// Sets the row of a key; nil, or a row beyond its horizon, removes it.
  ///
  /// - Returns: the previous row.
  /// - Complexity: O(log *n*).
  @discardableResult
  mutating func set(_ row: Record?, for key: RecordKey) -> Record? {
    let new = row.flatMap { isKnown($0) ? $0 : nil }
    let old = tree.set(new, for: key)
    if old != new { fold?.replace(old, new) }
    return old
  }

  /// Follows the change of a row above.
  mutating func follow(_ before: Record?, _ after: Record?) {
    guard case .referred(let column) = level.route, before != after else { return }
    if let before, !before.isNull(column) { above.remove(before) }
    if let after, !after.isNull(column) { above.insert(after) }
  }

  /// Takes the horizons of another version.
  mutating func takeHorizons(of other: LevelRows) { horizons = other.horizons }

  /// Keeps the rows for some keys for unsaved edits from now on.
  mutating func invite(_ keys: Set<RecordKey>) { guests.formUnion(keys) }

  private func isKnown(_ row: Record) -> Bool {
    guard level.reach != nil, case .referring(let column) = level.route,
      let horizon = horizons[row.key(column)]
    else { return true }
    return level.order.compare(row, horizon) <= 0
  }

  private mutating func setHorizon(_ row: Record?, under key: RecordKey) {
    horizons.update(key) { $0 = row }
  }
}

extension [LevelRows] {
  /// Returns the keys of the roots to which a row of a level belongs.
  func roots(of row: Record, in number: Int) -> [RecordKey] {
    let keys = self[number].keysAbove(row)
    guard let parent = self[number].level.parent else { return keys }
    return keys.flatMap { key in
      self[parent].tree.record(of: key).map { roots(of: $0, in: parent) } ?? []
    }
  }
}

// MARK: - Commits

extension LevelRows {
  /// Brings the level to a commit, as far as that takes no reading.
  ///
  /// - Parameters:
  ///   - rows: the changes of the level's table.
  ///   - keysAbove: the keys whose rows above may differ.
  ///   - old: the rows of the level above before the commit.
  ///   - new: the rows of the level above after it.
  ///   - changed: receives the keys of the level's rows that differ.
  /// - Returns: the keys that have to be read: of the rows above if the level refers to them, or else of the
  ///   level's rows.
  mutating func apply(
    _ rows: ContiguousArray<RowChange>, _ keysAbove: Set<RecordKey>, from old: ResultTree,
    to new: ResultTree, _ changed: inout ContiguousArray<RecordKey>
  ) -> Set<RecordKey> {
    var lacking = follow(keysAbove, from: old, to: new, &changed)
    var touched: Set<RecordKey> = []
    for row in rows {
      let after = row.change.after.flatMap { isWanted($0, under: new) ? $0 : nil }
      let before = set(after, for: row.key)
      if before == tree.record(of: row.key) { continue }
      changed.append(row.key)
      if case .referring(let column) = level.route {
        if let before { touched.insert(before.key(column)) }
        if let after { touched.insert(after.key(column)) }
      }
    }
    for key in touched where !lacking.contains(key) {
      if isShort(key) { lacking.insert(key) } else { trim(key, &changed) }
    }
    return lacking
  }

  private func isWanted(_ row: Record, under above: ResultTree) -> Bool {
    guard level.matches(row) else { return false }
    switch level.route {
    case .referring(let column):
      if row.isNull(column) { return false }
      let key = row.key(column)
      return guests.contains(key) || above.record(of: key) != nil
    case .referred: return isReferred(row.key(Table.keyColumn))
    }
  }

  private mutating func follow(
    _ keysAbove: Set<RecordKey>, from old: ResultTree, to new: ResultTree,
    _ changed: inout ContiguousArray<RecordKey>
  ) -> Set<RecordKey> {
    var lacking: Set<RecordKey> = []
    for key in keysAbove {
      let (before, after) = (old.record(of: key), new.record(of: key))
      switch level.route {
      case .referring:
        if before == nil && after != nil { lacking.insert(key) }
        if before != nil && after == nil && !guests.contains(key) {
          removeRun(under: key, &changed)
        }
      case .referred(let column):
        follow(before, after)
        for row in [before, after] {
          if let row, !row.isNull(column) { lacking.insert(row.key(column)) }
        }
      }
    }
    if case .referring = level.route { return lacking }
    return lacking.filter { key in
      let row = tree.record(of: key)
      if isReferred(key) { return row == nil }
      if row != nil {
        set(nil, for: key)
        changed.append(key)
      }
      return false
    }
  }

  private mutating func removeRun(
    under key: RecordKey, _ changed: inout ContiguousArray<RecordKey>
  ) {
    let keys = run(under: key).map { tree.rows[$0].key(Table.keyColumn) }
    for key in keys { set(nil, for: key) }
    changed += keys
    if level.reach != nil { setHorizon(nil, under: key) }
  }

  /// Whether rows beyond the horizon may now be among those that decide what the tree shows.
  private func isShort(_ key: RecordKey) -> Bool {
    guard let reach = level.reach, horizons[key] != nil else { return false }
    return run(under: key).count < reach
  }

  /// Drops rows far beyond those that decide what the tree shows.
  private mutating func trim(_ key: RecordKey, _ changed: inout ContiguousArray<RecordKey>) {
    guard let window = level.window else { return }
    let run = run(under: key)
    if run.count <= 2 * window { return }
    let last = tree.rows[run.lowerBound + window - 1]
    let keys = run.dropFirst(window).map { tree.rows[$0].key(Table.keyColumn) }
    for key in keys { set(nil, for: key) }
    changed += keys
    setHorizon(last, under: key)
  }

  /// Takes the rows that were read for the keys that ``apply(_:_:from:to:_:)`` returned.
  mutating func take(
    _ rows: ContiguousArray<Record>, for keys: Set<RecordKey>,
    _ changed: inout ContiguousArray<RecordKey>
  ) {
    var found: [RecordKey: Record] = [:]
    var gone = Set<RecordKey>()
    switch level.route {
    case .referred: gone = keys
    case .referring:
      for key in keys {
        gone.formUnion(run(under: key).map { tree.rows[$0].key(Table.keyColumn) })
        if level.reach != nil { setHorizon(nil, under: key) }
      }
    }
    for row in rows { found[row.key(Table.keyColumn)] = row }
    for key in gone.union(found.keys) where set(found[key], for: key) != found[key] {
      changed.append(key)
    }
    guard let window = level.window, case .referring = level.route else { return }
    for key in keys {
      let run = run(under: key)
      if run.count >= window { setHorizon(tree.rows[run.upperBound - 1], under: key) }
    }
  }
}

extension OrderTree {
  /// Returns the ranks of the records with a key in a column, which must be the first of the order.
  fileprivate func run(of key: RecordKey, in column: Int) -> Range<Int> {
    let start = partition { RecordKey($0, column) < key }
    if start == count || self[start].key(column) != key { return start..<start }
    return start..<partition { !(key < RecordKey($0, column)) }
  }
}
