internal import StrataSQLite

// The rows of a live tree's levels, read through a snapshot.

extension Snapshot {
  /// Returns the levels of a live tree under its roots.
  func levels(_ plan: TreePlan, under roots: ResultTree) async throws(StoreError) -> [LevelRows] {
    var levels: [LevelRows] = []
    for level in plan.levels {
      let above = level.parent.map { levels[$0].tree } ?? roots
      let keys = level.keys(under: above)
      levels.append(LevelRows(level, try await rows(level, for: keys), under: above))
    }
    return levels
  }

  /// Returns the rows of a level for some keys: of the rows above if the level refers to them, or else of
  /// the level's rows.
  ///
  /// - Complexity: O(*k* log *n*) for *k* keys if the level has a reach and an index has its order under one row.
  func rows(
    _ level: TreeLevel, for keys: Set<RecordKey>
  ) async throws(StoreError) -> ContiguousArray<Record> {
    if keys.isEmpty || level.plan.isNever { return [] }
    return try await read(level.plan) { reader, connection throws(StoreError) in
      switch (level.route, level.window) {
      case (.referring(let column), let window?):
        var rows = ContiguousArray<Record>()
        for key in keys {
          rows += try reader.rows(level, [key.cell], column, limit: window, connection)
        }
        return rows
      case (.referring(let column), nil):
        return try reader.rows(level, Set(keys.map(\.cell)), column, connection)
      case (.referred, _):
        return try reader.rows(level, Set(keys.map(\.cell)), Table.keyColumn, connection)
      }
    }
  }
}

extension Reader {
  /// Returns the rows of a level with one of some values in a column.
  ///
  /// - Parameter limit: the maximum number of rows, from the first of the plan's order; nil for all.
  fileprivate func rows(
    _ level: TreeLevel, _ values: Set<Cell>, _ column: Int, limit: Int? = nil,
    _ connection: Connection
  ) throws(StoreError) -> ContiguousArray<Record> {
    let sql = level.plan.select(
      limit: limit, offset: 0, isSorted: limit != nil, only: .values(values, column: column))
    return try builder.records(
      try connection.prepared(sql, model), of: level.table, width: level.plan.width)
  }
}

extension TreeLevel {
  /// Returns the keys for which the level's rows are read under all rows above.
  fileprivate func keys(under above: ResultTree) -> Set<RecordKey> {
    var keys = Set<RecordKey>()
    var rows = above.inKeyOrder
    while let row = rows.next() {
      switch route {
      case .referring: keys.insert(row.key(Table.keyColumn))
      case .referred(let column): if !row.isNull(column) { keys.insert(row.key(column)) }
      }
    }
    return keys
  }
}
