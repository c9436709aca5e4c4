internal import StrataSQLite

/// A link that an import has read, and of which one of the two rows does not exist yet.
struct WaitingLink: Sendable, Hashable {
  /// The key in the first column of a join table, or the key to which a row is to refer.
  let owner: RecordKey
  /// The key in the second column of a join table, or the key of the row that is to refer.
  let target: RecordKey
  /// The position in the owner's order; nil for links without an order.
  var position: Double?
}

/// The links that wait for one of their rows, in a guest table.
///
/// The transaction that inserts the row makes its links (`Transaction.makeWaitingLinks`). A link waits no
/// more if its other row is deleted, or if an import replaces the links of that row. A migration
/// removes all waiting links. It also makes the validators of all feeds void, so their next
/// imports read the links again.
enum WaitingLinkTable: GuestTable {
  /// The largest number of links that wait. An import that has more of them writes no validators.
  static let limit = 100_000

  static func create(_ connection: Connection) throws(StoreError) {
    try connection.run(
      "CREATE TABLE strata_waiting_link (relationship TEXT NOT NULL, owner NOT NULL, "
        + "target NOT NULL, position REAL, PRIMARY KEY (relationship, owner, target)) "
        + "WITHOUT ROWID")
    try connection.run(
      "CREATE INDEX strata_waiting_link_target ON strata_waiting_link (relationship, target)")
  }

  /// The name of a relationship in the table: a join table, or the column that refers.
  static func name(_ table: Table, _ column: Int?) -> String {
    column.map { table.name + String(AttributeNames.separator) + table.columns[$0].name }
      ?? table.name
  }

  private static let any = SQL("SELECT 1 FROM strata_waiting_link LIMIT 1")
  private static let number = SQL("SELECT count(*) FROM strata_waiting_link")
  private static let add = SQL("INSERT OR REPLACE INTO strata_waiting_link VALUES (?1, ?2, ?3, ?4)")
  private static let read = "SELECT owner, target, position FROM strata_waiting_link "
  private static let remove = "DELETE FROM strata_waiting_link "
  private static let byOwner = "WHERE relationship = ?1 AND owner = ?2"
  private static let byTarget = "WHERE relationship = ?1 AND target = ?2"
  private static let ofOwner = SQL(read + byOwner)
  private static let ofTarget = SQL(read + byTarget)
  private static let removeOfOwner = SQL(remove + byOwner)
  private static let removeOfTarget = SQL(remove + byTarget)
  private static let removeOne = SQL(remove + byOwner + " AND target = ?3")
  private static let removeEvery = SQL(remove)

  static func isEmpty(_ connection: Connection) throws(StoreError) -> Bool {
    try !connection.prepared(any).hasRow()
  }

  static func count(_ connection: Connection) throws(StoreError) -> Int {
    Int(try connection.prepared(number).firstInteger() ?? 0)
  }

  static func add(
    _ link: WaitingLink, to relationship: String, _ connection: Connection
  ) throws(StoreError) {
    try connection.run(
      add, .text(relationship), link.owner.cell, link.target.cell,
      link.position.map(Cell.real) ?? .null)
  }

  /// Returns the waiting links of a row.
  ///
  /// - Parameter isOwner: whether `key` is the links' owner; if not, it is their target.
  static func links(
    of key: RecordKey, isOwner: Bool, in relationship: String, _ connection: Connection
  ) throws(StoreError) -> [WaitingLink] {
    try connection.prepared(isOwner ? ofOwner : ofTarget, .text(relationship), key.cell).map {
      WaitingLink(
        owner: RecordKey($0, 0), target: RecordKey($0, 1),
        position: $0.isNull(2) ? nil : $0.real(2))
    }
  }

  static func remove(
    _ link: WaitingLink, in relationship: String, _ connection: Connection
  ) throws(StoreError) {
    try connection.run(removeOne, .text(relationship), link.owner.cell, link.target.cell)
  }

  /// Removes the waiting links of a row.
  static func remove(
    of key: RecordKey, isOwner: Bool, in relationship: String, _ connection: Connection
  ) throws(StoreError) {
    try connection.run(isOwner ? removeOfOwner : removeOfTarget, .text(relationship), key.cell)
  }

  static func removeAll(_ connection: Connection) throws(StoreError) {
    try connection.run(removeEvery)
  }
}
