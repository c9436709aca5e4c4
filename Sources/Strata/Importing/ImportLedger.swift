internal import StrataSQLite

/// The notes of an import about more rows than memory should hold.
///
/// The ledger has the rows that the feed may lack, the links, and the rows that are staged until
/// the feed is read. It is a private database in a temporary file without a name. So nothing is
/// left behind, even if the process is killed.
package actor ImportLedger {
  private nonisolated let executor = StoreExecutor("strata.import")
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  private var opened: Connection?
  /// The sets of attributes, by their number in a staged row; a feed has few different sets.
  private var attributeSets: [AttributeSet] = []
  private var attributeNumbers: [AttributeSet: Int64] = [:]
  /// The relationships of the kept links, by their number in a row.
  private(set) var relationships: [Int64: ImportLinks] = [:]
  /// The tables of the staged rows.
  private var stagedTables: Set<TableID> = []
  /// Whether a staged row is a deletion.
  private var stagesDeletions = false

  private static let stage = SQL("INSERT INTO staged VALUES (NULL, ?1, ?2, ?3)")
  private static let staged = SQL(
    "SELECT number, tableIndex, attributes, content FROM staged WHERE number > ?1 ORDER BY number "
      + "LIMIT ?2")

  package init() {}

  /// Notes a relationship of which links are kept.
  func keep(_ links: ImportLinks) { relationships[links.number] = links }

  var connection: Connection {
    get throws(StoreError) {
      if let opened { return opened }
      let connection = try Connection.open(.temporary)
      try connection.run(
        "CREATE TABLE noted (tableIndex INTEGER, key, hash INTEGER, isAbsent INTEGER, "
          + "PRIMARY KEY (tableIndex, key)) WITHOUT ROWID")
      try connection.run(
        "CREATE TABLE staged (number INTEGER PRIMARY KEY, tableIndex INTEGER, attributes INTEGER, "
          + "content)")
      try connection.run(
        "CREATE TABLE linked (relationship INTEGER, owner, ordinal INTEGER, target, "
          + "PRIMARY KEY (relationship, owner, ordinal)) WITHOUT ROWID")
      opened = connection
      return connection
    }
  }

  /// Runs several changes in one transaction of the ledger.
  func inTransaction(
    _ body: (Connection) throws(StoreError) -> Void
  ) throws(StoreError) {
    let connection = try connection
    try connection.run("BEGIN")
    try body(connection)
    try connection.run("COMMIT")
  }

  /// Runs `body` on the ledger's executor and waits for it.
  ///
  /// Only the threads of SQLite's connections call this, because they may block.
  nonisolated func now<R: Sendable>(
    _ body: @Sendable (isolated ImportLedger) throws(StoreError) -> R
  ) throws(StoreError) -> R {
    let result: Result<R, StoreError> = executor.sync {
      assumeIsolated { ledger in
        do throws(StoreError) { return .success(try body(ledger)) } catch {
          return .failure(error)
        }
      }
    }
    return try result.get()
  }

  // MARK: Staged rows

  /// Stages a batch, after the batches that were staged before.
  package func stage(_ batch: RecordBatch) throws(StoreError) {
    let numbers = batch.layer.tables.mapValues { $0.map { number(of: $0.change) } }
    try inTransaction { connection throws(StoreError) in
      let statement = try connection.prepared(Self.stage)
      for (table, changes) in batch.layer.tables {
        stagedTables.insert(table)
        for ((key, change), number) in zip(changes, numbers[table] ?? []) {
          statement.bind(1, Int64(table.index))
          statement.bind(2, number)
          stagesDeletions = stagesDeletions || number == Self.deletion
          try run(statement, change, key)
        }
      }
    }
  }

  private func run(
    _ statement: Statement, _ change: LayerChange, _ key: RecordKey
  ) throws(StoreError) {
    guard let record = change.applied(to: nil) else {
      key.bind(to: statement, at: 3)
      return try statement.perform()
    }
    let result = record.withBytes { bytes -> Result<Void, StoreError> in
      // A record is never empty: it begins with its number of cells.
      guard let base = bytes.baseAddress else { return .success(()) }
      statement.bindStaticBlob(3, base, bytes.count)
      do throws(StoreError) { return .success(try statement.perform()) } catch {
        return .failure(error)
      }
    }
    try result.get()
  }

  private static let deletion: Int64 = -1
  private static let everyAttribute: Int64 = -2

  /// Returns the number that a staged row has for its change: a set of attributes or a constant.
  private func number(of change: LayerChange) -> Int64 {
    switch change {
    case .known(let change): return change.after == nil ? Self.deletion : Self.everyAttribute
    case .blind(.set(nil)): return Self.deletion
    case .blind(.set): return Self.everyAttribute
    case .blind(.patch(let attributes, _)):
      if let known = attributeNumbers[attributes] { return known }
      let number = Int64(attributeSets.count)
      attributeSets.append(attributes)
      attributeNumbers[attributes] = number
      return number
    }
  }

  /// The tables that only get rows; empty if a deletion is staged.
  ///
  /// Their indexes are not read before all rows are there.
  nonisolated var tablesToFill: Set<TableID> {
    get throws(StoreError) {
      try now { ledger throws(StoreError) in ledger.stagesDeletions ? [] : ledger.stagedTables }
    }
  }

  /// Returns the rows that were staged after the row `last`, and the number of the last of them.
  func staged(
    after last: Int64, limit: Int
  ) throws(StoreError) -> (layer: Layer, last: Int64, count: Int) {
    var layer = Layer()
    var last = last
    var count = 0
    let rows = try connection.prepared(Self.staged, .integer(last), .integer(Int64(limit)))
    defer { rows.reset() }
    while try rows.next() {
      last = rows.integer(0)
      count += 1
      let table = TableID(index: Int(rows.integer(1)))
      let number = rows.integer(2)
      if number == Self.deletion {
        layer.compose(.blind(.set(nil)), table, RecordKey(rows, 3))
        continue
      }
      let record = Record(copying: rows.blob(3))
      let change: BlindChange =
        number == Self.everyAttribute
        ? .set(record) : .patch(attributeSets[Int(number)], onInsert: record)
      layer.compose(.blind(change), table, record.key(Table.keyColumn))
    }
    return (layer, last, count)
  }
}
