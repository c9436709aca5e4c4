internal import StrataSQLite

/// The rows that exported rows refer to, and the rows that refer to them, as of the same commit.
package struct ExportedRelations {
  let connection: Connection
  let builder: RecordBuilder

  /// Returns the record with a key; nil if it does not exist.
  package func record(_ key: RecordKey, of table: Table) throws(StoreError) -> Record? {
    try connection.record(key, of: table, builder)
  }

  /// Returns the records whose column refers to a key, in the order of their own keys.
  package func records(
    of table: Table, referringTo key: RecordKey, in column: Int
  ) throws(StoreError) -> [Record] {
    try connection.records(of: table, referringTo: key, in: column, builder).sorted {
      $0.key(Table.keyColumn) < $1.key(Table.keyColumn)
    }
  }
}

extension Table {
  /// Returns the error for a value that cannot be written in the form that its mapping reads.
  package func unwritable(_ error: ValueError, _ column: Int, of record: Record) -> StoreError {
    let key = record.key(Self.keyColumn)
    return StoreError(
      .invalidValue, "\(attributeName(column)) of \(key) cannot be written: \(error.message)",
      advice: "map the attribute by a conversion that reads what it stores", entity: entity,
      attributes: [columns[column].name], keys: [key])
  }
}
