internal import StrataSQLite

/// The correction of a query's aggregates by unsaved edits.
///
/// The store adds up its rows without those that the edits decide, and the edited rows are added to
/// its groups. If only numbers and sums of all rows are wanted, the store adds up all of its rows, and
/// the rows that the edits decide are taken out again: nothing is lost, because sums are exact.
struct SummaryCorrection: Sendable {
  private let groups: [Int]
  private let terms: [AggregateTerm<Int>]
  /// The rows that the store adds up and the layers do not show so.
  private let removed: [Record]
  /// The rows that the layers show, by group, in the order of the groups.
  private let added: [(group: GroupKey, rows: [Record])]
  /// The groups, each with a value, in which the store has a value of ``added``, by the position of
  /// the term whose distinct values are counted.
  private var known: [Int: Set<GroupKey>] = [:]
  /// The part of its rows that the store adds up.
  private let part: StoredPart

  /// - Parameter edited: the rows that differ in a column of the groups or the terms.
  init(_ groups: [Int], _ terms: [AggregateTerm<Int>], _ edited: EditedRows) {
    (self.groups, self.terms) = (groups, terms)
    var rows: [GroupKey: [Record]] = [:]
    for row in edited.shown { rows[row.group(groups), default: []].append(row) }
    added = rows.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    if groups.isEmpty && terms.allSatisfy(\.function.isReversible) {
      removed = edited.stored
      part = StoredPart()
      return
    }
    removed = []
    var part = StoredPart(without: Set(edited.stored.map { $0.key(Table.keyColumn).cell }))
    if groups.isEmpty {
      for (index, term) in terms.enumerated() where term.function == .distinct {
        part.counted[index] = Set(term.distinctValues(of: edited.shown))
      }
    }
    self.part = part
  }

  /// Returns the SQL for the store's part of the summary.
  fileprivate func sql(_ plan: QueryPlan) -> SQLBuilder {
    plan.summary(groupedBy: groups, terms, part)
  }

  /// Finds the values of the edited rows in the store's groups.
  ///
  /// - Parameter prepare: returns the statement for some SQL.
  fileprivate mutating func lookUp(
    _ plan: QueryPlan, _ prepare: (SQLBuilder) throws(StoreError) -> Statement
  ) throws(StoreError) {
    if groups.isEmpty { return }
    for (position, term) in terms.enumerated() where term.function == .distinct {
      let values = Set(added.flatMap { term.distinctValues(of: $0.rows) })
      if values.isEmpty { continue }
      var found: Set<GroupKey> = []
      try prepare(plan.groups(groups, with: values, of: term, part)).forEach { row in
        found.insert(GroupKey((0...groups.count).map { Cell(row, Int32($0)) }))
      }
      known[position] = found
    }
  }

  /// Calls `body` with every row of the summary in order, given the store's rows.
  ///
  /// - Parameter next: returns the store's next row; nil at the end.
  fileprivate func forEachRow(
    _ next: () throws(StoreError) -> StatementRow?,
    _ body: ((Int) -> Cell) throws(StoreError) -> Void
  ) throws(StoreError) {
    var rest = added[...]
    while let row = try next() {
      // The store's groups and the edited rows' groups are both in order.
      var order = rest.first.map { self.order(of: row, $0.group) } ?? -1
      while order > 0, let new = rest.popFirst() {
        let cells = cells(of: nil, new)
        try body { cells[$0] }
        order = rest.first.map { self.order(of: row, $0.group) } ?? -1
      }
      if order == 0, let new = rest.popFirst() {
        let cells = cells(of: row, new)
        try body { cells[$0] }
      } else if groups.isEmpty {
        let cells = cells(of: row, (GroupKey([]), []))
        try body { cells[$0] }
      } else {
        try body { position in finished(row.cell(position), at: position) }
      }
    }
    for new in rest {
      let cells = cells(of: nil, new)
      try body { cells[$0] }
    }
  }

  /// Returns a negative number, zero or a positive number as a row's group comes before, is, or comes
  /// after another group.
  private func order(of row: StatementRow, _ group: GroupKey) -> Int {
    for (index, cell) in group.cells.enumerated() {
      let order = row.cell(index).canonicalOrder(to: cell)
      if order != 0 { return order }
    }
    return 0
  }

  // MARK: One row

  /// Returns the cells of a group: those of the store's row, with the edited rows added.
  private func cells(
    of stored: StatementRow?, _ new: (group: GroupKey, rows: [Record])
  ) -> [Cell] {
    let names = groups.enumerated().map { index, column in
      ((stored.map { [$0.cell(index)] } ?? []) + new.rows.map { $0[column] }).min() ?? .null
    }
    let values = terms.enumerated().map { index, term in
      let position = groups.count + index
      let cell = stored.map { $0.cell(position) } ?? .null
      return finished(value(cell, index, term, new), at: position)
    }
    return names + values
  }

  private func value(
    _ stored: Cell, _ index: Int, _ term: AggregateTerm<Int>,
    _ new: (group: GroupKey, rows: [Record])
  ) -> Cell {
    func cells(_ rows: [Record]) -> [Cell] {
      guard let column = term.attribute else { return rows.map { _ in .null } }
      return rows.map { $0[column] }.filter { $0 != .null }
    }
    let (mine, gone) = (cells(new.rows), cells(removed))
    func integer(_ part: (Int64) -> Int64) -> Cell {
      let start = if case .integer(let number) = stored { number } else { Int64(0) }
      return .integer(
        gone.reduce(mine.reduce(start) { $0 + part($1.number) }) { $0 - part($1.number) })
    }
    switch term.function {
    case .rows, .values: return integer { _ in 1 }
    case .highSum: return integer { $0 >> 32 }
    case .lowSum: return integer { $0 & 0xFFFF_FFFF }
    case .total:
      var sum = if case .blob(let parts) = stored { ExactSum(parts: parts) } else { ExactSum() }
      for case .real(let number) in mine { sum.add(number) }
      for case .real(let number) in gone { sum.remove(number) }
      return .real(sum.value)
    case .least: return (mine + [stored].filter { $0 != .null }).min() ?? .null
    case .greatest: return (mine + [stored].filter { $0 != .null }).max() ?? .null
    case .distinct:
      let values = term.distinctValues(of: new.rows)
      let known = known[index] ?? []
      let others = values.count { !known.contains(GroupKey(new.group.cells + [$0])) }
      let start = if case .integer(let number) = stored { number } else { Int64(0) }
      return .integer(start + Int64(others))
    }
  }

  /// Returns a cell of a row as a reader expects it: a sum is a number, and not its parts.
  private func finished(_ cell: Cell, at position: Int) -> Cell {
    if position < groups.count || terms[position - groups.count].function != .total { return cell }
    switch cell {
    case .blob(let parts): return finished(.real(ExactSum(parts: parts).value), at: position)
    case .real(let sum): return sum.isNaN ? .null : cell
    case .null, .integer, .text: return cell
    }
  }
}

extension Cell {
  /// The integer of the cell; 0 for any other cell.
  fileprivate var number: Int64 { if case .integer(let number) = self { number } else { 0 } }
}

extension Record {
  fileprivate func group(_ columns: [Int]) -> GroupKey { GroupKey(columns.map { self[$0] }) }
}

extension AggregateFunction {
  /// Whether the values of some rows can be taken out of the value of more rows.
  fileprivate var isReversible: Bool {
    switch self {
    case .rows, .values, .highSum, .lowSum, .total: true
    case .distinct, .least, .greatest: false
    }
  }
}

extension AggregateTerm where Attribute == Int {
  /// Returns the distinct values of some rows, without null, in the spelling in which they are compared.
  fileprivate func distinctValues(of rows: [Record]) -> [Cell] {
    guard let column = attribute else { return [] }
    let cells = rows.map { spelling?.canonical($0[column]) ?? $0[column] }
    return Set(cells.filter { $0 != .null }.map { GroupKey([$0]) }).map { $0.cells[0] }
  }
}

extension Snapshot {
  /// Returns the rows of a query's summary as values, corrected by unsaved edits.
  ///
  /// - Parameter columns: the columns of the query's table that the rows have.
  func rows<Value: Sendable>(
    _ plan: QueryPlan, _ columns: [Int], _ values: RowReader<Value>,
    _ correction: SummaryCorrection
  ) async throws(StoreError) -> [Value] {
    try await read(plan) { reader, connection throws(StoreError) in
      var correction = correction
      try correction.lookUp(plan) { sql throws(StoreError) in
        try connection.prepared(sql, reader.model)
      }
      let sql = correction.sql(plan)
      let statement = try connection.prepared(sql, reader.model)
      defer { statement.reset() }
      var result: [Value] = []
      try correction.forEachRow { () throws(StoreError) in
        try statement.next() ? StatementRow(statement: statement) : nil
      } _: { cell throws(StoreError) in
        result.append(try plan.table.value(values, columns, cell))
      }
      return result
    }
  }
}
