internal import StrataSQLite

/// The content of `sqlite_schema`, read with one query.
struct StoredTables {
  struct Entry {
    let type: String
    let name: String
    let table: [UInt8]
    let sql: String
  }

  /// Tables and views by folded name.
  private var tables: [[UInt8]: Entry] = [:]
  /// Indexes and triggers by the folded name of their table.
  private var attached: [[UInt8]: [Entry]] = [:]

  init(_ connection: Connection) throws(StoreError) {
    let rows = try connection.prepared("SELECT type, name, tbl_name, sql FROM sqlite_schema")
    try rows.forEach { row in
      // Indexes that SQLite makes for primary keys have no text.
      if row.isNull(3) { return }
      let entry = Entry(
        type: row.string(0), name: row.string(1), table: row.string(2).folded, sql: row.string(3))
      if entry.type == "index" || entry.type == "trigger" {
        attached[entry.table, default: []].append(entry)
      } else {
        tables[entry.name.folded] = entry
      }
    }
    try addDeferredIndexes(connection)
  }

  /// Adds the indexes that an import has put off.
  ///
  /// The import still runs, or its process was killed. A migration makes these indexes before it
  /// changes anything else.
  private mutating func addDeferredIndexes(_ connection: Connection) throws(StoreError) {
    guard contains(DeferredIndexes.table) else { return }
    try connection.prepared(
      "SELECT name, tableName, statement FROM \(DeferredIndexes.table)"
    ).forEach { row in
      let entry = Entry(
        type: "index", name: row.string(0), table: row.string(1).folded, sql: row.string(2))
      attached[entry.table, default: []].append(entry)
    }
  }

  /// Whether the file has a table or a view of that name.
  func contains(_ name: String) -> Bool { tables[name.folded] != nil }

  /// Whether a search index is as it was created, with all tables that its module needs.
  func isWhole(_ index: SearchIndex) -> Bool {
    sql(ofTable: index.name) == index.create && index.storage.allSatisfy(contains)
  }

  /// Returns the statement that made a table.
  func sql(ofTable name: String) -> String? { tables[name.folded]?.sql }

  /// Returns the statements that made a table's indexes, and its triggers except the framework's.
  func attachedSQL(ofTable name: String) -> [String] {
    (attached[name.folded] ?? []).filter { $0.type == "index" || !$0.name.hasPrefix("strata_") }
      .map(\.sql)
  }

  /// Returns all changes that were made outside Strata; empty if the tables are as described.
  ///
  /// Tables that are not described do not count. Triggers and indexes on described tables count,
  /// because they change the effect of a save. Triggers named `strata_…` belong to the framework.
  func drift(from description: SchemaDescription) -> [String] {
    description.tables.flatMap(drift)
  }

  private func drift(of table: SchemaDescription.Table) -> [String] {
    guard let entry = tables[table.name.folded] else {
      return ["table \"\(table.name)\" was removed"]
    }
    var differences: [String] = []
    let create = table.sql.create
    if entry.sql != create {
      differences += difference(CreateStatement(entry.sql), CreateStatement(create), table)
    }
    var found: [[UInt8]: Entry] = [:]
    for entry in attached[table.name.folded] ?? [] { found[entry.name.folded] = entry }
    for index in table.indexes {
      let what = "(\(index.columns.joined(separator: ", "))) of table \"\(table.name)\""
      guard let entry = found.removeValue(forKey: index.name.folded) else {
        differences.append("the index on \(what) was dropped (it was made by: \(index.create))")
        continue
      }
      if entry.sql != index.create && CreateStatement(entry.sql) != CreateStatement(index.create) {
        differences.append("the index on \(what) was altered to: \(entry.sql)")
      }
    }
    for index in table.searchIndexes where !isWhole(index) {
      let what = "(\(index.columns.joined(separator: ", "))) of table \"\(table.name)\""
      let change = contains(index.name) ? "altered" : "dropped"
      differences.append(
        "the \(index.module.noun) on \(what) was \(change) (it was made by: \(index.create))")
    }
    for entry in found.values.sorted(by: { $0.name < $1.name })
    where entry.type == "index" || !entry.name.hasPrefix("strata_") {
      differences.append("\(entry.type) \"\(entry.name)\" was added to table \"\(table.name)\"")
    }
    return differences
  }

  private func difference(
    _ actual: CreateStatement, _ expected: CreateStatement, _ table: SchemaDescription.Table
  ) -> [String] {
    var differences: [String] = []
    let ofTable = "of table \"\(table.name)\""
    for part in expected.parts {
      switch actual.definition(of: part.name) {
      case nil: differences.append("column \"\(part.name)\" \(ofTable) was removed")
      case part.definition: break
      case let other?:
        differences.append(
          "column \"\(part.name)\" \(ofTable) was altered from \(part.definition.shown) to "
            + other.shown)
      }
    }
    for part in actual.parts where expected.definition(of: part.name) == nil {
      differences.append("column \"\(part.name)\" \(ofTable) was added")
    }
    if differences.isEmpty && (actual.head != expected.head || actual.tail != expected.tail) {
      differences.append("table \"\(table.name)\" was made anew as another kind of table")
    }
    return differences
  }
}

extension [String] {
  fileprivate var shown: String { isEmpty ? "nothing" : joined(separator: " ").uppercased() }
}

extension StoreError {
  /// Returns the error for tables that were altered outside Strata.
  static func drift(_ differences: [String]) -> StoreError {
    StoreError(
      .schemaMismatch,
      "the store's tables were altered outside Strata"
        + (differences.count == 1
          ? ": \(differences[0])" : differences.map { "\n  \($0)" }.joined()),
      advice: "undo it with an SQLite shell, or restore the file from a copy")
  }
}
