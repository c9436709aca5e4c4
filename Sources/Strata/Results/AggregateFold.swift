internal import StrataSQLite

/// The aggregates of a live query's rows, updated row by row.
///
/// Counts and sums take rows in and out. A tree has the rows in the order of group and value: the
/// least and the greatest value of a group stand at the ends of its run.
struct AggregateFold: Sendable {
  private struct Group: Sendable {
    var rows = 0
    var states: [AggregateRunning]
  }

  let terms: [AggregateTerm<Int>]
  let groupColumns: [Int]
  private var groups: [[Cell]: Group] = [:]
  /// The rows by group and value, for each column whose extremes are wanted.
  private var ordered: [Int: OrderTree] = [:]

  /// Creates the aggregates of no rows.
  init(_ terms: [AggregateTerm<Int>], by groupColumns: [Int]) {
    self.terms = terms
    self.groupColumns = groupColumns
    for term in terms {
      if let column = term.extremeColumn { ordered[column] = tree(of: [], column) }
    }
  }

  /// The columns on which a row's part in the values depends.
  var reads: AttributeSet { AttributeSet(groupColumns + terms.compactMap(\.attribute)) }

  /// Whether a change takes O(log *n*). Groups and distinct values are copied at a change.
  var isQuick: Bool { groupColumns.isEmpty && !terms.contains { $0.function == .distinct } }

  private func tree(of rows: ContiguousArray<Record>, _ column: Int) -> OrderTree {
    let columns = (groupColumns + [column]).map {
      RecordOrder.Column(position: $0, isDescending: false)
    }
    return OrderTree(rows, by: RecordOrder(columns))
  }

  /// Returns the same aggregates of all shown rows. O(*n* log *n*) with extremes, else O(*n*).
  func of(_ rows: ShownRows) -> AggregateFold {
    var fold = AggregateFold(terms, by: groupColumns)
    var all = ContiguousArray<Record>()
    all.reserveCapacity(rows.range.count)
    all.append(contentsOf: IteratorSequence(rows.records))
    fold.add(all)
    return fold
  }

  /// Creates the aggregates of records. O(*n* log *n*) with extremes, else O(*n*).
  init(
    _ terms: [AggregateTerm<Int>], by groupColumns: [Int], of records: ContiguousArray<Record>
  ) {
    self.init(terms, by: groupColumns)
    add(records)
  }

  /// Adds the first records.
  private mutating func add(_ records: ContiguousArray<Record>) {
    for record in records { count(record, 1) }
    for column in Array(ordered.keys) { ordered[column] = tree(of: records, column) }
  }

  // MARK: Changes

  /// Replaces a version of a row by another version; nil is no row. O(log *n*).
  mutating func replace(_ before: Record?, _ after: Record?) {
    if before == after { return }
    if let before { count(before, -1) }
    if let after { count(after, 1) }
    for column in Array(ordered.keys) {
      if let before { ordered[column]?.remove(before) }
      if let after { ordered[column]?.insert(after) }
    }
  }

  private mutating func count(_ record: Record, _ step: Int) {
    let key = groupColumns.map { record[$0] }
    // Removed from `groups`, so that changing the group does not copy it.
    var group = groups.removeValue(forKey: key) ?? Group(states: terms.map(AggregateRunning.init))
    group.rows += step
    for (index, term) in terms.enumerated() {
      group.states[index].count(term.attribute.map { record[$0] }, step)
    }
    if group.rows > 0 { groups[key] = group }
  }

  // MARK: Values

  /// The cells of every group: the cells that its rows have in common, then the terms.
  ///
  /// If there are no rows and no group columns, the result is a single group without rows.
  var rows: [[Cell]] {
    if groups.isEmpty && groupColumns.isEmpty {
      return [cells(of: [], terms.map(AggregateRunning.init))]
    }
    return groups.map { key, group in key + cells(of: key, group.states) }
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
    guard let column = term.attribute, let tree = ordered[column] else { return .null }
    let rank = tree.partition { view in
      let order = compare(view, key)
      return order < 0 || (order == 0 && view.isNull(column))
    }
    guard rank < tree.count, tree[rank].withView({ compare($0, key) }) == 0 else { return .null }
    return tree[rank][column]
  }

  private func greatest(_ term: AggregateTerm<Int>, _ key: [Cell]) -> Cell {
    guard let column = term.attribute, let tree = ordered[column] else { return .null }
    let rank = tree.partition { compare($0, key) <= 0 }
    guard rank > 0, tree[rank - 1].withView({ compare($0, key) }) == 0 else { return .null }
    return tree[rank - 1][column]
  }

  private func compare(_ view: RecordView, _ key: [Cell]) -> Int {
    for (column, cell) in zip(groupColumns, key) {
      let mine = view.cell(column)
      if mine != cell { return mine < cell ? -1 : 1 }
    }
    return 0
  }
}

extension AggregateTerm where Attribute == Int {
  fileprivate var extremeColumn: Int? {
    function == .least || function == .greatest ? attribute : nil
  }
}

/// A running aggregate function over rows that are added and removed, with SQLite's meaning.
private enum AggregateRunning: Sendable {
  case rows(Int)
  case values(Int)
  case distinct([Cell: Int])
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
      case .distinct: .distinct([:])
      case .highSum: .highSum(0)
      case .lowSum: .lowSum(0)
      case .total: .total(ExactSum())
      case .least, .greatest: .extreme
      }
  }

  /// Adds a row if `step` is 1, or removes it if `step` is -1.
  ///
  /// - Parameter cell: the cell in the function's column, if the function has a column.
  mutating func count(_ cell: Cell?, _ step: Int) {
    switch (self, cell) {
    case (.rows(let count), _): self = .rows(count + step)
    case (.extreme, _), (_, nil), (_, .null): break
    case (.values(let count), _): self = .values(count + step)
    case (.distinct(var counts), let cell?):
      self = .extreme  // drops the second reference to the counts
      counts[cell, default: 0] += step
      if counts[cell] == 0 { counts[cell] = nil }
      self = .distinct(counts)
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
    case .rows(let count), .values(let count): .integer(Int64(count))
    case .distinct(let counts): .integer(Int64(counts.count))
    case .highSum(let sum), .lowSum(let sum): .integer(sum)
    case .total(let sum): sum.value.isNaN ? .null : .real(sum.value)
    case .extreme: .null
    }
  }
}
