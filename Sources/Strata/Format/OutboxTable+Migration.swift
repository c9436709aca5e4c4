internal import Foundation
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
  ) throws(StoreError) {
    if name != table {
      try connection.run(setTable, .text(table), .text(name))
      try renameReplicated(table, to: name, connection)
    }
    if !columns.isEmpty { try rename(columns, of: name, connection) }
  }

  private static func rename(
    _ columns: [(from: String, to: String)], of table: String, _ connection: Connection
  ) throws(StoreError) {
    let names = Dictionary(columns.map { ($0.from[...], $0.to[...]) }) { first, _ in first }
    func renamed(_ text: String) -> String {
      text.split(separator: AttributeNames.separator).map { names[$0] ?? $0 }
        .joined(separator: String(AttributeNames.separator))
    }
    let entries = try connection.prepared(attributesOfTable, .text(table)).map { row in
      (
        key: Cell(row, 0), attributes: row.string(1),
        handed: row.isNull(2) ? nil : row.string(2)
      )
    }
    for entry in entries {
      try connection.run(
        setAttributes, .text(table), entry.key, .text(renamed(entry.attributes)),
        entry.handed.map { .text(renamed($0)) } ?? .null)
    }
  }

  private static let rowsOfTable = SQL(
    "SELECT key, original, handed_row, aside, newest, state FROM strata_outbox_row "
      + "WHERE entity = ?1 AND coalesce(original, handed_row, aside, newest) IS NOT NULL")
  private static let setRows = SQL(
    "UPDATE strata_outbox_row SET original = ?3, handed_row = ?4, aside = ?5, newest = ?6 "
      + "WHERE entity = ?1 AND key = ?2")

  /// Without the row from which an edit started, nobody could tell the edit from the values that others
  /// have changed. A row that cannot be brought along stays as it is, and is not read again.
  ///
  /// If another attribute becomes the key, only the row from before a deletion has the new key.
  static func transcode(
    _ migration: TableMigration, _ layout: HistoryLayout, _ connection: Connection
  ) throws(StoreError) {
    guard let old = migration.old else { return }
    let name = HistoryLayout.name(old.name, old.ordered.map { ($0.name, $0.storage) })
    if layout.hasTable(named: name) { return }
    let (sources, builder) = (migration.cellSources(old), RecordBuilder())
    var encoder = HistoryEncoder(layout)
    func transcoded(_ row: Statement, _ column: Int32) -> (cell: Cell, record: Record?) {
      if row.isNull(column) { return (.null, nil) }
      if row.blob(column).isEmpty { return (.text(""), nil) }
      let bytes = Array(row.blob(column))
      guard
        let record = HistoryDecoder.record(
          bytes, named: name, columns: old.columns.count, builder),
        let cells = try? sources.map({ try $0.cell(of: record) }),
        let new = try? Record(cells)
      else { return (.blob(Data(bytes)), nil) }
      return (.blob(Data(encoder.encode(new, of: migration.table.id))), new)
    }
    let table = migration.new.name
    let entries = try connection.prepared(rowsOfTable, .text(table)).map { row in
      let rows = (1...4).map { transcoded(row, $0) }
      let takesKey = migration.takesKeyOfColumn && isOfDeletion(state: row.integer(5))
      return (
        key: Cell(row, 0), rows: rows.map(\.cell),
        newKey: takesKey ? rows[0].record?[Table.keyColumn] : nil
      )
    }
    for entry in entries {
      try connection.run(
        setRows, .text(table), entry.key, entry.rows[0], entry.rows[1], entry.rows[2],
        entry.rows[3])
      guard let newKey = entry.newKey else { continue }
      try move(RecordKey(entry.key), of: table, to: newKey, of: table, connection)
    }
  }

  /// Moves the entry of a row to another key, which may be in another table.
  static func move(
    _ key: RecordKey, of table: String, to newKey: Cell, of newTable: String,
    _ connection: Connection
  ) throws(StoreError) {
    try connection.run(setKey, .text(table), key.cell, .text(newTable), newKey)
  }

  /// Returns the keys of a table's rows that wait.
  static func keys(
    of table: String, _ connection: Connection
  ) throws(StoreError) -> [RecordKey] {
    try connection.prepared(attributesOfTable, .text(table)).map { RecordKey($0, 0) }
  }

  /// Removes the entries of a removed table.
  static func remove(_ table: String, _ connection: Connection) throws(StoreError) {
    try connection.run(removeTable, .text(table))
  }
}
