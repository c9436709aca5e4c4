internal import Foundation
internal import StrataSQLite

/// The tables of the history and of the store's identity.
///
/// Every store has these tables, even if it keeps no history. If a table were created later, other
/// processes would notice that the store's tables have changed.
enum HistoryFormat: GuestTable {
  /// Creates the tables, in the transaction that creates the store.
  static func create(_ connection: Connection) throws(StoreError) {
    try connection.run("CREATE TABLE strata_store (identity TEXT NOT NULL)")
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
    try connection.prepared(
      "INSERT INTO strata_store (identity) VALUES (?1)", .text(UUID().uuidString)
    ).perform()
  }

  /// Returns the identity that the store got at its creation.
  ///
  /// - Throws: ``StoreError`` with code `notADatabase` if the store has no valid identity.
  static func identity(_ connection: Connection) throws(StoreError) -> UUID {
    let text = try connection.prepared("SELECT identity FROM strata_store").first { $0.string(0) }
    guard let identity = text.flatMap(UUID.init) else {
      throw StoreError(
        .notADatabase, "the store has lost its identity",
        advice: "restore the file from a copy, or move it away")
    }
    return identity
  }
}
