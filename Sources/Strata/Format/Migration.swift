internal import StrataSQLite

/// The stored tables, as a ``MigrationStep`` reads and changes them.
///
/// Tables and columns are given by name, and everything is part of the migration's transaction. The
/// type is not `Sendable`, so an instance cannot leave the step. After the step, every method
/// throws.
///
/// ```swift
/// options.migrations = [
///   MigrationStep(to: 2) { migration in
///     for song in try migration.rows(of: "songs") {
///       let title = try song.value("title", as: String.self)
///       try migration.update(song.key, of: "songs", ["title": title.capitalized.cell])
///     }
///   }
/// ]
/// ```
public final class Migration {
  /// The tables at this point of the migration.
  public private(set) var schema: SchemaDescription
  /// The version that the step leads to.
  public let version: Int

  let connection: Connection
  let meter: ProgressMeter
  private let builder = RecordBuilder()
  private var statements: [String: Statement] = [:]
  /// The tables with search indexes whose rows the step has changed.
  private var unindexed: Set<String> = []
  private(set) var failure: StoreError?

  init(
    _ connection: Connection, _ schema: SchemaDescription, to version: Int, _ meter: ProgressMeter
  ) {
    self.connection = connection
    self.schema = schema
    self.version = version
    self.meter = meter
  }

  /// Throws after the step, after a failed read, and after SQLite has ended the transaction by
  /// itself.
  ///
  /// A step can catch the error with which SQLite ended the transaction. Without this check, SQLite
  /// would then commit each later statement of the step by itself.
  func check() throws(StoreError) {
    if failure == nil {
      do throws(StoreError) { try connection.checkTransaction() } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// Changes the description of the tables, after the tables themselves.
  func describe(_ change: (inout SchemaDescription) -> Void) { change(&schema) }

  /// Runs `body` entirely or not at all.
  ///
  /// A step that catches the error then finds the tables as ``schema`` describes them.
  func atomically(_ body: () throws(StoreError) -> Void) throws(StoreError) {
    try check()
    try connection.atomically(body)
  }

  /// Makes all later calls throw.
  func end() {
    statements = [:]
    failure = failure ?? .migration("the step to version \(version) is over")
  }

  /// Returns the table with a name.
  ///
  /// - Throws: ``StoreError`` with code `migrationFailed` if there is no such table.
  /// - Complexity: O(t) in the number of tables.
  public func table(_ name: String) throws -> SchemaDescription.Table {
    try check()
    guard let table = schema[table: name] else {
      throw StoreError.migration("there is no table \"\(name)\" at this step")
    }
    return table
  }

  private func statement(_ sql: String) throws(StoreError) -> Statement {
    try check()
    if let found = statements[sql] { return found }
    let statement = try connection.prepared(sql)
    statements[sql] = statement
    return statement
  }

  func execute(_ sql: String) throws(StoreError) {
    try check()
    // SQLite compiles statements again that were compiled before the table changed. But no
    // statement may be open during the change, so every statement is reset after each use.
    try connection.run(sql)
  }
}

// MARK: - Reading

extension Migration {
  /// Returns the number of rows of a table.
  ///
  /// - Throws: ``StoreError`` with code `migrationFailed` if there is no such table, or one of
  ///   SQLite's.
  /// - Complexity: O(n) in the number of rows.
  public func count(of table: String) throws -> Int {
    let name = try self.table(table).name.quotedIdentifier
    return Int(try statement("SELECT count(*) FROM \(name)").firstInteger() ?? 0)
  }

  /// Returns the rows of a table one by one, in the order of their row numbers.
  ///
  /// Only one row is in memory at a time. The step may change the table meanwhile. Each row is read
  /// when its turn comes, and deleted rows are skipped. Rows that are inserted after the row that
  /// was last at the beginning are not visited.
  ///
  /// - Throws: ``StoreError`` with code `migrationFailed` if there is no such table or its columns
  ///   are named `rowid`, `_rowid_` and `oid`, or one of SQLite's.
  /// - Complexity: O(log n) for each row.
  public func rows(of table: String) throws -> MigrationRows {
    let table = try self.table(table)
    guard let rowID = table.rowIDName else {
      throw StoreError.migration("table \"\(table.name)\" has columns named rowid, _rowid_ and oid")
    }
    let end =
      try statement("SELECT max(\(rowID)) FROM \(table.name.quotedIdentifier)")
      .first { $0.isNull(0) ? nil : $0.integer(0) } ?? nil
    if meter.isUsed {
      meter.begin(.step(to: version), table.name, total: try count(of: table.name))
    }
    return MigrationRows(migration: self, table: table, last: nil, end: end)
  }

  /// Returns the row with a key; nil if there is no such row.
  ///
  /// - Throws: ``StoreError`` with code `migrationFailed` if there is no such table, or one of
  ///   SQLite's.
  /// - Complexity: O(log n) in the number of rows.
  public func row(_ key: RecordKey, of table: String) throws -> MigrationRow? {
    let table = try self.table(table)
    let statement = try statement(
      "SELECT \(table.sql.columnList) FROM \(table.name.quotedIdentifier) WHERE "
        + "\(table.key.quotedIdentifier) = ?1")
    key.bind(to: statement, at: 1)
    return try statement.first { statement throws(StoreError) in try row(statement, of: table) }
  }

  func row(
    of table: SchemaDescription.Table, after last: Int64?, upTo end: Int64
  ) -> (MigrationRow, Int64)? {
    do throws(StoreError) {
      guard let rowID = table.rowIDName else { return nil }
      let statement = try statement(
        "SELECT \(table.sql.columnList), \(rowID) FROM \(table.name.quotedIdentifier) WHERE "
          + "\(rowID) \(last == nil ? ">=" : ">") ?1 AND \(rowID) <= ?2 ORDER BY \(rowID) LIMIT 1")
      statement.bind(1, last ?? .min)
      statement.bind(2, end)
      let found = try statement.first { statement throws(StoreError) in
        (try row(statement, of: table), statement.integer(Int32(table.columns.count)))
      }
      if found == nil { meter.end() } else { meter.advance() }
      return found
    } catch {
      failure = failure ?? error
      return nil
    }
  }

  private func row(
    _ statement: Statement, of table: SchemaDescription.Table
  ) throws(StoreError) -> MigrationRow {
    do throws(ValueError) {
      return MigrationRow(
        key: RecordKey(statement, 0),
        record: try builder.record(statement, columns: table.columns.count),
        columns: table.ordered.map(\.name), table: table.name)
    } catch {
      throw .migration("\"\(table.name)\" \(RecordKey(statement, 0)): \(error.message)")
    }
  }
}

// MARK: - Words and places

extension Migration {
  /// Fills the search indexes of every table whose rows were changed.
  func fillSearchIndexes() throws(StoreError) {
    for table in schema.tables where unindexed.contains(table.name) {
      for index in table.searchIndexes { try execute(index.fill) }
    }
    unindexed = []
  }

  /// Drops the search indexes of a table that the step changes, and returns the table without them.
  ///
  /// After the steps, the model decides which search indexes the table has.
  func dropSearchIndexes(
    of table: SchemaDescription.Table
  ) throws(StoreError) -> SchemaDescription.Table {
    if table.searchIndexes.isEmpty { return table }
    for index in table.searchIndexes { try execute(index.drop) }
    let changed = table.withoutSearch
    for position in schema.tables.indices where schema.tables[position].name == table.name {
      schema.tables[position] = changed
    }
    return changed
  }
}

// MARK: - Writing

extension Migration {
  /// Inserts a row, in which optional columns without a cell are null.
  ///
  /// - Throws: ``StoreError`` with code `migrationFailed` for an unknown column, a missing required
  ///   column, or a cell of another storage type, and with code `uniquenessViolated` if the key or
  ///   a unique value exists already. Every error refuses the migration unless the step catches it.
  /// - Complexity: O(log n) in the number of rows, for the table and for each index.
  public func insert(_ cells: [String: Cell], into table: String) throws {
    let table = try self.table(table)
    let given = try check(cells, table)
    for column in table.columns where !column.isOptional {
      guard given.contains(where: { $0.column.name == column.name }) else {
        throw StoreError.migration("\"\(table.name)\".\"\(column.name)\" is required")
      }
    }
    let names = given.map(\.column.name.quotedIdentifier).joined(separator: ", ")
    let parameters = given.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
    let statement = try statement(
      "INSERT INTO \(table.name.quotedIdentifier) (\(names)) VALUES (\(parameters))")
    try run(statement, given.map(\.cell), table, cells[table.key])
  }

  /// Changes some cells of a row; does nothing if no row has the key.
  ///
  /// - Throws: the same errors as ``insert(_:into:)``.
  /// - Complexity: O(log n) in the number of rows, for the table and for each index of the cells.
  public func update(
    _ key: RecordKey, of table: String, _ cells: [String: Cell]
  ) throws {
    let table = try self.table(table)
    let given = try check(cells, table)
    if given.isEmpty { return }
    let assignments = given.enumerated().map { "\($1.column.name.quotedIdentifier) = ?\($0 + 1)" }
    let statement = try statement(
      "UPDATE \(table.name.quotedIdentifier) SET \(assignments.joined(separator: ", ")) WHERE "
        + "\(table.key.quotedIdentifier) = ?\(given.count + 1)")
    try run(statement, given.map(\.cell) + [key.cell], table, key.cell)
  }

  /// Deletes a row if it exists, without delete rules.
  ///
  /// - Throws: ``StoreError`` with code `migrationFailed` if there is no such table, or one of
  ///   SQLite's.
  /// - Complexity: O(log n) in the number of rows, for the table and for each index.
  public func delete(_ key: RecordKey, from table: String) throws {
    let table = try self.table(table)
    let statement = try statement(
      "DELETE FROM \(table.name.quotedIdentifier) WHERE \(table.key.quotedIdentifier) = ?1")
    try run(statement, [key.cell], table, key.cell)
  }

  private func check(
    _ cells: [String: Cell], _ table: SchemaDescription.Table
  ) throws(StoreError) -> [(column: SchemaDescription.Column, cell: Cell)] {
    var given: [(column: SchemaDescription.Column, cell: Cell)] = []
    for (name, cell) in cells.sorted(by: { $0.key < $1.key }) {
      guard let column = table[column: name] else {
        throw .migration("table \"\(table.name)\" has no column \"\(name)\"")
      }
      guard column.accepts(cell) else {
        throw .migration("\"\(table.name)\".\"\(name)\" is \(column.shown), not \(cell)")
      }
      given.append((column, cell))
    }
    return given
  }

  private func run(
    _ statement: Statement, _ cells: [Cell], _ table: SchemaDescription.Table, _ key: Cell?
  ) throws(StoreError) {
    if !table.searchIndexes.isEmpty { unindexed.insert(table.name) }
    for (index, cell) in cells.enumerated() { cell.bind(to: statement, at: Int32(index + 1)) }
    let code = statement.runReturningCode()
    if code == ResultCode.done { return }
    let error = statement.error(code)
    var failure = StoreError(error)
    if ResultCode.isUniqueness(code) {
      failure = StoreError(
        .uniquenessViolated,
        "\(table.entity) \(key ?? .null): another row has a value that is to be unique"
          + (error.message.split(separator: ": ").last.map { " (\($0))" } ?? ""),
        advice: "give the row a value of its own", entity: table.entity,
        keys: key.map { [RecordKey($0)] } ?? [])
      failure.sqliteCode = code
    }
    throw failure
  }
}

extension SchemaDescription.Column {
  /// Whether SQLite stores the cell unchanged.
  func accepts(_ cell: Cell) -> Bool {
    switch (cell, storage) {
    case (.integer, .integer), (.text, .text), (.blob, .blob): true
    case (.real(let value), .real): !value.isNaN
    case (.null, _): isOptional
    default: false
    }
  }
}

extension Connection {
  /// Checks that the transaction is still open.
  ///
  /// - Throws: ``StoreError`` with code `migrationFailed` if SQLite ended the transaction. SQLite
  ///   does so by itself when the disk is full, or when a file cannot be read or written.
  func checkTransaction() throws(StoreError) {
    if !isInTransaction {
      throw .migration("SQLite rolled the migration back after an error that was caught")
    }
  }
}
