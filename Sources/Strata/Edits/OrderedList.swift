/// An ordered relationship of one entity as a context shows it, kept while the context places entities
/// in it.
///
/// The list is read once. After that it follows the context's edits, so that a placement looks at the
/// neighbours alone. It belongs to one state of the store.
struct OrderedList: Sendable {
  /// The rows of a list: entities that refer to a root, or links that lead from it.
  struct Source: Sendable {
    /// The links' way to the entities.
    struct Links: Sendable {
      /// The table of the entities.
      let table: Table
      /// The column of a link with the key of its entity.
      let column: Int
    }

    /// The table of the rows, which have the positions.
    let table: Table
    /// The column with the root's key.
    let owner: Int
    /// The column with the position.
    let position: Int
    /// The links' way to the entities; nil if the rows are the entities.
    let links: Links?
    let root: PlannedRoot

    /// The tables whose edits can change the list.
    var tables: [TableID] { [table.id] + (links.map { [$0.table.id] } ?? []) }

    /// The order of the list: by position, then by the entity's key.
    fileprivate var order: RecordOrder {
      RecordOrder(
        ([position] + (links.map { [$0.column] } ?? [])).map {
          RecordOrder.Column(position: $0, isDescending: false)
        })
    }

    /// Returns whether two sources have the same rows.
    func isSame(as other: Source) -> Bool {
      table.id == other.table.id && owner == other.owner && position == other.position
        && root.key == other.root.key
    }
  }

  let source: Source
  /// The state of the store that the list belongs to.
  private weak var state: (any AnyObject & Sendable)?
  /// The shown rows in the list's order and by key.
  private var rows: ResultTree
  /// The stored rows that are known: all rows of the root, and rows that edits bring to it.
  private var stored: [RecordKey: RecordState] = [:]
  /// Whether the store has an entity, for the known entities to which links lead.
  private var storedTargets: [RecordKey: Bool]
  /// Whether the store has the root.
  private let isRootStored: Bool
  /// Whether the context shows the root; if not, the list has no rows.
  private var isRootShown: Bool

  /// Creates the list that the store has.
  ///
  /// - Parameters:
  ///   - records: the store's rows of the root.
  ///   - targets: the keys of the linked entities that the store has.
  init(
    _ source: Source, in state: any AnyObject & Sendable, _ records: some Sequence<Record>,
    targets: Set<RecordKey>, isRootStored: Bool
  ) {
    self.source = source
    self.state = state
    self.isRootStored = isRootStored
    isRootShown = isRootStored
    storedTargets = [:]
    var shown = ContiguousArray<Record>()
    for record in records {
      stored[record.key(Table.keyColumn)] = .record(record)
      if let links = source.links {
        let target = record.key(links.column)
        let isStored = targets.contains(target)
        storedTargets[target] = isStored
        if !isStored { continue }
      }
      shown.append(record)
    }
    rows = ResultTree(shown, order: source.order)
  }

  /// Returns whether the list is one of a source in a state of the store.
  func isList(of source: Source, in state: any AnyObject & Sendable) -> Bool {
    self.state === state && self.source.isSame(as: source)
  }

  // MARK: Following edits

  /// The keys whose stored rows a list needs.
  struct Missing {
    var rows: Set<RecordKey> = []
    var targets: Set<RecordKey> = []

    var isEmpty: Bool { rows.isEmpty && targets.isEmpty }
  }

  /// Returns the stored rows that the list needs before it can follow edits.
  ///
  /// An edit rarely needs any: the list knows all stored rows of its root.
  func missing(for edited: [TableID: Set<RecordKey>], _ layers: LayerStack) -> Missing {
    var missing = Missing()
    var keys = edited[source.table.id] ?? []
    if let links = source.links {
      keys.formUnion((edited[links.table.id] ?? []).compactMap { link(to: $0) })
    }
    for key in keys {
      guard let row = candidate(key, layers) else { continue }
      if let links = source.links {
        let target = row.key(links.column)
        if storedTargets[target] == nil && !layers.edits(target, in: links.table.id) {
          missing.targets.insert(target)
        }
      } else if stored[key] == nil && !layers.decide(key, in: source.table) {
        missing.rows.insert(key)
      }
    }
    return missing
  }

  /// Returns the key of the link between the root and an entity.
  private func link(to target: RecordKey) -> RecordKey? {
    (try? JoinTable.key(source.root.key.cell, target.cell)).map(RecordKey.init)
  }

  /// Takes stored rows that were missing.
  mutating func learn(
    _ missing: Missing, rows: [RecordKey: Record], targets: Set<RecordKey>
  ) {
    for key in missing.rows { stored[key] = RecordState(rows[key]) }
    for key in missing.targets { storedTargets[key] = targets.contains(key) }
  }

  /// Brings the list up to date with edits; no stored row may be missing.
  ///
  /// - Complexity: O(*k* log *m*) for *k* keys and *m* rows.
  mutating func follow(_ edited: [TableID: Set<RecordKey>], _ layers: LayerStack) {
    isRootShown = layers.shows(source.root.key, in: source.root.table, isStored: isRootStored)
    for key in edited[source.table.id] ?? [] { update(key, layers) }
    guard let links = source.links else { return }
    for target in edited[links.table.id] ?? [] {
      if let key = link(to: target) { update(key, layers) }
    }
  }

  private mutating func update(_ key: RecordKey, _ layers: LayerStack) {
    var row = candidate(key, layers)
    if let links = source.links, let target = row?.key(links.column),
      !layers.shows(target, in: links.table, isStored: storedTargets[target] ?? false)
    {
      row = nil
    }
    rows.set(row, for: key)
  }

  /// Returns the row that the layers show for a key, if it refers to the root.
  ///
  /// A stored row that is not known does not refer to the root. So if it is shown in the list, an edit
  /// has brought it there.
  private func candidate(_ key: RecordKey, _ layers: LayerStack) -> Record? {
    let shown = layers.state(of: key, in: source.table, over: stored[key] ?? .absent)
    guard let row = shown.record, row.refers(to: source.root.key, in: source.owner) else {
      return nil
    }
    return row
  }

  // MARK: Placing

  /// The position of a row, and the neighbours that make room for it.
  struct Place {
    let position: Double
    let neighbours: [(row: Record, position: Double)]
    /// Whether the row comes after all other rows, the last of which has a position.
    let last: (isLast: Bool, position: Double?)
  }

  /// Returns the place at an index among the other rows.
  ///
  /// - Parameter key: the key of the row that is placed.
  /// - Complexity: O(log *m*) for *m* rows, and O(*n* log *m*) if *n* neighbours make room.
  func place(_ key: RecordKey?, at index: Int) -> Place {
    let own = key.flatMap { rows.record(of: $0) }.flatMap { rows.rows.rank(of: $0) }
    let count = isRootShown ? rows.count - (own == nil ? 0 : 1) : 0
    func row(_ index: Int) -> Record {
      rows.rows[own.map { index < $0 ? index : index + 1 } ?? index]
    }
    func position(_ index: Int) -> Double {
      if case .real(let position) = row(index)[source.position] { position } else { 0 }
    }
    let placement = Placement(at: index, count: count, position)
    return Place(
      position: placement.position,
      neighbours: placement.moved.map { (row($0.index), $0.position) },
      last: (index >= count, count > 0 ? position(count - 1) : nil))
  }
}

extension LayerStack {
  /// Returns whether the row that the layers show for a key does not depend on the stored row.
  fileprivate func decide(_ key: RecordKey, in table: Table) -> Bool {
    for level in levels.reversed() {
      switch level.layer[table.id, key] {
      case nil, .blind(.patch): continue
      case .blind(.set): return true
      case .known(let change):
        if change.before == nil || change.after == nil || !level.followsRows { return true }
      }
    }
    return false
  }

  /// Returns whether the layers show a row, given whether the store has it.
  fileprivate func shows(_ key: RecordKey, in table: Table, isStored: Bool) -> Bool {
    for level in levels.reversed() {
      switch level.layer[table.id, key] {
      case nil: continue
      case .blind(.set(let record)): return record != nil
      case .blind(.patch): return true
      case .known(let change): return change.after != nil
      }
    }
    return isStored
  }
}
