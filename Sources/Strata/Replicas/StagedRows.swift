internal import StrataSQLite

/// Rows of a server that wait on the disk until all rows of a pull are read.
///
/// They are in temporary tables of the writer's connection, which no other connection sees and no
/// crash leaves behind.
enum StagedRows {
  private static let tables = [
    "CREATE TEMP TABLE IF NOT EXISTS strata_staged_part (number INTEGER PRIMARY KEY, "
      + "tableIndex INTEGER, isRange INTEGER, first, last, count INTEGER)",
    "CREATE TEMP TABLE IF NOT EXISTS strata_staged (part INTEGER, key, content, flaw TEXT, "
      + "attributes TEXT)",
    "CREATE INDEX IF NOT EXISTS temp.strata_staged_of_part ON strata_staged (part)",
  ]
  private static let addPart = SQL(
    "INSERT INTO strata_staged_part VALUES (NULL, ?1, ?2, ?3, ?4, ?5)")
  private static let addRow = SQL("INSERT INTO strata_staged VALUES (?1, ?2, ?3, ?4, ?5)")
  private static let readParts = SQL(
    "SELECT number, count FROM strata_staged_part WHERE tableIndex = ?1 ORDER BY number")
  private static let readPart = SQL(
    "SELECT isRange, first, last FROM strata_staged_part WHERE number = ?1")
  private static let readRows = SQL(
    "SELECT key, content, flaw, attributes FROM strata_staged WHERE part = ?1")

  /// Removes all staged rows.
  static func clear(_ connection: Connection) throws(StoreError) {
    for table in tables { try connection.run(table) }
    try connection.run("DELETE FROM strata_staged")
    try connection.run("DELETE FROM strata_staged_part")
  }

  /// Adds rows as a part of their own, in one transaction of the temporary tables.
  static func add(_ rows: ServerRows, _ connection: Connection) throws(StoreError) {
    try connection.run("BEGIN")
    do throws(StoreError) {
      try insert(rows, connection)
      try connection.run("COMMIT")
    } catch {
      if connection.isInTransaction { try? connection.run("ROLLBACK") }
      throw error
    }
  }

  private static func insert(_ rows: ServerRows, _ connection: Connection) throws(StoreError) {
    var (keys, first, last) = (Set(rows.rows.keys).union(rows.flaws.keys), Cell.null, Cell.null)
    switch rows.extent {
    case .keys(let all): keys = all
    case .range(let after, let through):
      (first, last) = (after?.cell ?? .null, through?.cell ?? .null)
    }
    try connection.run(
      addPart, .integer(Int64(rows.table.id.index)), .integer(rows.isRange ? 1 : 0), first, last,
      .integer(Int64(keys.count)))
    let part = connection.lastInsertedRowID
    let statement = try connection.prepared(addRow)
    for key in keys.sorted() {
      statement.bind(1, part)
      key.bind(to: statement, at: 2)
      for column in 3...5 as ClosedRange<Int32> { statement.bindNull(column) }
      if let flaw = rows.flaws[key] {
        statement.bind(4, flaw.message)
        statement.bind(
          5, flaw.attributes.joined(separator: String(AttributeNames.separator)))
      } else if let record = rows.rows[key] {
        record.withBytes { statement.bind(3, blob: Array($0)) }
      }
      try statement.perform()
    }
  }

  /// Returns the parts of a table in the order of their adding, with their numbers of keys.
  static func parts(
    of table: Table, _ connection: Connection
  ) throws(StoreError) -> [(number: Int64, count: Int)] {
    try connection.prepared(readParts, .integer(Int64(table.id.index))).map { row in
      (row.integer(0), Int(row.integer(1)))
    }
  }

  private static let keyIndex = SQL(
    "CREATE INDEX IF NOT EXISTS temp.strata_staged_by_key ON strata_staged (key)")
  private static let readRow = SQL(
    "SELECT content FROM strata_staged JOIN strata_staged_part ON number = part "
      + "WHERE key = ?1 AND tableIndex = ?2 AND content IS NOT NULL")

  /// Returns one staged row; nil for none.
  static func row(
    _ key: RecordKey, of table: Table, _ connection: Connection
  ) throws(StoreError) -> Record? {
    try connection.run(keyIndex)
    return try connection.prepared(readRow, key.cell, .integer(Int64(table.id.index))).first {
      Record(copying: $0.blob(0))
    }
  }

  /// Returns the rows of a part.
  static func rows(
    _ part: Int64, of table: Table, _ connection: Connection
  ) throws(StoreError) -> ServerRows {
    var (keys, rows, flaws) = (Set<RecordKey>(), [RecordKey: Record](), [RecordKey: RowFlaw]())
    try connection.prepared(readRows, .integer(part)).forEach { row in
      let key = RecordKey(row, 0)
      keys.insert(key)
      if !row.isNull(1) { rows[key] = Record(copying: row.blob(1)) }
      if !row.isNull(2) {
        let names = row.string(3).split(separator: AttributeNames.separator).map(String.init)
        flaws[key] = RowFlaw(names, row.string(2))
      }
    }
    let extent = try connection.prepared(readPart, .integer(part)).first { row in
      func key(_ column: Int32) -> RecordKey? {
        row.isNull(column) ? nil : RecordKey(row, column)
      }
      return row.integer(0) == 0
        ? ServerRows.Extent.keys(keys) : .range(after: key(1), through: key(2))
    }
    return ServerRows(table, extent ?? .keys(keys), rows, flaws: flaws)
  }
}
