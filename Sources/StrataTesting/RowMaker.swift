internal import Strata

/// Makes the rows that a rehearsal starts with.
struct RowMaker {
  private let schema: SchemaDescription
  private let wanted: RehearsalRows
  private var random: SeededRandom

  init(_ schema: SchemaDescription, _ wanted: RehearsalRows) {
    self.schema = schema
    self.wanted = wanted
    random = SeededRandom(seed: wanted.seed)
  }

  /// The rows of every table, by the table's name.
  mutating func rows() -> [String: [[String: Cell]]] {
    var keys: [String: [Cell]] = [:]
    for table in schema.tables {
      keys[table.name] =
        wanted.tables[table.name]?.map { $0[table.key] ?? .null } ?? madeKeys(table)
    }
    var all: [String: [[String: Cell]]] = [:]
    for table in schema.tables {
      all[table.name] = wanted.tables[table.name] ?? made(table, keys)
    }
    return all
  }

  private mutating func madeKeys(_ table: SchemaDescription.Table) -> [Cell] {
    guard let column = table[column: table.key] else { return [] }
    let given = wanted.values[column.valueType]
    let values = EdgeValues(column, isDistinct: true, given: given)
    // A key of given values cannot have more of them.
    return (0..<min(wanted.count, given?.count ?? .max)).map { values.value($0, &random) }
  }

  private mutating func made(
    _ table: SchemaDescription.Table, _ keys: [String: [Cell]]
  ) -> [[String: Cell]] {
    let unique = Set(table.uniques.joined())
    var rows: [[String: Cell]] = []
    for (position, key) in (keys[table.name] ?? []).enumerated() {
      var row = [table.key: key]
      for column in table.columns where column.name != table.key {
        row[column.name] = cell(column, position, unique.contains(column.name), keys)
      }
      rows.append(row)
    }
    return rows
  }

  private mutating func cell(
    _ column: SchemaDescription.Column, _ row: Int, _ isUnique: Bool, _ keys: [String: [Cell]]
  ) -> Cell {
    if let target = column.target {
      let targets = schema[table: target].flatMap { keys[$0.name] } ?? []
      if targets.isEmpty || (column.isOptional && random.oneIn(3)) { return .null }
      return isUnique ? targets[row % targets.count] : random.pick(targets)
    }
    let values = EdgeValues(column, isDistinct: isUnique, given: wanted.values[column.valueType])
    return values.value(row, &random)
  }
}
