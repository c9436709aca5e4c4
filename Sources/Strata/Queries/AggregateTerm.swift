/// An aggregate function that SQLite and ``AggregateState`` can compute over a column in one pass.
enum AggregateFunction: Sendable {
  /// The number of rows.
  case rows
  /// The number of values that are not null.
  case values
  /// The number of different values that are not null.
  case distinct
  /// The sum of the integers' upper 32 bits, shifted right.
  case highSum
  /// The sum of the lower 32 bits of the integers.
  case lowSum
  /// The sum of the reals, which is 0 without values and null for not-a-number.
  case total
  /// The least value, or null without values.
  case least
  /// The greatest value, or null without values.
  case greatest
}

/// An aggregate function with its attribute, which is a key path, or a column once it is resolved.
struct AggregateTerm<Attribute: Sendable>: Sendable {
  let function: AggregateFunction
  /// The attribute; nil only for the number of rows.
  let attribute: Attribute?

  init(_ function: AggregateFunction, _ attribute: Attribute? = nil) {
    self.function = function
    self.attribute = attribute
  }
}

extension Table {
  /// Returns the terms with columns instead of key paths.
  func resolved(
    _ terms: [AggregateTerm<SendablePath>]
  ) throws(StoreError) -> [AggregateTerm<Int>] {
    try terms.map { term throws(StoreError) in
      AggregateTerm(
        term.function,
        try term.attribute.map { path throws(StoreError) in try columns([path])[0] })
    }
  }
}

extension AggregateTerm where Attribute == Int {
  /// Returns the term in SQL, with the column's name from `name`.
  func sql(_ name: (Int) -> String) -> String {
    guard let attribute else { return "count(*)" }
    let column = name(attribute)
    return switch function {
    case .rows: "count(*)"
    case .values: "count(\(column))"
    case .distinct: "count(DISTINCT \(column))"
    case .highSum: "sum(\(column) >> 32)"
    case .lowSum: "sum(\(column) & 4294967295)"
    case .total: "total(\(column))"
    case .least: "min(\(column))"
    case .greatest: "max(\(column))"
    }
  }
}

/// An aggregate function over records, with SQLite's meaning.
struct AggregateState {
  private enum Value {
    case count(Int64)
    case distinct(Set<Cell>)
    case integers(Int64)
    case reals(CompensatedSum)
    case extreme(Cell)
  }

  private let function: AggregateFunction
  private let column: Int
  private var value: Value

  init(_ term: AggregateTerm<Int>) {
    function = term.function
    column = term.attribute ?? Table.keyColumn
    value =
      switch term.function {
      case .rows, .values: .count(0)
      case .distinct: .distinct([])
      case .highSum, .lowSum: .integers(0)
      case .total: .reals(CompensatedSum())
      case .least, .greatest: .extreme(.null)
      }
  }

  mutating func add(_ record: Record) {
    let cell = record[column]
    if case .null = cell, function != .rows { return }
    switch (value, cell) {
    case (.count(let count), _): value = .count(count + 1)
    case (.distinct(var cells), _):
      // `value` is emptied first, so that the insertion does not copy the set.
      value = .distinct([])
      cells.insert(cell)
      value = .distinct(cells)
    case (.integers(let sum), .integer(let integer)):
      value = .integers(sum + (function == .highSum ? integer >> 32 : integer & 0xFFFF_FFFF))
    case (.reals(var sum), .real(let real)):
      sum.add(real)
      value = .reals(sum)
    case (.extreme(let known), _):
      let isBeyond = function == .least ? cell < known : cell > known
      if known == .null || isBeyond { value = .extreme(cell) }
    case (.integers, _), (.reals, _): break
    }
  }

  var cell: Cell {
    switch value {
    case .count(let count): .integer(count)
    case .distinct(let cells): .integer(Int64(cells.count))
    case .integers(let sum): .integer(sum)
    case .reals(let sum): sum.value.isNaN ? .null : .real(sum.value)
    case .extreme(let cell): cell
    }
  }
}

/// A sum of reals that also adds up the rounding errors of its additions (Neumaier 1974).
///
/// SQLite's sum does the same from version 3.43 on.
private struct CompensatedSum {
  private var sum = 0.0
  private var lost = 0.0

  mutating func add(_ value: Double) {
    let next = sum + value
    lost += abs(sum) >= abs(value) ? (sum - next) + value : (value - next) + sum
    sum = next
  }

  /// The sum with its rounding errors.
  ///
  /// The error of an infinite sum is not a number and is left out.
  var value: Double { sum.isFinite ? sum + lost : sum }
}

extension SumParts {
  /// Returns the terms that the store computes for the sum of an attribute.
  static func terms(
    of path: SendablePath, as storage: StorageType
  ) -> [AggregateTerm<SendablePath>] {
    let sums: [AggregateFunction] = storage == .integer ? [.highSum, .lowSum] : [.total]
    return [AggregateTerm(.values, path)] + sums.map { AggregateTerm($0, path) }
  }
}
