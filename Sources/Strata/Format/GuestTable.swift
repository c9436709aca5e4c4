internal import StrataSQLite

/// A table of Strata's own in the store, such as the history or the outbox.
///
/// Every store has all guest tables from its creation. If a table were created later, other
/// processes would notice that the store's tables have changed. A guest table may keep names and
/// keys of the user's tables. A migration changes them through this protocol, inside its own
/// transaction.
protocol GuestTable {
  static func create(_ connection: Connection) throws(StoreError)

  /// Replaces the names of a renamed table and of its renamed columns.
  static func rename(
    _ table: String, to name: String, columns: [(from: String, to: String)],
    _ connection: Connection
  ) throws(StoreError)

  /// Brings rows of a migrated table, which are kept in encoded form, to the columns of the model.
  static func transcode(
    _ migration: TableMigration, _ layout: HistoryLayout, _ connection: Connection
  ) throws(StoreError)

  /// Removes the rows that belong to a removed table.
  static func remove(_ table: String, _ connection: Connection) throws(StoreError)

  /// Returns the keys of a table's rows that the guest table keeps.
  static func keys(of table: String, _ connection: Connection) throws(StoreError) -> [RecordKey]

  /// Replaces the key of a row by another key, which may be in another table.
  static func move(
    _ key: RecordKey, of table: String, to newKey: Cell, of newTable: String,
    _ connection: Connection
  ) throws(StoreError)
}

/// The defaults, for a guest table that a migration does not change.
extension GuestTable {
  static func rename(
    _ table: String, to name: String, columns: [(from: String, to: String)],
    _ connection: Connection
  ) throws(StoreError) {}

  static func transcode(
    _ migration: TableMigration, _ layout: HistoryLayout, _ connection: Connection
  ) throws(StoreError) {}

  static func remove(_ table: String, _ connection: Connection) throws(StoreError) {}

  static func keys(of table: String, _ connection: Connection) throws(StoreError) -> [RecordKey] {
    []
  }

  static func move(
    _ key: RecordKey, of table: String, to newKey: Cell, of newTable: String,
    _ connection: Connection
  ) throws(StoreError) {}
}

/// All guest tables of a store.
///
/// The creation and the migration of a store access guest tables only through this type.
enum GuestTables {
  private static var all: [any GuestTable.Type] {
    [
      FreshnessTable.self, ValidatorTable.self, OutboxTable.self, LocalRowsTable.self,
      StoreIdentity.self, HistoryTables.self, ReplicaTable.self, WaitingLinkTable.self,
      WithheldTable.self,
    ]
  }

  static func create(_ connection: Connection) throws(StoreError) {
    for guest in all { try guest.create(connection) }
  }

  static func rename(
    _ table: String, to name: String, columns: [(from: String, to: String)] = [],
    _ connection: Connection
  ) throws(StoreError) {
    for guest in all { try guest.rename(table, to: name, columns: columns, connection) }
  }

  static func transcode(
    _ migration: TableMigration, _ layout: HistoryLayout, _ connection: Connection
  ) throws(StoreError) {
    for guest in all { try guest.transcode(migration, layout, connection) }
  }

  static func remove(_ table: String, _ connection: Connection) throws(StoreError) {
    for guest in all { try guest.remove(table, connection) }
  }

  static func keys(of table: String, _ connection: Connection) throws(StoreError) -> Set<RecordKey>
  {
    var keys: Set<RecordKey> = []
    for guest in all { keys.formUnion(try guest.keys(of: table, connection)) }
    return keys
  }

  static func move(
    _ key: RecordKey, of table: String, to newKey: Cell, of newTable: String,
    _ connection: Connection
  ) throws(StoreError) {
    for guest in all { try guest.move(key, of: table, to: newKey, of: newTable, connection) }
  }
}
