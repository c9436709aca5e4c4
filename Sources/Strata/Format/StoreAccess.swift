internal import StrataSQLite

/// A connection, with all that it takes to read and write the rows of a model through it.
struct StoreAccess {
  let connection: Connection
  let model: Model
  let builder: RecordBuilder
  let layout: HistoryLayout

  /// The encoded form of the rows of a table in outbox entries.
  func coding(of table: Table) -> RowCoding { RowCoding(of: table, layout, builder) }

  /// Returns the stored record of a key; nil if there is no row.
  func record(_ key: RecordKey, of table: Table) throws(StoreError) -> Record? {
    try connection.record(key, of: table, builder)
  }

  /// Returns the records of a table whose column refers to a key.
  func records(
    of table: Table, referringTo key: RecordKey, in column: Int
  ) throws(StoreError) -> ContiguousArray<Record> {
    try connection.records(of: table, referringTo: key, in: column, builder)
  }
}
