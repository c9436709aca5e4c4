internal import StrataSQLite

/// The edits that wait to be pushed, in guest tables.
///
/// The tables are empty until the store has an outbox. Every stack that has the store open writes
/// the entries, in the transaction that edits their rows. The entries do not depend on a history.
/// They name tables and attributes, so they do not depend on the order of either in the model. Only
/// the encoded original of a row needs the columns with which it was written.
enum OutboxTable: GuestTable {
  static func create(_ connection: Connection) throws(StoreError) {
    try connection.run(
      "CREATE TABLE strata_outbox (ignored TEXT PRIMARY KEY) WITHOUT ROWID")
    try connection.run(
      """
      CREATE TABLE strata_outbox_row (entity TEXT NOT NULL, key NOT NULL, number INTEGER NOT NULL, \
      state INTEGER NOT NULL, attributes TEXT NOT NULL, handed INTEGER, handed_attributes TEXT, \
      original BLOB, refusal TEXT, handed_row BLOB, aside BLOB, newest BLOB, \
      first INTEGER NOT NULL, handed_earlier BLOB, answered TEXT, PRIMARY KEY (entity, key)) WITHOUT ROWID
      """)
  }

  // MARK: - Authors

  private static let authors = SQL("SELECT ignored FROM strata_outbox")
  private static let removeAuthors = SQL("DELETE FROM strata_outbox")
  private static let addAuthor = SQL("INSERT INTO strata_outbox (ignored) VALUES (?1)")
  private static let isIgnored = SQL("SELECT max(ignored = ?1) FROM strata_outbox")

  /// Returns the authors whose commits are not pushed; nil if the store has no outbox yet.
  static func ignoredAuthors(_ connection: Connection) throws(StoreError) -> Set<String>? {
    let ignored = Set(try connection.prepared(authors).map { $0.string(0) })
    return ignored.isEmpty ? nil : ignored
  }

  /// Opens the outbox for the commits of all authors except these, from this transaction on.
  ///
  /// - Precondition: `authors` is not empty. An empty table means that the store has no outbox.
  static func open(ignoring authors: Set<String>, _ connection: Connection) throws(StoreError) {
    try connection.run(removeAuthors)
    for author in authors { try connection.run(addAuthor, .text(author)) }
  }

  /// Returns whether the commits of an author have to be pushed; nil if the store has no outbox yet.
  static func pushes(_ author: String, _ connection: Connection) throws(StoreError) -> Bool? {
    try connection.prepared(isIgnored, .text(author)).first {
      $0.isNull(0) ? nil : $0.integer(0) == 0
    } ?? nil
  }

  // MARK: - Entries

  private static let columns =
    "number, state, attributes, handed, handed_attributes, original, entity, key, refusal, handed_row, "
    + "aside, newest, first, handed_earlier, answered"
  private static let read = SQL(
    "SELECT \(columns) FROM strata_outbox_row WHERE entity = ?1 AND key = ?2")
  private static let readAll = SQL("SELECT \(columns) FROM strata_outbox_row")
  private static let readHandedOver = SQL(
    "SELECT \(columns) FROM strata_outbox_row WHERE handed IS NOT NULL")
  private static let write = SQL(
    "INSERT OR REPLACE INTO strata_outbox_row (\(columns)) "
      + "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)")
  private static let remove = SQL("DELETE FROM strata_outbox_row WHERE entity = ?1 AND key = ?2")
  private static let removeEverything = SQL("DELETE FROM strata_outbox_row")
  private static let number = SQL("SELECT count(*), count(refusal) FROM strata_outbox_row")
  private static let anyUnrefused = SQL(
    "SELECT 1 FROM strata_outbox_row WHERE refusal IS NULL LIMIT 1")
  private static let any = SQL("SELECT 1 FROM strata_outbox_row LIMIT 1")
  private static let anyOfTable = SQL("SELECT 1 FROM strata_outbox_row WHERE entity = ?1 LIMIT 1")

  /// Returns the number of rows that wait, including refused rows.
  static func count(_ connection: Connection) throws(StoreError) -> Int64 {
    try connection.prepared(number).firstInteger() ?? 0
  }

  /// Returns the number of rows that wait to be sent, and the number of refused rows.
  static func counts(_ connection: Connection) throws(StoreError) -> OutboxCounts {
    try connection.prepared(number).first { row in
      let refused = Int(row.integer(1))
      return OutboxCounts(waiting: Int(row.integer(0)) - refused, refused: refused)
    } ?? OutboxCounts(waiting: 0, refused: 0)
  }

  private static let isKnown: Int64 = 1
  private static let isDeleted: Int64 = 2
  private static let isUncertain: Int64 = 4
  private static let isHandedDeletion: Int64 = 8
  private static let isOver: Int64 = 16

  /// Returns whether a stored state is that of a deleted row.
  static func isOfDeletion(state: Int64) -> Bool { state & isDeleted != 0 }

  static func entry(
    _ table: Table, _ key: RecordKey, _ connection: Connection
  ) throws(StoreError) -> OutboxEntry? {
    let statement = try connection.prepared(read)
    statement.bind(1, table.name)
    key.bind(to: statement, at: 2)
    return try statement.first { row in
      var names = AttributeNames.Cache()
      return entry(row, table, &names)
    }
  }

  /// Calls `body` with every entry whose table is in the model.
  ///
  /// - Parameter isHandedOver: whether only the entries count that were handed over.
  static func forEach(
    _ model: Model, _ connection: Connection, isHandedOver: Bool = false,
    _ body: (Table, RecordKey, OutboxEntry) throws(StoreError) -> Void
  ) throws(StoreError) {
    let tables = Dictionary(uniqueKeysWithValues: model.tables.map { ($0.name, $0) })
    var names = AttributeNames.Cache()
    let rows = try connection.prepared(isHandedOver ? readHandedOver : readAll)
    try rows.forEach { row throws(StoreError) in
      guard let table = tables[row.string(6)] else { return }
      try body(table, RecordKey(row, 7), entry(row, table, &names))
    }
  }

  private static func entry(
    _ row: Statement, _ table: Table, _ names: inout AttributeNames.Cache
  ) -> OutboxEntry {
    OutboxEntry(
      commit: row.integer(0), isKnown: row.integer(1) & isKnown != 0,
      isDeleted: row.integer(1) & isDeleted != 0,
      attributes: names.attributes(row.string(2), of: table),
      handedOver: row.isNull(3)
        ? nil
        : .init(
          commit: row.integer(3), attributes: names.attributes(row.string(4), of: table),
          isUncertain: row.integer(1) & isUncertain != 0,
          isDeletion: row.integer(1) & isHandedDeletion != 0,
          answered: row.isNull(14) ? nil : names.attributes(row.string(14), of: table),
          isOver: row.integer(1) & isOver != 0, row: row.isNull(9) ? nil : Array(row.blob(9)),
          earlier: row.isNull(13) ? nil : Array(row.blob(13))),
      original: row.isNull(5) ? nil : Array(row.blob(5)), newest: newest(row),
      refusal: row.isNull(8) ? nil : row.string(8),
      aside: row.isNull(10) ? nil : Array(row.blob(10)), first: row.integer(12))
  }

  /// An empty text, which no encoded row is, says that the server has no row.
  private static func newest(_ row: Statement) -> OutboxEntry.Newest? {
    if row.isNull(11) { return nil }
    let bytes = Array(row.blob(11))
    return bytes.isEmpty ? .gone : .row(bytes)
  }

  /// Writes an entry; nil removes it.
  static func set(
    _ entry: OutboxEntry?, _ table: Table, _ key: RecordKey, _ connection: Connection
  ) throws(StoreError) {
    guard let entry else { return try connection.run(remove, .text(table.name), key.cell) }
    let statement = try connection.prepared(write)
    statement.bind(1, entry.commit)
    statement.bind(
      2,
      (entry.isKnown ? isKnown : 0) | (entry.isDeleted ? isDeleted : 0)
        | (entry.handedOver?.isUncertain == true ? isUncertain : 0)
        | (entry.handedOver?.isDeletion == true ? isHandedDeletion : 0)
        | (entry.handedOver?.isOver == true ? isOver : 0))
    statement.bind(3, AttributeNames.text(entry.attributes, of: table))
    if let handedOver = entry.handedOver {
      statement.bind(4, handedOver.commit)
      statement.bind(5, AttributeNames.text(handedOver.attributes, of: table))
    } else {
      statement.bindNull(4)
      statement.bindNull(5)
    }
    bind(entry.original, to: statement, at: 6)
    statement.bind(7, table.name)
    key.bind(to: statement, at: 8)
    if let refusal = entry.refusal {
      statement.bind(9, refusal)
    } else {
      statement.bindNull(9)
    }
    bind(entry.handedOver?.row, to: statement, at: 10)
    bind(entry.aside, to: statement, at: 11)
    switch entry.newest {
    case nil: statement.bindNull(12)
    case .gone: statement.bind(12, "")
    case .row(let bytes): statement.bind(12, blob: bytes)
    }
    statement.bind(13, entry.first)
    bind(entry.handedOver?.earlier, to: statement, at: 14)
    if let answered = entry.handedOver?.answered {
      statement.bind(15, AttributeNames.text(answered, of: table))
    } else {
      statement.bindNull(15)
    }
    try statement.perform()
  }

  private static func bind(_ bytes: [UInt8]?, to statement: Statement, at index: Int32) {
    if let bytes {
      statement.bind(index, blob: bytes)
    } else {
      statement.bindNull(index)
    }
  }

  static func removeAll(_ connection: Connection) throws(StoreError) {
    try connection.run(removeEverything)
  }

  /// Returns whether any row waits, including refused rows.
  static func hasEntries(_ connection: Connection) throws(StoreError) -> Bool {
    try connection.prepared(any).hasRow()
  }

  /// Returns whether any row waits that the server has not refused.
  static func hasUnrefused(_ connection: Connection) throws(StoreError) -> Bool {
    try connection.prepared(anyUnrefused).hasRow()
  }

  /// Returns whether any row of a table waits, including refused rows.
  static func hasEntries(
    of table: Table, _ connection: Connection
  ) throws(StoreError) -> Bool {
    try connection.prepared(anyOfTable, .text(table.name)).hasRow()
  }
}

/// The written form of attributes: their names, because a migration may move columns.
enum AttributeNames {
  /// The only character that cannot occur in a name in SQL.
  static let separator: Character = "\0"

  static func text(_ attributes: AttributeSet, of table: Table) -> String {
    attributes.positions.filter { $0 < table.columns.count }.map { table.columns[$0].name }
      .joined(separator: String(separator))
  }

  /// Returns the attributes with these names; ignores names that the table does not have.
  static func attributes(_ text: String, of table: Table) -> AttributeSet {
    if text.isEmpty { return AttributeSet() }
    let names = Set(text.split(separator: separator))
    let columns = table.columns
    return AttributeSet(columns.indices.filter { names.contains(columns[$0].name[...]) })
  }

  /// The attributes of texts that were read before. Most rows have the same few edits.
  struct Cache {
    private var known: [TableID: [String: AttributeSet]] = [:]

    mutating func attributes(_ text: String, of table: Table) -> AttributeSet {
      if let attributes = known[table.id]?[text] { return attributes }
      let attributes = AttributeNames.attributes(text, of: table)
      known[table.id, default: [:]][text] = attributes
      return attributes
    }
  }
}
