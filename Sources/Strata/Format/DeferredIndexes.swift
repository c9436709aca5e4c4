internal import StrataSQLite

/// Indexes that were dropped while a table is filled, and are made when it is full.
///
/// Rows that come in another order than an index has change a page of it each, and the log gets
/// that page with every batch. Made from all rows at once, the index is sorted first, and each of
/// its pages is written once. Which indexes are owed is said in the file, by the transaction that
/// drops them: whoever opens the store after a crash makes them.
enum DeferredIndexes {
  /// There while indexes are owed.
  static let table = "strata_deferred_index"

  /// What became of an attempt to make the next one.
  enum Step: Sendable {
    case made
    case gaveWay
    /// None is owed any more.
    case done
  }

  static func areOwed(_ connection: Connection) throws(SQLiteError) -> Bool {
    try connection.integer("SELECT 1 FROM sqlite_schema WHERE name = '\(table)'") != nil
  }

  /// Drops indexes of a table and notes how to make them.
  static func drop(
    _ indexes: [TableIndex], of name: String, _ connection: Connection
  ) throws(SQLiteError) {
    try connection.execute(
      "CREATE TABLE IF NOT EXISTS \(table) (name TEXT PRIMARY KEY, tableName TEXT NOT NULL, "
        + "statement TEXT NOT NULL) WITHOUT ROWID")
    for index in indexes {
      let note = try connection.prepare("INSERT OR REPLACE INTO \(table) VALUES (?1, ?2, ?3)")
      note.bind(1, index.name)
      note.bind(2, name)
      note.bind(3, index.create)
      try note.run()
      try connection.execute("DROP INDEX IF EXISTS \(index.name.quotedIdentifier)")
    }
  }

  /// Makes one of the indexes that are owed.
  ///
  /// - Returns: whether more are owed.
  static func makeNext(_ connection: Connection) throws(SQLiteError) -> Bool {
    guard try areOwed(connection) else { return false }
    if let next = try connection.text("SELECT statement FROM \(table) ORDER BY name LIMIT 1") {
      try connection.execute(next)
      try connection.execute(
        "DELETE FROM \(table) WHERE name = (SELECT min(name) FROM \(table))")
    }
    if try connection.integer("SELECT 1 FROM \(table) LIMIT 1") != nil { return true }
    try connection.execute("DROP TABLE \(table)")
    return false
  }

  /// Makes what a process that was killed still owed, each in a transaction of its own.
  ///
  /// It may also be one that still runs, and whose batches then wait.
  ///
  /// - Returns: how many were made.
  @discardableResult
  static func makeAll(
    _ connection: Connection, _ meter: ProgressMeter = ProgressMeter(nil)
  ) throws(SQLiteError) -> Int {
    guard try areOwed(connection) else { return 0 }
    let count = Int(try connection.integer("SELECT count(*) FROM \(table)") ?? 0)
    meter.begin(.indexing, total: count)
    while try areOwed(connection) {
      try connection.execute("BEGIN IMMEDIATE")
      do throws(SQLiteError) {
        _ = try makeNext(connection)
        try connection.execute("COMMIT")
      } catch {
        if connection.isInTransaction { try? connection.execute("ROLLBACK") }
        throw error
      }
      meter.finishOne()
    }
    return count
  }
}
