internal import Foundation
internal import StrataSQLite

/// The tables that the history is written to, and the store's identity.
///
/// Every store has them, whether a history is kept or not: creating a table later would tell other
/// processes that the tables changed.
enum HistoryFormat: GuestTable {
  /// Creates the tables; runs in the transaction that creates the store.
  static func create(_ connection: Connection) throws(SQLiteError) {
    try connection.execute("CREATE TABLE strata_store (identity TEXT NOT NULL)")
    // One row a commit. `total` counts the bytes of all changes up to the commit, so that the size
    // of a run of entries is a difference. The changes of a large commit begin in its parts.
    try connection.execute(
      """
      CREATE TABLE strata_history (number INTEGER PRIMARY KEY, \
      time REAL NOT NULL, author TEXT NOT NULL, total INTEGER NOT NULL, \
      parts INTEGER NOT NULL, changes BLOB NOT NULL)
      """)
    try connection.execute(
      """
      CREATE TABLE strata_history_part (number INTEGER NOT NULL, \
      part INTEGER NOT NULL, changes BLOB NOT NULL, PRIMARY KEY (number, part)) WITHOUT ROWID
      """)
    let identity = try connection.prepare("INSERT INTO strata_store (identity) VALUES (?1)")
    identity.bind(1, UUID().uuidString)
    try identity.run()
  }

  /// The store's identity, given when it was created.
  static func identity(_ connection: Connection) throws(StoreError) -> UUID {
    let text = try translatingErrors { () throws(SQLiteError) in
      try connection.text("SELECT identity FROM strata_store")
    }
    guard let identity = text.flatMap(UUID.init) else {
      throw StoreError(
        .notADatabase, "the store has lost its identity",
        advice: "restore the file from a copy, or move it away")
    }
    return identity
  }
}
