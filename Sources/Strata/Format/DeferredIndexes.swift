internal import StrataSQLite

/// The indexes that an import drops while it fills a table, and makes when the table is full.
///
/// If rows arrive in a different order than an index has, each row changes a different page of the
/// index. Every batch then writes these pages to the log. If SQLite makes the index from all rows
/// at once, it sorts first and writes each page once. The transaction that drops indexes notes them
/// in the file. After a crash, the next process that opens the store makes them.
enum DeferredIndexes {
  /// The table that lists the dropped indexes; it exists only while there are such indexes.
  static let table = "strata_deferred_index"

  /// The outcome of an attempt to make the next index.
  enum Step: Sendable {
    /// An index was made, and others are left.
    case moreLeft
    case gaveWay
    /// No index is left to make.
    case done
  }

  /// Returns whether the store has dropped indexes that are not made yet.
  static func exist(_ connection: Connection) throws(StoreError) -> Bool {
    try connection.prepared("SELECT 1 FROM sqlite_schema WHERE name = '\(table)'").hasRow()
  }

  /// Drops indexes of a table, and notes the statements that make them.
  static func drop(
    _ indexes: [TableIndex], of name: String, _ connection: Connection
  ) throws(StoreError) {
    try connection.run(
      "CREATE TABLE IF NOT EXISTS \(table) (name TEXT PRIMARY KEY, tableName TEXT NOT NULL, "
        + "statement TEXT NOT NULL) WITHOUT ROWID")
    for index in indexes {
      try connection.prepared(
        "INSERT OR REPLACE INTO \(table) VALUES (?1, ?2, ?3)", .text(index.name), .text(name),
        .text(index.create)
      ).perform()
      try connection.run("DROP INDEX IF EXISTS \(index.name.quotedIdentifier)")
    }
  }

  /// Makes one of the dropped indexes.
  ///
  /// - Returns: whether any index is left to make.
  static func makeNext(_ connection: Connection) throws(StoreError) -> Bool {
    guard try exist(connection) else { return false }
    let next = try connection.prepared("SELECT statement FROM \(table) ORDER BY name LIMIT 1")
      .first { $0.string(0) }
    if let next {
      try connection.run(next)
      try connection.run(
        "DELETE FROM \(table) WHERE name = (SELECT min(name) FROM \(table))")
    }
    if try connection.prepared("SELECT 1 FROM \(table) LIMIT 1").hasRow() { return true }
    try connection.run("DROP TABLE \(table)")
    return false
  }

  /// Makes all dropped indexes, each in a transaction of its own.
  ///
  /// Usually the process that dropped them was killed. If it still runs, its batches wait
  /// meanwhile.
  ///
  /// - Returns: the number of dropped indexes at the beginning.
  @discardableResult
  static func makeAll(
    _ connection: Connection, _ meter: ProgressMeter = ProgressMeter(nil)
  ) throws(StoreError) -> Int {
    guard try exist(connection) else { return 0 }
    let count = Int(try connection.prepared("SELECT count(*) FROM \(table)").firstInteger() ?? 0)
    meter.begin(.indexing, total: count)
    while try exist(connection) {
      try connection.run("BEGIN IMMEDIATE")
      do throws(StoreError) {
        _ = try makeNext(connection)
        try LogTie.stamp(connection)
        try connection.run("COMMIT")
      } catch {
        if connection.isInTransaction { try? connection.run("ROLLBACK") }
        throw error
      }
      meter.finishOne()
    }
    return count
  }
}
