/// The rows that a live tree needs for unsaved edits, and that are not in memory.
///
/// An edit may show a root whose related rows nobody has read, or lead to a row that nobody has read. The tree goes
/// on showing its old version until these rows are there.
struct LackingRows: Sendable {
  /// The keys of each level whose rows were asked for.
  private var asked: [Set<RecordKey>] = []
  /// The keys of each level without whose rows the tree does not show its newest version.
  private var awaited: [Set<RecordKey>] = []
  /// The keys of each level to ask for.
  private var unasked: [Set<RecordKey>] = []

  var areAwaited: Bool { awaited.contains { !$0.isEmpty } }

  /// Returns whether rows that were asked for have not arrived.
  func isOpen(_ levels: [LevelRows]) -> Bool {
    zip(asked, levels).contains { !$0.isSubset(of: $1.guests) }
  }

  /// Returns the keys of each level to ask for, once; nil if there are none.
  mutating func takeUnasked() -> [Set<RecordKey>]? {
    if unasked.allSatisfy(\.isEmpty) { return nil }
    defer { unasked = unasked.map { _ in [] } }
    return unasked
  }

  /// Looks at edited rows.
  ///
  /// - Parameters:
  ///   - rows: the rows that the tree is about to show.
  ///   - base: the committed rows.
  ///   - edited: the newly edited keys of each table; nil for all edited keys.
  mutating func follow(
    _ rows: ShownRows, _ table: Table, over base: MaintainedResult, _ layers: ViewLayers,
    edited: [TableID: Set<RecordKey>]?
  ) {
    guard let levels = rows.related?.levels else { return }
    if edited == nil || asked.isEmpty {
      asked = levels.map { _ in [] }
      (awaited, unasked) = (asked, asked)
    }
    for (number, level) in levels.enumerated() {
      awaited[number].subtract(base.levels[number].guests)
      let parent = level.level.parent
      let tableAbove = parent.map { levels[$0].level.table } ?? table
      let shown = parent.map { levels[$0].tree } ?? rows.tree
      let committed = parent.map { base.levels[$0].tree } ?? base.tree
      for key in edited?[tableAbove.id] ?? layers.stack.keys(of: tableAbove.id) {
        guard let row = shown.record(of: key),
          let lacking = base.levels[number].keyLacking(for: row, among: committed),
          !asked[number].contains(lacking), !level.hasEdited(lacking)
        else { continue }
        asked[number].insert(lacking)
        unasked[number].insert(lacking)
        if !level.level.isEmpty(under: key, in: tableAbove, layers) {
          awaited[number].insert(lacking)
        }
      }
    }
  }
}

extension LevelRows {
  /// Whether an edit made the row of a key that rows above refer to.
  fileprivate func hasEdited(_ key: RecordKey) -> Bool {
    switch level.route {
    case .referring: false
    case .referred: tree.record(of: key) != nil
    }
  }
}

extension TreeLevel {
  /// Whether the store most likely has no rows of the level for an edited row, because it is a new one.
  fileprivate func isEmpty(under key: RecordKey, in table: Table, _ layers: ViewLayers) -> Bool {
    switch route {
    case .referring: layers.isInserted(key, in: table.id)
    case .referred: false
    }
  }
}
