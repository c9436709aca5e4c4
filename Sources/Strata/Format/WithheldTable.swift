internal import StrataSQLite

/// The rows of a server that the store cannot have, in a guest table that every store has.
///
/// A withheld row is in no table of the store. It comes in with a pull that brings it in another form,
/// or after the row that has its unique value.
enum WithheldTable: GuestTable {
  static func create(_ connection: Connection) throws(StoreError) {
    try connection.run(
      "CREATE TABLE strata_withheld (entity TEXT NOT NULL, key NOT NULL, attributes TEXT NOT NULL, "
        + "message TEXT NOT NULL, isDuplicate INTEGER NOT NULL, PRIMARY KEY (entity, key)) "
        + "WITHOUT ROWID")
  }

  private static let write = SQL(
    "INSERT OR REPLACE INTO strata_withheld (entity, key, attributes, message, isDuplicate) "
      + "VALUES (?1, ?2, ?3, ?4, ?5)")
  private static let delete = SQL("DELETE FROM strata_withheld WHERE entity = ?1 AND key = ?2")
  private static let deleteAll = SQL("DELETE FROM strata_withheld WHERE entity = ?1")
  private static let move = SQL("UPDATE strata_withheld SET entity = ?2 WHERE entity = ?1")
  private static let read = SQL(
    "SELECT key, attributes, message, isDuplicate FROM strata_withheld WHERE entity = ?1 "
      + "ORDER BY key")
  private static let deleteRange = SQL(
    "DELETE FROM strata_withheld WHERE entity = ?1 AND (?2 IS NULL OR key > ?2) "
      + "AND (?3 IS NULL OR key <= ?3)")
  private static let any = SQL("SELECT 1 FROM strata_withheld LIMIT 1")
  private static let anyOfTable = SQL("SELECT 1 FROM strata_withheld WHERE entity = ?1 LIMIT 1")
  private static let number = SQL("SELECT count(*) FROM strata_withheld")

  /// Notes that a row is withheld.
  ///
  /// - Parameter isDuplicate: whether another row of the server has one of its unique values.
  static func set(
    _ flaw: RowFlaw, isDuplicate: Bool, _ table: Table, _ key: RecordKey, _ connection: Connection
  ) throws(StoreError) {
    let names = flaw.attributes.joined(separator: String(AttributeNames.separator))
    try connection.run(
      write, .text(table.name), key.cell, .text(names), .text(flaw.message),
      .integer(isDuplicate ? 1 : 0))
  }

  static func remove(
    _ key: RecordKey, of table: Table, _ connection: Connection
  ) throws(StoreError) {
    try connection.run(delete, .text(table.name), key.cell)
  }

  /// Removes the rows whose keys come after `after`, if there is one, up to `through`, if there is one.
  static func remove(
    after: RecordKey?, through: RecordKey?, of table: Table, _ connection: Connection
  ) throws(StoreError) {
    try connection.run(
      deleteRange, .text(table.name), after?.cell ?? .null, through?.cell ?? .null)
  }

  /// Returns whether rows of a table are withheld.
  static func hasRows(of table: Table, _ connection: Connection) throws(StoreError) -> Bool {
    try connection.prepared(anyOfTable, .text(table.name)).hasRow()
  }

  /// Returns the withheld rows of a table, in key order.
  static func rows(
    of table: Table, _ connection: Connection
  ) throws(StoreError) -> [WithheldEntry] {
    guard try hasRows(of: table, connection) else { return [] }
    return try connection.prepared(read, .text(table.name)).map { row in
      let names = row.string(1).split(separator: AttributeNames.separator).map(String.init)
      return WithheldEntry(
        table: table, key: RecordKey(row, 0), flaw: RowFlaw(names, row.string(2)),
        isDuplicate: row.integer(3) != 0)
    }
  }

  static func hasRows(_ connection: Connection) throws(StoreError) -> Bool {
    try connection.prepared(any).hasRow()
  }

  static func count(_ connection: Connection) throws(StoreError) -> Int {
    Int(try connection.prepared(number).firstInteger() ?? 0)
  }

  // MARK: - Migrations

  static func rename(
    _ table: String, to name: String, columns: [(from: String, to: String)],
    _ connection: Connection
  ) throws(StoreError) {
    if name != table { try connection.run(move, .text(table), .text(name)) }
  }

  static func remove(_ table: String, _ connection: Connection) throws(StoreError) {
    try connection.run(deleteAll, .text(table))
  }
}

/// A row of a server that the store cannot have.
package struct WithheldEntry: Sendable {
  package let table: Table
  package let key: RecordKey
  package let flaw: RowFlaw
  /// Whether another row of the server has one of its unique values.
  package let isDuplicate: Bool
}
