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

  /// Returns the rows of every table, by the table's name.
  mutating func rows() -> [String: [[String: Cell]]] {
    var keys: [String: [Cell]] = [:]
    for table in schema.tables where !table.isJoin {
      keys[table.name] =
        wanted.tables[table.name]?.map { $0[table.key] ?? .null } ?? madeKeys(table)
    }
    shorten(&keys)
    var all: [String: [[String: Cell]]] = [:]
    for table in schema.tables {
      all[table.name] =
        wanted.tables[table.name] ?? (table.isJoin ? links(table, keys) : made(table, keys))
    }
    return all
  }

  private func values(_ column: SchemaDescription.Column, isDistinct: Bool) -> EdgeValues {
    EdgeValues(column, isDistinct: isDistinct, given: wanted.values[column.valueType])
  }

  // MARK: Keys

  private mutating func madeKeys(_ table: SchemaDescription.Table) -> [Cell] {
    guard let column = table[column: table.key] else { return [] }
    let values = self.values(column, isDistinct: true)
    return (0..<min(wanted.count, values.count)).map { values.value($0, &random) }
  }

  /// Limits the rows of each table to the number of values of its required unique columns.
  ///
  /// A reference has as many values as its target table has rows.
  private func shorten(_ keys: inout [String: [Cell]]) {
    var isShorter: Bool
    repeat {
      isShorter = false
      for table in schema.tables where wanted.tables[table.name] == nil {
        let limits = distinct(table).filter { !$0.isOptional }.map { count($0, keys) }
        guard let limit = limits.min(), let count = keys[table.name]?.count, count > limit
        else { continue }
        keys[table.name]?.removeLast(count - limit)
        isShorter = true
      }
    } while isShorter
  }

  /// Returns the columns that differ in every row. Of columns that are unique together, it returns
  /// the column with the most values.
  private func distinct(_ table: SchemaDescription.Table) -> [SchemaDescription.Column] {
    var names: Set = [table.key]
    // Columns that are unique by themselves come first, because they may be a part of other
    // uniques.
    for unique in table.uniques.sorted(by: { $0.count < $1.count })
    where names.isDisjoint(with: unique) {
      let columns = table.columns.filter { unique.contains($0.name) }
      let widest = columns.max { count($0, [:]) < count($1, [:]) }
      if let widest { names.insert(widest.name) }
    }
    return table.columns.filter { names.contains($0.name) && $0.name != table.key }
  }

  /// Returns the number of distinct values of a column.
  ///
  /// For a reference to a table that is not in `keys`, this is the number of rows that it will have
  /// at most.
  private func count(_ column: SchemaDescription.Column, _ keys: [String: [Cell]]) -> Int {
    guard let target = column.target else { return values(column, isDistinct: true).count }
    return schema[table: target].flatMap { keys[$0.name]?.count } ?? wanted.count
  }

  // MARK: Rows

  private mutating func made(
    _ table: SchemaDescription.Table, _ keys: [String: [Cell]]
  ) -> [[String: Cell]] {
    let distinct = Set(self.distinct(table).map(\.name))
    var rows: [[String: Cell]] = []
    for (position, key) in (keys[table.name] ?? []).enumerated() {
      var row = [table.key: key]
      for column in table.columns where column.name != table.key {
        row[column.name] = cell(column, position, distinct.contains(column.name), keys)
      }
      rows.append(row)
    }
    return rows
  }

  private mutating func cell(
    _ column: SchemaDescription.Column, _ row: Int, _ isDistinct: Bool, _ keys: [String: [Cell]]
  ) -> Cell {
    guard column.target != nil else {
      return values(column, isDistinct: isDistinct).value(row, &random)
    }
    let targets = self.targets(column, keys)
    if targets.isEmpty || (column.isOptional && random.oneIn(3)) { return .null }
    guard isDistinct else { return random.pick(targets) }
    return row < targets.count ? targets[row] : .null
  }

  private func targets(
    _ column: SchemaDescription.Column, _ keys: [String: [Cell]]
  ) -> [Cell] {
    column.target.flatMap { schema[table: $0] }.flatMap { keys[$0.name] } ?? []
  }

  /// Returns links between existing rows, each once.
  private mutating func links(
    _ table: SchemaDescription.Table, _ keys: [String: [Cell]]
  ) -> [[String: Cell]] {
    let ends = table.columns.filter { $0.target != nil }
    let targets = ends.map { self.targets($0, keys) }
    guard targets.count == 2, !targets.contains([]) else { return [] }
    var made: Set<Cell> = []
    var rows: [[String: Cell]] = []
    for position in 0..<wanted.count {
      let (owner, target) = (random.pick(targets[0]), random.pick(targets[1]))
      guard let key = StoreRehearsal.linkKey(owner, target), made.insert(key).inserted else {
        continue
      }
      var row = [table.key: key, ends[0].name: owner, ends[1].name: target]
      for column in table.columns where row[column.name] == nil {
        row[column.name] = cell(column, position, false, keys)
      }
      rows.append(row)
    }
    return rows
  }
}
