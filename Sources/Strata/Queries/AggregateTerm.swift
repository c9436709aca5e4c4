/// An aggregate function that SQLite and ``AggregateFold`` can compute over a column in one pass.
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
  /// The exact sum of the reals, which is 0 without values and null for not-a-number.
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
  /// The spelling of the values whose number is wanted; nil if they have one spelling.
  let spelling: ValueSpelling?

  init(
    _ function: AggregateFunction, _ attribute: Attribute? = nil, spelling: ValueSpelling? = nil
  ) {
    self.function = function
    self.attribute = attribute
    self.spelling = spelling
  }
}

extension Table {
  /// Returns the terms with columns instead of key paths.
  func resolved(
    _ terms: [AggregateTerm<SendablePath>]
  ) throws(StoreError) -> [AggregateTerm<Int>] {
    try terms.map { term throws(StoreError) in
      guard let path = term.attribute else { return AggregateTerm(term.function) }
      let column = try column(of: path)
      return AggregateTerm(
        term.function, column,
        spelling: term.function == .distinct ? columns[column].spelling : nil)
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
    case .total: "strata_sum(\(column))"
    case .least: "min(\(column))"
    case .greatest: "max(\(column))"
    }
  }
}

extension _SumParts {
  /// Returns the terms that the store computes for the sum of an attribute.
  static func terms(
    of path: SendablePath, as storage: StorageType
  ) -> [AggregateTerm<SendablePath>] {
    let sums: [AggregateFunction] = storage == .integer ? [.highSum, .lowSum] : [.total]
    return [AggregateTerm(.values, path)] + sums.map { AggregateTerm($0, path) }
  }
}
