internal import Foundation
internal import StrataSQLite

/// The table with the number that tells a store from every other store.
///
/// A copy of the file has the same identity.
enum StoreIdentity: GuestTable {
  /// Creates the table with a new identity, in the transaction that creates the store.
  static func create(_ connection: Connection) throws(StoreError) {
    try connection.run("CREATE TABLE strata_store (identity TEXT NOT NULL)")
    try connection.prepared(
      "INSERT INTO strata_store (identity) VALUES (?1)", .text(UUID().uuidString)
    ).perform()
  }

  /// Returns the identity that the store got at its creation.
  ///
  /// - Throws: ``StoreError`` with code `notADatabase` if the store has no valid identity.
  static func read(_ connection: Connection) throws(StoreError) -> UUID {
    let text = try connection.prepared("SELECT identity FROM strata_store").first { $0.string(0) }
    guard let identity = text.flatMap(UUID.init) else {
      throw StoreError(
        .notADatabase, "the store has lost its identity",
        advice: StoreError.restoring)
    }
    return identity
  }
}
