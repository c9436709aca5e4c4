internal import StrataSQLite

// Outbox entries contain keys and the names of tables and attributes. A migration that changes
// keys or names changes them in the entries, too, inside the migration's transaction.

extension OutboxTable {
  private static let attributesOfTable = SQL(
    "SELECT key, attributes, handed_attributes FROM strata_outbox_row WHERE entity = ?1")
  private static let setAttributes = SQL(
    "UPDATE strata_outbox_row SET attributes = ?3, handed_attributes = ?4 "
      + "WHERE entity = ?1 AND key = ?2")
  private static let setTable = SQL(
    "UPDATE OR REPLACE strata_outbox_row SET entity = ?2 WHERE entity = ?1")
  private static let setKey = SQL(
    "UPDATE OR REPLACE strata_outbox_row SET entity = ?3, key = ?4 WHERE entity = ?1 AND key = ?2")
  private static let removeTable = SQL("DELETE FROM strata_outbox_row WHERE entity = ?1")

  /// Changes the names of a table and of its renamed columns in the table's entries.
  static func rename(
    _ table: String, to name: String, columns: [(from: String, to: String)],
    _ connection: Connection
  ) throws(SQLiteError) {
    if name != table {
      let statement = try connection.statement(for: setTable)
      statement.bind(1, table)
      statement.bind(2, name)
      try statement.run()
    }
    if !columns.isEmpty { try rename(columns, of: name, connection) }
  }

  private static func rename(
    _ columns: [(from: String, to: String)], of table: String, _ connection: Connection
  ) throws(SQLiteError) {
    let names = Dictionary(columns.map { ($0.from[...], $0.to[...]) }) { first, _ in first }
    func renamed(_ text: String) -> String {
      text.split(separator: AttributeNames.separator).map { names[$0] ?? $0 }
        .joined(separator: String(AttributeNames.separator))
    }
    var entries: [(key: RecordKey, attributes: String, handed: String?)] = []
    let rows = try connection.statement(for: attributesOfTable)
    defer { rows.reset() }
    rows.bind(1, table)
    while try rows.step() {
      entries.append((RecordKey(rows, 0), rows.string(1), rows.isNull(2) ? nil : rows.string(2)))
    }
    for entry in entries {
      let statement = try connection.statement(for: setAttributes)
      statement.bind(1, table)
      entry.key.bind(to: statement, at: 2)
      statement.bind(3, renamed(entry.attributes))
      if let handed = entry.handed {
        statement.bind(4, renamed(handed))
      } else {
        statement.bindNull(4)
      }
      try statement.run()
    }
  }

  /// Moves the entry of a row to another key, which may be in another table.
  static func move(
    _ key: RecordKey, of table: String, to newKey: Cell, of newTable: String,
    _ connection: Connection
  ) throws(SQLiteError) {
    let statement = try connection.statement(for: setKey)
    statement.bind(1, table)
    key.bind(to: statement, at: 2)
    statement.bind(3, newTable)
    newKey.bind(to: statement, at: 4)
    try statement.run()
  }

  /// Returns the keys of a table's rows that wait.
  static func keys(
    of table: String, _ connection: Connection
  ) throws(SQLiteError) -> [RecordKey] {
    let rows = try connection.statement(for: attributesOfTable)
    defer { rows.reset() }
    rows.bind(1, table)
    var keys: [RecordKey] = []
    while try rows.step() { keys.append(RecordKey(rows, 0)) }
    return keys
  }

  /// Removes the entries of a removed table.
  static func remove(_ table: String, _ connection: Connection) throws(SQLiteError) {
    let statement = try connection.statement(for: removeTable)
    statement.bind(1, table)
    try statement.run()
  }
}
