internal import StrataSQLite

/// The rows that no server has sent, in guest tables.
///
/// A table is *imported* from the first commit on that writes a server's rows to it. The rows that it
/// had before are local. So are rows that are made here later, while the store has no outbox. The
/// outbox has the rows that are made afterwards. A local row that a server sends is local no longer.
enum LocalRowsTable: GuestTable {
  static func create(_ connection: Connection) throws(StoreError) {
    try connection.run(
      "CREATE TABLE strata_imported (entity TEXT PRIMARY KEY) WITHOUT ROWID")
    try connection.run(
      "CREATE TABLE strata_local (entity TEXT NOT NULL, key NOT NULL, PRIMARY KEY (entity, key)) "
        + "WITHOUT ROWID")
  }

  private static let readImported = SQL("SELECT 1 FROM strata_imported WHERE entity = ?1")
  private static let addImported = SQL("INSERT INTO strata_imported (entity) VALUES (?1)")
  private static let any = SQL("SELECT 1 FROM strata_local WHERE entity = ?1 LIMIT 1")
  private static let read = SQL(
    "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM strata_imported WHERE entity = ?1) "
      + "OR EXISTS (SELECT 1 FROM strata_local WHERE entity = ?1 AND key = ?2)")
  private static let insert = SQL(
    "INSERT OR IGNORE INTO strata_local (entity, key) VALUES (?1, ?2)")
  private static let delete = SQL("DELETE FROM strata_local WHERE entity = ?1 AND key = ?2")

  /// Returns whether a server's rows were ever written to a table.
  static func isImported(
    _ table: Table, _ connection: Connection
  ) throws(StoreError) -> Bool {
    try connection.prepared(readImported, .text(table.name)).hasRow()
  }

  /// Notes that a server has rows of a table.
  static func noteServerRows(
    _ keys: some Sequence<RecordKey>, of table: Table, _ connection: Connection
  ) throws(StoreError) {
    if try !isImported(table, connection) { try beginImports(to: table, connection) }
    try remove(keys, of: table, connection)
  }

  /// Notes that a server's rows are written to a table, whose rows are local.
  private static func beginImports(
    to table: Table, _ connection: Connection
  ) throws(StoreError) {
    try connection.run(addImported, .text(table.name))
    let key = table.columns[Table.keyColumn].name.quotedIdentifier
    try connection.prepared(
      "INSERT OR IGNORE INTO strata_local (entity, key) "
        + "SELECT ?1, \(key) FROM \(table.name.quotedIdentifier)",
      .text(table.name)
    ).perform()
  }

  /// Returns whether an imported table has local rows.
  static func hasRows(of table: Table, _ connection: Connection) throws(StoreError) -> Bool {
    try connection.prepared(any, .text(table.name)).hasRow()
  }

  /// Returns whether a row is local. In a table that is not imported, every row is.
  static func contains(
    _ key: RecordKey, of table: Table, _ connection: Connection
  ) throws(StoreError) -> Bool {
    try connection.prepared(read, .text(table.name), key.cell).hasRow()
  }

  static func add(
    _ key: RecordKey, of table: Table, _ connection: Connection
  ) throws(StoreError) {
    try connection.run(insert, .text(table.name), key.cell)
  }

  static func remove(
    _ key: RecordKey, of table: Table, _ connection: Connection
  ) throws(StoreError) {
    try connection.run(delete, .text(table.name), key.cell)
  }

  static func remove(
    _ keys: some Sequence<RecordKey>, of table: Table, _ connection: Connection
  ) throws(StoreError) {
    guard try hasRows(of: table, connection) else { return }
    let statement = try connection.prepared(delete, .text(table.name))
    for key in keys {
      key.bind(to: statement, at: 2)
      try statement.perform()
    }
  }

  // MARK: - Migrations

  private static let renameImported = SQL(
    "UPDATE OR REPLACE strata_imported SET entity = ?2 WHERE entity = ?1")
  private static let rename = SQL(
    "UPDATE OR REPLACE strata_local SET entity = ?2 WHERE entity = ?1")
  private static let removeImported = SQL("DELETE FROM strata_imported WHERE entity = ?1")
  private static let removeAll = SQL("DELETE FROM strata_local WHERE entity = ?1")
  private static let readKeys = SQL("SELECT key FROM strata_local WHERE entity = ?1")
  private static let setKey = SQL(
    "UPDATE OR REPLACE strata_local SET entity = ?3, key = ?4 WHERE entity = ?1 AND key = ?2")

  static func rename(
    _ table: String, to name: String, columns: [(from: String, to: String)],
    _ connection: Connection
  ) throws(StoreError) {
    if name == table { return }
    try connection.run(renameImported, .text(table), .text(name))
    try connection.run(rename, .text(table), .text(name))
  }

  static func remove(_ table: String, _ connection: Connection) throws(StoreError) {
    try connection.run(removeImported, .text(table))
    try connection.run(removeAll, .text(table))
  }

  static func keys(of table: String, _ connection: Connection) throws(StoreError) -> [RecordKey] {
    try connection.prepared(readKeys, .text(table)).map { RecordKey($0, 0) }
  }

  static func move(
    _ key: RecordKey, of table: String, to newKey: Cell, of newTable: String,
    _ connection: Connection
  ) throws(StoreError) {
    try connection.run(setKey, .text(table), key.cell, .text(newTable), newKey)
  }
}
