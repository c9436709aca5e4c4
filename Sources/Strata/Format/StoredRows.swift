internal import StrataSQLite

/// The stored rows for ascending keys.
///
/// For many keys, one scan reads the table in key order. The scan seeks anew where it would pass
/// over too many rows. For few keys, each key is looked up.
struct StoredRows {
  /// The number of keys below which look-ups are cheaper than a scan.
  private static let scanThreshold = 16
  /// The number of rows to pass over before a seek is cheaper than going on.
  private static let skipLimit = 8

  private let statement: Statement
  private let isScan: Bool
  private var isOnRow = false
  private var isStarted = false

  init(_ connection: Connection, _ table: Table, expected: Int) throws(StoreError) {
    try self.init(connection, table, isScan: expected >= Self.scanThreshold)
  }

  /// Creates the rows for `count` keys between two keys; the keys need not exist.
  ///
  /// The distance of keys is known only for integers. Other keys are looked up.
  init(
    _ connection: Connection, _ table: Table, count: Int, from first: RecordKey, to last: RecordKey
  ) throws(StoreError) {
    var isDense = false
    if let first = first.integer, let last = last.integer, count >= Self.scanThreshold {
      let (distance, overflows) = last.subtractingReportingOverflow(first)
      isDense = !overflows && distance / Int64(count) < Self.skipLimit
    }
    try self.init(connection, table, isScan: isDense)
  }

  private init(_ connection: Connection, _ table: Table, isScan: Bool) throws(StoreError) {
    self.isScan = isScan
    let sql = isScan ? table.sql.scanFromKey : table.sql.selectByKey
    statement = try connection.prepared(sql)
  }

  /// Returns the statement on the row with the key, valid until the next call; nil if there is no
  /// row.
  mutating func row(_ key: RecordKey) throws(StoreError) -> Statement? {
    isScan ? try scan(to: key) : try lookUp(key)
  }

  private mutating func lookUp(_ key: RecordKey) throws(StoreError) -> Statement? {
    statement.reset()
    key.bind(to: statement, at: 1)
    return try statement.next() ? statement : nil
  }

  private mutating func scan(to key: RecordKey) throws(StoreError) -> Statement? {
    if !isStarted { try seek(key) }
    var skipped = 0
    while isOnRow {
      let found = RecordKey(statement, 0)
      if found == key { return statement }
      if key < found { return nil }
      skipped += 1
      if skipped > Self.skipLimit {
        try seek(key)
        skipped = 0
      } else {
        isOnRow = try statement.next()
      }
    }
    return nil
  }

  private mutating func seek(_ key: RecordKey) throws(StoreError) {
    isStarted = true
    statement.reset()
    key.bind(to: statement, at: 1)
    isOnRow = try statement.next()
  }

  func reset() { statement.reset() }
}

extension Connection {
  /// Returns the records of a table whose column refers to a key.
  func records(
    of table: Table, referringTo key: RecordKey, in column: Int, _ builder: RecordBuilder
  ) throws(StoreError) -> ContiguousArray<Record> {
    let statement = try prepared(table.sql.selectByReference(column))
    key.bind(to: statement, at: 1)
    return try builder.records(statement, of: table)
  }

  /// Returns the stored record of a key; nil if there is no row.
  func record(
    _ key: RecordKey, of table: Table, _ builder: RecordBuilder
  ) throws(StoreError) -> Record? {
    var rows = try StoredRows(self, table, expected: 1)
    defer { rows.reset() }
    return try rows.row(key).map { row throws(StoreError) in try builder.record(row, of: table) }
  }
}
