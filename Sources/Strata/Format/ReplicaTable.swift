internal import Foundation
internal import StrataSQLite

/// The state of a replica, in a guest table that every store has.
///
/// The state says which rows of the server the store has, so each transaction that applies rows of
/// the server writes it, too. Its content belongs to the replica.
enum ReplicaTable: GuestTable {
  static func create(_ connection: Connection) throws(StoreError) {
    try connection.run("CREATE TABLE strata_replica (state BLOB NOT NULL)")
  }

  private static let read = SQL("SELECT state FROM strata_replica")
  private static let remove = SQL("DELETE FROM strata_replica")
  private static let add = SQL("INSERT INTO strata_replica (state) VALUES (?1)")

  static func state(_ connection: Connection) throws(StoreError) -> Data? {
    try connection.prepared(read).first { Data($0.blob(0)) }
  }

  static func set(_ state: Data, _ connection: Connection) throws(StoreError) {
    try connection.run(remove)
    try connection.run(add, .blob(state))
  }
}
