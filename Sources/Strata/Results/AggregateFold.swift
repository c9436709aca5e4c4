internal import StrataSQLite

/// The aggregates of a live query's rows, updated row by row.
///
/// Counts and sums take rows in and out. A tree has the rows in the order of group and value: the
/// least and the greatest value of a group stand at the ends of its run, and equal values stand side by
/// side.
struct AggregateFold: Sendable {
  private struct Group: Sendable {
    private(set) var rows = 0
    /// The spellings of each column of the group.
    private(set) var spellings: [GroupSpelling]
    var states: [AggregateRunning]

    init(_ key: GroupKey, _ states: [AggregateRunning]) {
      spellings = key.cells.map(GroupSpelling.init)
      self.states = states
    }

    /// Adds a row if `step` is 1, or removes it if `step` is -1.
    mutating func count(_ key: GroupKey, _ step: Int) {
      for (index, cell) in key.cells.enumerated() {
        if step > 0 {
          spellings[index].add(cell, to: rows)
        } else {
          spellings[index].remove(cell, from: rows)
        }
      }
      rows += step
    }
  }

  /// The rows in the order of group and value.
  private struct OrderedRows: Sendable {
    let order: ValueOrder
    var tree: OrderTree
  }

  let terms: [AggregateTerm<Int>]
  let groupColumns: [Int]
  /// The columns whose values are counted in one spelling.
  private let spellings: [(column: Int, spelling: ValueSpelling)]
  private var groups = ShardedDictionary<GroupKey, Group>()
  /// One for each column whose extremes are wanted, and one for each whose distinct values are wanted.
  private var ordered: [OrderedRows] = []

  /// Creates the aggregates of no rows.
  init(_ terms: [AggregateTerm<Int>], by groupColumns: [Int]) {
    self.init(terms, by: groupColumns, of: [])
  }

  /// Creates the aggregates of records. O(*n* log *n*) with extremes or distinct values, else O(*n*).
  init(
    _ terms: [AggregateTerm<Int>], by groupColumns: [Int], of records: ContiguousArray<Record>
  ) {
    self.terms = terms
    self.groupColumns = groupColumns
    spellings = terms.compactMap { term in
      // A group has one spelling.
      guard let column = term.attribute, let spelling = term.spelling,
        !groupColumns.contains(column)
      else { return nil }
      return (column, spelling)
    }
    let records = spellings.isEmpty ? records : ContiguousArray(records.map(spelt))
    for order in Set(terms.compactMap(\.order)) {
      let tree = OrderTree(records, by: order.records(groupColumns))
      ordered.append(OrderedRows(order: order, tree: tree))
    }
    let steps = terms.map { $0.function == .distinct ? 0 : 1 }
    for record in records { count(record, 1, steps) }
    for rows in ordered where rows.order.isCanonical { countDistinct(rows) }
  }

  /// The columns on which a row's part in the values depends.
  var reads: AttributeSet { AttributeSet(groupColumns + terms.compactMap(\.attribute)) }

  /// Returns the same aggregates of all shown rows.
  ///
  /// - Complexity: as for ``init(_:by:of:)``.
  func of(_ rows: ShownRows) -> AggregateFold {
    var all = ContiguousArray<Record>()
    all.reserveCapacity(rows.range.count)
    all.append(contentsOf: IteratorSequence(rows.records))
    return AggregateFold(terms, by: groupColumns, of: all)
  }

  // MARK: Changes

  /// Replaces a version of a row by another version; nil is no row. O(log *n* + √*g*) of the rows and
  /// the groups.
  mutating func replace(_ before: Record?, _ after: Record?) {
    if before == after { return }
    let (before, after) = (before.map(spelt), after.map(spelt))
    if let before {
      for index in ordered.indices { ordered[index].tree.remove(before) }
      count(before, -1, steps(of: before, -1))
    }
    if let after {
      count(after, 1, steps(of: after, 1))
      for index in ordered.indices { ordered[index].tree.insert(after) }
    }
  }

  /// Returns a record whose counted values are in the spelling that Strata writes.
  private func spelt(_ record: Record) -> Record {
    var cells: [Cell]?
    for (column, spelling) in spellings {
      let cell = record[column]
      let canonical = spelling.canonical(cell)
      if canonical == cell { continue }
      cells = cells ?? (0..<record.count).map { record[$0] }
      cells?[column] = canonical
    }
    return cells.flatMap { try? Record($0) } ?? record
  }

  /// Returns the step of each term for a record that is not in the trees.
  private func steps(of record: Record, _ step: Int) -> [Int] {
    terms.map { term in
      guard term.function == .distinct, let column = term.attribute else { return step }
      return has(record, column) ? 0 : step
    }
  }

  private mutating func count(_ record: Record, _ step: Int, _ steps: [Int]) {
    let key = group(of: record)
    groups.update(key) { found in
      var group = found ?? Group(key, terms.map(AggregateRunning.init))
      found = nil  // not a second reference to the states
      group.count(key, step)
      for (index, term) in terms.enumerated() {
        group.states[index].count(term.attribute.map { record[$0] }, steps[index])
      }
      if group.rows > 0 { found = group }
    }
  }

  /// Counts the distinct values of all rows.
  private mutating func countDistinct(_ rows: OrderedRows) {
    let column = rows.order.column
    var last: GroupKey?
    for record in IteratorSequence(OrderTree.Iterator(rows.tree, 0..<rows.tree.count)) {
      let key = group(of: record)
      let value = record[column]
      let run = GroupKey(key.cells + [value])
      if run == last { continue }
      last = run
      groups.update(key) { group in
        for (index, term) in terms.enumerated()
        where term.function == .distinct && term.attribute == column {
          group?.states[index].count(value, 1)
        }
      }
    }
  }

  /// Returns whether a row of the tree has the group of a record and its value in a column.
  private func has(_ record: Record, _ column: Int) -> Bool {
    guard let tree = tree(.init(column: column, isCanonical: true)) else { return false }
    let columns = groupColumns + [column]
    let cells = columns.map { record[$0] }
    let rank = tree.partition { Self.compare($0, cells, columns) < 0 }
    return Self.isInRun(tree, rank, cells, columns)
  }

  /// Returns whether there is a record at a rank, and it has some cells.
  private static func isInRun(
    _ tree: OrderTree, _ rank: Int, _ cells: [Cell], _ columns: [Int]
  ) -> Bool {
    (0..<tree.count).contains(rank) && tree[rank].withView { compare($0, cells, columns) } == 0
  }

  private func tree(_ order: ValueOrder) -> OrderTree? {
    ordered.first { $0.order == order }?.tree
  }

  // MARK: Values

  /// The number of groups that have rows.
  var groupCount: Int { groups.count }

  /// Returns the cells that all rows of a record's group have in common.
  func group(of record: Record) -> GroupKey { GroupKey(groupColumns.map { record[$0] }) }

  /// Returns the cells of a group: those that its rows have in common, then the terms; nil if it has no
  /// rows.
  ///
  /// A text is in the least of its rows' spellings. Without group columns there is always a single
  /// group.
  func row(of group: GroupKey) -> [Cell]? {
    if let found = groups[group] { return row(of: group, found) }
    return groupColumns.isEmpty ? cells(of: [], terms.map(AggregateRunning.init)) : nil
  }

  /// Returns the cells of the terms over a group's rows, of which there may be none.
  func values(of group: GroupKey) -> [Cell] {
    cells(of: group.cells, groups[group]?.states ?? terms.map(AggregateRunning.init))
  }

  private func row(of key: GroupKey, _ group: Group) -> [Cell] {
    group.spellings.map(\.name) + cells(of: key.cells, group.states)
  }

  /// The rows of all groups.
  var rows: [[Cell]] {
    if groups.isEmpty { return row(of: GroupKey([])).map { [$0] } ?? [] }
    var rows: [[Cell]] = []
    rows.reserveCapacity(groups.count)
    groups.forEach { key, group in rows.append(row(of: key, group)) }
    return rows
  }

  private func cells(of key: [Cell], _ states: [AggregateRunning]) -> [Cell] {
    zip(terms, states).map { term, state in
      switch term.function {
      case .least: least(term, key)
      case .greatest: greatest(term, key)
      case .rows, .values, .distinct, .highSum, .lowSum, .total: state.cell
      }
    }
  }

  private func least(_ term: AggregateTerm<Int>, _ key: [Cell]) -> Cell {
    guard let column = term.attribute, let tree = tree(.init(column: column, isCanonical: false))
    else { return .null }
    let rank = tree.partition { view in
      let order = Self.compare(view, key, groupColumns)
      return order < 0 || (order == 0 && view.isNull(column))
    }
    return Self.isInRun(tree, rank, key, groupColumns) ? tree[rank][column] : .null
  }

  private func greatest(_ term: AggregateTerm<Int>, _ key: [Cell]) -> Cell {
    guard let column = term.attribute, let tree = tree(.init(column: column, isCanonical: false))
    else { return .null }
    let rank = tree.partition { Self.compare($0, key, groupColumns) <= 0 } - 1
    return Self.isInRun(tree, rank, key, groupColumns) ? tree[rank][column] : .null
  }

  private static func compare(_ view: RecordView, _ cells: [Cell], _ columns: [Int]) -> Int {
    for (column, cell) in zip(columns, cells) {
      let order = view.cell(column).canonicalOrder(to: cell)
      if order != 0 { return order }
    }
    return 0
  }
}

/// An order of rows by group and by the values of a column.
private struct ValueOrder: Sendable, Hashable {
  let column: Int
  /// Whether the spellings of a text are equal values, as they are if values are counted. Extremes are
  /// those of the bytes, as the store sorts.
  let isCanonical: Bool

  func records(_ groupColumns: [Int]) -> RecordOrder {
    var columns = (groupColumns + [column]).map {
      RecordOrder.Column(position: $0, isDescending: false, collation: 0)
    }
    if !isCanonical { columns[columns.count - 1].collation = nil }
    return RecordOrder(columns, collations: [.canonical])
  }
}

extension AggregateTerm where Attribute == Int {
  /// The order of rows that the function needs; nil if it needs none.
  fileprivate var order: ValueOrder? {
    switch function {
    case .least, .greatest: attribute.map { ValueOrder(column: $0, isCanonical: false) }
    case .distinct: attribute.map { ValueOrder(column: $0, isCanonical: true) }
    case .rows, .values, .highSum, .lowSum, .total: nil
    }
  }
}

/// A running aggregate function over rows that are added and removed, with SQLite's meaning.
private enum AggregateRunning: Sendable {
  case rows(Int)
  case values(Int)
  case distinct(Int)
  case highSum(Int64)
  case lowSum(Int64)
  case total(ExactSum)
  /// The least or the greatest value, which is read from a tree.
  case extreme

  init(_ term: AggregateTerm<Int>) {
    self =
      switch term.function {
      case .rows: .rows(0)
      case .values: .values(0)
      case .distinct: .distinct(0)
      case .highSum: .highSum(0)
      case .lowSum: .lowSum(0)
      case .total: .total(ExactSum())
      case .least, .greatest: .extreme
      }
  }

  /// Adds a row if `step` is 1, or removes it if `step` is -1; 0 changes no number of distinct values.
  ///
  /// - Parameter cell: the cell in the function's column, if the function has a column.
  mutating func count(_ cell: Cell?, _ step: Int) {
    switch (self, cell) {
    case (.rows(let count), _): self = .rows(count + step)
    case (.extreme, _), (_, nil), (_, .null): break
    case (.values(let count), _): self = .values(count + step)
    case (.distinct(let count), _): self = .distinct(count + step)
    case (.highSum(let sum), .integer(let value)):
      self = .highSum(sum + Int64(step) * (value >> 32))
    case (.lowSum(let sum), .integer(let value)):
      self = .lowSum(sum + Int64(step) * (value & 0xFFFF_FFFF))
    case (.total(var sum), .real(let value)):
      self = .extreme
      if step > 0 { sum.add(value) } else { sum.remove(value) }
      self = .total(sum)
    case (.highSum, _), (.lowSum, _), (.total, _): break
    }
  }

  var cell: Cell {
    switch self {
    case .rows(let count), .values(let count), .distinct(let count): .integer(Int64(count))
    case .highSum(let sum), .lowSum(let sum): .integer(sum)
    case .total(let sum): sum.value.isNaN ? .null : .real(sum.value)
    case .extreme: .null
    }
  }
}
