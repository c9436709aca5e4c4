internal import Foundation
internal import StrataSQLite

/// The validators of each feed, in a guest table.
///
/// The server sends validators with its answer. With them, it can answer "not modified" the next
/// time. Stored validators promise that the store has all that the server sent. So an import
/// first replaces them by a claim. The transaction that completes the import replaces the claim by
/// the new validators, if the claim still stands.
///
/// Each ``FeedLoss`` removes validators and claims, in the transaction of the event. So does
/// `forgetImport`. A further import of the same feed replaces the claim by its own.
enum ValidatorTable: GuestTable {
  static func create(_ connection: Connection) throws(StoreError) {
    try connection.run(
      "CREATE TABLE strata_validators (entry BLOB PRIMARY KEY, value TEXT NOT NULL, "
        + "time REAL NOT NULL, entities TEXT) WITHOUT ROWID")
  }

  private static let read = SQL("SELECT value FROM strata_validators WHERE entry = ?1")
  private static let write = SQL(
    "INSERT OR REPLACE INTO strata_validators (entry, value, time) VALUES (?1, ?2, ?3)")
  private static let replace = SQL(
    "UPDATE strata_validators SET value = ?3, entities = ?4 WHERE entry = ?1 AND value = ?2")
  private static let delete = SQL("DELETE FROM strata_validators WHERE entry = ?1")
  private static let deleteAll = SQL("DELETE FROM strata_validators")
  private static let any = SQL("SELECT 1 FROM strata_validators LIMIT 1")
  private static let anyOther = SQL("SELECT 1 FROM strata_validators WHERE entry <> ?1 LIMIT 1")
  private static let deleteOthers = SQL("DELETE FROM strata_validators WHERE entry <> ?1")
  /// A claim, whose entities are not known yet, counts as one of each entity. The second parameter is a
  /// feed that does not count, or null.
  private static let ofEntity = "(entities IS NULL OR instr(entities, ?1) > 0) AND entry IS NOT ?2"
  private static let anyOfEntity = SQL("SELECT 1 FROM strata_validators WHERE \(ofEntity) LIMIT 1")
  private static let deleteOfEntity = SQL("DELETE FROM strata_validators WHERE \(ofEntity)")
  private static let prune = SQL(
    "DELETE FROM strata_validators WHERE entry IN (SELECT entry FROM strata_validators "
      + "ORDER BY time DESC LIMIT -1 OFFSET ?1)")

  static func value(
    of entry: CacheIdentity, _ connection: Connection
  ) throws(StoreError) -> String? {
    try connection.prepared(read, .blob(Data(entry.hash))).first { $0.string(0) }
  }

  /// Replaces the validators or the claim of a feed.
  ///
  /// The oldest rows beyond ``FreshnessTable/limit`` are deleted.
  static func set(
    _ value: String, of entry: CacheIdentity, at time: Date, _ connection: Connection
  ) throws(StoreError) {
    try connection.run(
      write, .blob(Data(entry.hash)), .text(value), .real(time.timeIntervalSinceReferenceDate))
    try connection.run(prune, .integer(Int64(FreshnessTable.limit)))
  }

  /// Replaces a feed's claim by the validators, if the claim still stands.
  ///
  /// - Parameters:
  ///   - tables: the tables of which the feed has rows.
  ///   - wholeTables: the tables of which the feed has all rows.
  static func complete(
    _ claim: FeedClaim, tables: [Table], wholeTables: [Table], _ connection: Connection
  ) throws(StoreError) {
    let names =
      tables.map { name($0, isWhole: false) } + wholeTables.map { name($0, isWhole: true) }
    try connection.run(
      replace, .blob(Data(claim.entry.hash)), .text(claim.token), .text(claim.value()),
      .text(names.joined()))
  }

  /// Returns a table's name among the entities of a feed, which is no part of another's.
  private static func name(_ table: Table, isWhole: Bool) -> String {
    "\n\(isWhole ? "all " : "")\(table.name.quotedIdentifier)\n"
  }

  /// Removes the validators or the claim of a feed, or of all feeds if `entry` is nil.
  static func forget(_ entry: CacheIdentity?, _ connection: Connection) throws(StoreError) {
    guard let entry else { return try connection.run(deleteAll) }
    try connection.run(delete, .blob(Data(entry.hash)))
  }

  /// Removes the validators and claims that do not hold after a loss.
  ///
  /// - Parameters:
  ///   - own: the feed that is being imported; nil outside of an import of a feed.
  ///   - tables: the tables that have changed, for a loss that depends on the entity.
  /// - Returns: whether there were any.
  @discardableResult
  static func note(
    _ loss: FeedLoss, of own: CacheIdentity? = nil, in tables: some Sequence<Table> = [],
    _ connection: Connection
  ) throws(StoreError) -> Bool {
    switch (loss.scope, own) {
    case (.allOfEntity, _), (.othersOfWholeEntity, _):
      var hasFound = false
      for table in tables {
        let name = name(table, isWhole: loss.scope == .othersOfWholeEntity)
        if try forget(name, besides: own, connection) { hasFound = true }
      }
      return hasFound
    case (.own, nil): return false
    case (.own, let own?):
      guard try value(of: own, connection) != nil else { return false }
      try forget(own, connection)
    case (.others, let own?):
      guard try connection.prepared(anyOther, .blob(Data(own.hash))).hasRow() else { return false }
      try connection.run(deleteOthers, .blob(Data(own.hash)))
    case (.others, nil), (.all, _):
      guard try connection.prepared(any).hasRow() else { return false }
      try forget(nil, connection)
    }
    return true
  }

  /// Removes the validators and claims of the feeds of an entity, besides a feed.
  private static func forget(
    _ entity: String, besides own: CacheIdentity?, _ connection: Connection
  ) throws(StoreError) -> Bool {
    let own = own.map { Cell.blob(Data($0.hash)) } ?? .null
    guard try connection.prepared(anyOfEntity, .text(entity), own).hasRow() else { return false }
    try connection.run(deleteOfEntity, .text(entity), own)
    return true
  }
}
