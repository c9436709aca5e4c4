internal import StrataSQLite

/// The aggregates of a live query's rows, updated row by row.
///
/// Counts and sums take rows in and out. A tree has the rows in the order of group and value: the
/// least and the greatest value of a group stand at the ends of its run, and equal values stand side by
/// side.
struct AggregateFold: Sendable {
  private struct Group: Sendable {
    var rows = 0
    var states: [AggregateRunning]
  }

  /// The rows in the order of group and value.
  private struct OrderedRows: Sendable {
    let column: Int
    var tree: OrderTree
  }

  let terms: [AggregateTerm<Int>]
  let groupColumns: [Int]
  private var groups = ShardedDictionary<[Cell], Group>()
  /// One for each column whose extremes or distinct values are wanted.
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
    for column in Set(terms.compactMap(\.orderedColumn)).sorted() {
      let columns = (groupColumns + [column]).map {
        RecordOrder.Column(position: $0, isDescending: false)
      }
      let tree = OrderTree(records, by: RecordOrder(columns))
      ordered.append(OrderedRows(column: column, tree: tree))
    }
    let steps = terms.map { $0.function == .distinct ? 0 : 1 }
    for record in records { count(record, 1, steps) }
    for rows in ordered where counts(distinct: rows.column) { countDistinct(rows) }
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
    if let before {
      for index in ordered.indices { ordered[index].tree.remove(before) }
      count(before, -1, steps(of: before, -1))
    }
    if let after {
      count(after, 1, steps(of: after, 1))
      for index in ordered.indices { ordered[index].tree.insert(after) }
    }
  }

  /// Returns the step of each term for a record that is not in the trees.
  private func steps(of record: Record, _ step: Int) -> [Int] {
    terms.map { term in
      guard term.function == .distinct, let column = term.attribute else { return step }
      return has(record, column) ? 0 : step
    }
  }

  private mutating func count(_ record: Record, _ step: Int, _ steps: [Int]) {
    groups.update(group(of: record)) { found in
      var group = found ?? Group(states: terms.map(AggregateRunning.init))
      found = nil  // not a second reference to the states
      group.rows += step
      for (index, term) in terms.enumerated() {
        group.states[index].count(term.attribute.map { record[$0] }, steps[index])
      }
      if group.rows > 0 { found = group }
    }
  }

  private func counts(distinct column: Int) -> Bool {
    terms.contains { $0.function == .distinct && $0.attribute == column }
  }

  /// Counts the distinct values of all rows.
  private mutating func countDistinct(_ rows: OrderedRows) {
    var last: [Cell]?
    for record in IteratorSequence(OrderTree.Iterator(rows.tree, 0..<rows.tree.count)) {
      let key = group(of: record)
      let value = record[rows.column]
      let run = key + [value]
      if run == last { continue }
      last = run
      groups.update(key) { group in
        for (index, term) in terms.enumerated()
        where term.function == .distinct && term.attribute == rows.column {
          group?.states[index].count(value, 1)
        }
      }
    }
  }

  /// Returns whether a row of the tree has the group of a record and its value in a column.
  private func has(_ record: Record, _ column: Int) -> Bool {
    guard let tree = tree(of: column) else { return false }
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

  private func tree(of column: Int) -> OrderTree? {
    ordered.first { $0.column == column }?.tree
  }

  // MARK: Values

  /// Returns the cells that all rows of a record's group have in common.
  func group(of record: Record) -> [Cell] { groupColumns.map { record[$0] } }

  /// Returns the cells of a group: those that its rows have in common, then the terms; nil if it has no
  /// rows.
  ///
  /// Without group columns there is always a single group.
  func row(of group: [Cell]) -> [Cell]? {
    if let found = groups[group] { return group + cells(of: group, found.states) }
    return groupColumns.isEmpty ? cells(of: [], terms.map(AggregateRunning.init)) : nil
  }

  /// The rows of all groups.
  var rows: [[Cell]] {
    if groups.isEmpty { return row(of: []).map { [$0] } ?? [] }
    var rows: [[Cell]] = []
    rows.reserveCapacity(groups.count)
    groups.forEach { key, group in rows.append(key + cells(of: key, group.states)) }
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
    guard let column = term.attribute, let tree = tree(of: column) else { return .null }
    let rank = tree.partition { view in
      let order = Self.compare(view, key, groupColumns)
      return order < 0 || (order == 0 && view.isNull(column))
    }
    return Self.isInRun(tree, rank, key, groupColumns) ? tree[rank][column] : .null
  }

  private func greatest(_ term: AggregateTerm<Int>, _ key: [Cell]) -> Cell {
    guard let column = term.attribute, let tree = tree(of: column) else { return .null }
    let rank = tree.partition { Self.compare($0, key, groupColumns) <= 0 } - 1
    return Self.isInRun(tree, rank, key, groupColumns) ? tree[rank][column] : .null
  }

  private static func compare(_ view: RecordView, _ cells: [Cell], _ columns: [Int]) -> Int {
    for (column, cell) in zip(columns, cells) {
      let mine = view.cell(column)
      if mine != cell { return mine < cell ? -1 : 1 }
    }
    return 0
  }
}

extension AggregateTerm where Attribute == Int {
  /// The column by which rows are ordered; nil if the function needs no order.
  fileprivate var orderedColumn: Int? {
    switch function {
    case .least, .greatest, .distinct: attribute
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
