internal import StrataSQLite

/// A table of Strata's own in the store, such as the history or the outbox.
///
/// Every store has all of them from its creation: a table that is created later would tell other
/// processes that the tables changed. A guest that keeps names or keys of the user's tables follows
/// their migration, inside the migration's transaction.
protocol GuestTable {
  static func create(_ connection: Connection) throws(SQLiteError)

  /// Follows a table, and its columns, to other names.
  static func rename(
    _ table: String, to name: String, columns: [(from: String, to: String)],
    _ connection: Connection
  ) throws(SQLiteError)

  /// Forgets a table that is removed.
  static func remove(_ table: String, _ connection: Connection) throws(SQLiteError)

  /// The keys of a table that the guest keeps.
  static func keys(of table: String, _ connection: Connection) throws(SQLiteError) -> [RecordKey]

  /// Follows a row to another key, which may be in another table.
  static func move(
    _ key: RecordKey, of table: String, to newKey: Cell, of newTable: String,
    _ connection: Connection
  ) throws(SQLiteError)
}

/// A guest that keeps nothing of the user's tables has nothing to follow.
extension GuestTable {
  static func rename(
    _ table: String, to name: String, columns: [(from: String, to: String)],
    _ connection: Connection
  ) throws(SQLiteError) {}

  static func remove(_ table: String, _ connection: Connection) throws(SQLiteError) {}

  static func keys(of table: String, _ connection: Connection) throws(SQLiteError) -> [RecordKey] {
    []
  }

  static func move(
    _ key: RecordKey, of table: String, to newKey: Cell, of newTable: String,
    _ connection: Connection
  ) throws(SQLiteError) {}
}

/// All guests of a store: the door through which opening and migrating reach them.
enum GuestTables {
  private static var all: [any GuestTable.Type] {
    [FreshnessTable.self, ValidatorTable.self, OutboxTable.self, HistoryFormat.self]
  }

  static func create(_ connection: Connection) throws(StoreError) {
    try each { guest throws(SQLiteError) in try guest.create(connection) }
  }

  static func rename(
    _ table: String, to name: String, columns: [(from: String, to: String)] = [],
    _ connection: Connection
  ) throws(StoreError) {
    try each { guest throws(SQLiteError) in
      try guest.rename(table, to: name, columns: columns, connection)
    }
  }

  static func remove(_ table: String, _ connection: Connection) throws(StoreError) {
    try each { guest throws(SQLiteError) in try guest.remove(table, connection) }
  }

  static func keys(of table: String, _ connection: Connection) throws(StoreError) -> Set<RecordKey>
  {
    var keys: Set<RecordKey> = []
    try each { guest throws(SQLiteError) in
      keys.formUnion(try guest.keys(of: table, connection))
    }
    return keys
  }

  static func move(
    _ key: RecordKey, of table: String, to newKey: Cell, of newTable: String,
    _ connection: Connection
  ) throws(StoreError) {
    try each { guest throws(SQLiteError) in
      try guest.move(key, of: table, to: newKey, of: newTable, connection)
    }
  }

  private static func each(
    _ body: (any GuestTable.Type) throws(SQLiteError) -> Void
  ) throws(StoreError) {
    try translatingErrors { () throws(SQLiteError) in for guest in all { try body(guest) } }
  }
}
