/// The computed values by which a query is sorted, as further cells of its rows.
///
/// The first value is the last cell of a row, so that its position depends on no other value.
struct SortValues: Sendable {
  /// The values by position, from ``start`` on.
  private(set) var values: [ResolvedExpression] = []
  /// The position of the first cell after all other cells of a row.
  private let start: Int
  let count: Int

  /// Creates the cells of a query without computed values.
  init() { self.init(after: 0, count: 0) }

  /// Creates the cells of `count` values, which come after `start` other cells.
  init(after start: Int, count: Int) {
    self.start = start
    self.count = count
  }

  var isEmpty: Bool { count == 0 }

  var positions: Range<Int> { start..<(start + count) }

  /// Returns whether the cell at a position is a computed value.
  func has(_ position: Int) -> Bool { positions.contains(position) }

  /// Adds the next value, and returns the position of its cell.
  mutating func add(_ value: ResolvedExpression) -> Int {
    values.insert(value, at: 0)
    return start + count - values.count
  }

  // MARK: SQL

  /// Returns the name of a cell in SQL, which it has only if it is selected.
  static func name(_ position: Int) -> String { "strata_sort\(position)" }

  /// Appends the value at a position with its name.
  func append(_ position: Int, to sql: inout SQLBuilder) {
    let text = values[position - start].text(&sql)
    sql.append("\(text) AS \(Self.name(position))")
  }

  // MARK: Rows

  /// Returns a record with the values of a row as its last cells.
  func append(to record: Record, _ row: MatchRow) -> Record {
    values.reduce(record) { $0.appending(orNull: $1.value(row)) }
  }
}

extension Query {
  /// The number of sorts whose values are computed.
  var computedSorts: Int {
    sorts.count { sort in
      if case .computed = sort.key { true } else { false }
    }
  }
}
