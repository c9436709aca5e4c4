internal import StrataSQLite

/// The tables of the history.
///
/// Every store has these tables, even if it keeps no history. If a table were created later, other
/// processes would notice that the store's tables have changed.
enum HistoryTables: GuestTable {
  /// Creates the tables, in the transaction that creates the store.
  static func create(_ connection: Connection) throws(StoreError) {
    // Every commit has one row. `total` is the size in bytes of all entries up to this commit, so
    // the size of a run of entries is a difference. The changes of a large commit begin in its
    // parts, and end in `changes`.
    try connection.run(
      """
      CREATE TABLE strata_history (number INTEGER PRIMARY KEY, \
      time REAL NOT NULL, author TEXT NOT NULL, total INTEGER NOT NULL, \
      parts INTEGER NOT NULL, changes BLOB NOT NULL)
      """)
    try connection.run(
      """
      CREATE TABLE strata_history_part (number INTEGER NOT NULL, \
      part INTEGER NOT NULL, changes BLOB NOT NULL, PRIMARY KEY (number, part)) WITHOUT ROWID
      """)
  }
}
