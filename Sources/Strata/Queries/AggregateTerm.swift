/// What SQLite can make of a column in one pass, and so can ``AggregateState``.
enum AggregateFunction: Sendable {
  /// The number of rows.
  case rows
  /// The number of values that are not null.
  case values
  /// The number of different values that are not null.
  case distinct
  /// The sum of the integers without their lower 32 bits, shifted right.
  case highSum
  /// The sum of the lower 32 bits of the integers.
  case lowSum
  /// The sum of the reals; 0 of none, null for not-a-number.
  case total
  /// The least value; null of none.
  case least
  /// The greatest value; null of none.
  case greatest
}

/// A function and what it is applied to: a key path, or a column once it is resolved.
struct AggregateTerm<Attribute: Sendable>: Sendable {
  let function: AggregateFunction
  /// Nil only for the number of rows.
  let attribute: Attribute?

  init(_ function: AggregateFunction, _ attribute: Attribute? = nil) {
    self.function = function
    self.attribute = attribute
  }
}

extension Table {
  /// The terms with columns instead of key paths.
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
  /// The term in SQL, over a column of the given name.
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

/// One aggregate function over records, with SQLite's meaning.
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
      // Emptied first, so that the set is not copied for each value.
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

/// A sum of reals that keeps what each addition loses (Neumaier 1974), as SQLite's does from 3.43
/// on.
private struct CompensatedSum {
  private var sum = 0.0
  private var lost = 0.0

  mutating func add(_ value: Double) {
    let next = sum + value
    lost += abs(sum) >= abs(value) ? (sum - next) + value : (value - next) + sum
    sum = next
  }

  /// What was lost of an infinite sum is not a number.
  var value: Double { sum.isFinite ? sum + lost : sum }
}

extension SumParts {
  /// What the store is asked for.
  static func terms(
    of path: SendablePath, as storage: StorageType
  ) -> [AggregateTerm<SendablePath>] {
    let sums: [AggregateFunction] = storage == .integer ? [.highSum, .lowSum] : [.total]
    return [AggregateTerm(.values, path)] + sums.map { AggregateTerm($0, path) }
  }
}
