internal import StrataSQLite

/// The migration of a store's tables to the model's schema, inside the caller's transaction.
///
/// The migration runs in stages, of which stages 2 to 7 carry out the declarations:
/// 1. Run the custom steps.
/// 2. Drop indexes that change.
/// 3. Give tables that are copied or renamed a temporary name, because two tables may swap names.
/// 4. Drop removed tables.
/// 5. Create, alter or copy tables.
/// 6. Create indexes.
/// 7. Check references.
/// 8. Write the new description.
struct Migrator {
  let connection: Connection
  let model: Model
  private let version: Int
  /// Whether the migration is only planned: no statement that changes the store runs.
  let isDry: Bool
  private let meter: ProgressMeter
  private(set) var actions: [MigrationPlan.Action] = []

  init(
    _ connection: Connection, _ model: Model, _ options: StackOptions, isDry: Bool = false
  ) {
    self.connection = connection
    self.model = model
    version = options.schemaVersion
    self.isDry = isDry
    meter = ProgressMeter(options.migrationProgress)
  }

  /// Runs the custom steps, and returns the schema that they leave.
  mutating func run(
    _ steps: [MigrationStep], from stored: SchemaDescription
  ) throws(StoreError) -> SchemaDescription {
    var schema = stored
    for step in steps {
      actions.append(.step(to: step.version))
      meter.begin(.step(to: step.version))
      let migration = Migration(connection, schema, to: step.version, meter)
      defer { migration.end() }
      do {
        try step.body(migration)
        try migration.fillSearchIndexes()
        try migration.check()
      } catch {
        throw .step(to: step.version, error)
      }
      schema = migration.schema
    }
    return schema
  }

  /// Makes the changes of a difference.
  mutating func apply(
    _ difference: SchemaDifference, to stored: SchemaDescription, afterSteps: Bool
  ) throws(StoreError) {
    if let problem = StoreError(difference.problems) { throw problem }
    try checkNames(difference, stored)
    for migration in difference.migrations {
      for index in migration.indexesToDrop {
        try perform(
          .removeIndex(index.columns, table: migration.old?.name ?? "", isUnique: index.isUnique),
          "DROP INDEX \(index.name.quotedIdentifier)")
      }
      try dropSearchIndexes(migration.searchIndexesToDrop, of: migration.old?.name ?? "")
    }
    for (position, migration) in difference.migrations.enumerated() {
      guard let old = migration.old, migration.isCopy || migration.isRenamed else { continue }
      try execute(
        "ALTER TABLE \(old.name.quotedIdentifier) RENAME TO \(aside(position).quotedIdentifier)")
      if !isDry { try GuestTables.rename(old.name, to: aside(position), connection) }
    }
    for table in difference.removed {
      try dropSearchIndexes(table.searchIndexes, of: table.name)
      try perform(
        .removeTable(table.name, rows: try count(table.name)),
        "DROP TABLE \(table.name.quotedIdentifier)")
      if !isDry { try GuestTables.remove(table.name, connection) }
    }
    let layout = HistoryLayout(model)
    for (position, migration) in difference.migrations.enumerated() {
      if migration.old == nil {
        try perform(.createTable(migration.new.name), migration.table.sql.create)
      } else if migration.isCopy {
        try copy(migration, from: aside(position))
      } else {
        try alter(migration, from: aside(position))
      }
      guard let old = migration.old, !isDry else { continue }
      try GuestTables.rename(
        migration.isCopy || migration.isRenamed ? aside(position) : old.name,
        to: migration.new.name,
        columns: migration.renamed, connection)
      try GuestTables.transcode(migration, layout, connection)
    }
    for migration in difference.migrations { try createIndexes(migration) }
    for migration in difference.migrations { try createSearchIndexes(migration) }
    try checkReferences(difference, afterSteps: afterSteps)
  }

  private func aside(_ position: Int) -> String { "strata_old_\(position)" }

  /// Checks that no unknown table has a name that a table or a search index is to get.
  ///
  /// - Throws: ``StoreError`` with code `schemaMismatch` if there is such a table.
  private func checkNames(
    _ difference: SchemaDifference, _ stored: SchemaDescription
  ) throws(StoreError) {
    let created = difference.migrations.filter { $0.old?.name != $0.new.name }.map(\.new.name)
    let search = difference.migrations.flatMap(\.searchIndexesToCreate)
    if created.isEmpty && search.isEmpty { return }
    let tables = try StoredTables(connection)
    let known = Set(
      stored.tables.flatMap(\.searchIndexes).flatMap { [$0.name] + $0.storage }.map(\.folded))
    for name in search.flatMap({ [$0.name] + $0.storage })
    where !known.contains(name.folded) && tables.contains(name) {
      throw StoreError(
        .schemaMismatch,
        "the file has a table \"\(name)\" that Strata did not make, where a search index goes",
        advice: "remove it with an SQLite shell")
    }
    for name in created where stored[table: name] == nil && tables.contains(name) {
      throw StoreError(
        .schemaMismatch,
        "the file has a table \"\(name)\" that the store's schema does not know",
        advice: "remove it with an SQLite shell, or give the entity's table another name")
    }
  }

  // MARK: - Tables

  /// Makes the changes that SQLite can make in place.
  private mutating func alter(_ migration: TableMigration, from aside: String) throws(StoreError) {
    guard let old = migration.old else { return }
    let table = migration.new.name.quotedIdentifier
    if migration.isRenamed {
      try perform(
        .renameTable(old.name, to: migration.new.name),
        "ALTER TABLE \(aside.quotedIdentifier) RENAME TO \(table)")
    }
    // Columns get temporary names first, because two columns may swap names.
    let renamed = migration.renamed
    for (position, column) in renamed.enumerated() {
      try execute(
        "ALTER TABLE \(table) RENAME COLUMN \(column.from.quotedIdentifier) TO strata_\(position)")
    }
    for (position, column) in renamed.enumerated() {
      try perform(
        .renameColumn(column.from, to: column.to, table: migration.new.name),
        "ALTER TABLE \(table) RENAME COLUMN strata_\(position) TO \(column.to.quotedIdentifier)")
    }
    for column in migration.added {
      try perform(
        .addColumn(column.name, table: migration.new.name),
        "ALTER TABLE \(table) ADD COLUMN \(column.name.quotedIdentifier) "
          + column.storage.rawValue)
    }
  }

  private mutating func copy(_ migration: TableMigration, from aside: String) throws(StoreError) {
    guard let old = migration.old else { return }
    let name = migration.new.name
    let rows = try count(isDry ? old.name : aside)
    if migration.isRenamed { actions.append(.renameTable(old.name, to: name)) }
    for column in migration.renamed {
      actions.append(.renameColumn(column.from, to: column.to, table: name))
    }
    for column in migration.added { actions.append(.addColumn(column.name, table: name)) }
    for column in migration.changed { actions.append(.changeColumn(column.name, table: name)) }
    for column in migration.removed { actions.append(.removeColumn(column, table: name)) }
    if migration.hasNewKey { actions.append(.changeKey(migration.new.key, table: name)) }
    actions.append(.copyRows(rows, table: name))
    if isDry { return }
    try execute(migration.table.sql.create)
    meter.begin(.copying, name, total: rows)
    try TableCopy(
      connection: connection, old: old, oldName: aside, new: migration.new,
      sources: migration.cellSources(old), meter: meter
    ).run()
    try execute("DROP TABLE \(aside.quotedIdentifier)")
  }

  // MARK: - Indexes

  private mutating func createIndexes(_ migration: TableMigration) throws(StoreError) {
    let indexes = migration.indexesToCreate
    if indexes.isEmpty { return }
    meter.begin(.indexing, migration.new.name, total: indexes.count)
    for index in indexes {
      actions.append(
        .createIndex(index.columns, table: migration.new.name, isUnique: index.isUnique))
      if isDry { continue }
      do throws(StoreError) { try connection.run(index.create) } catch {
        throw try duplicates(index, migration.table) ?? error
      }
      meter.finishOne()
    }
  }

  /// Returns the error for two rows with the same values, which prevent a unique index.
  ///
  /// The result is nil if there are no such rows.
  private func duplicates(_ index: TableIndex, _ table: Table) throws(StoreError) -> StoreError? {
    let names = index.columns.map(\.quotedIdentifier)
    let key = table.columns[Table.keyColumn].name.quotedIdentifier
    let list = names.joined(separator: ", ")
    let condition = names.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
    let statement = try connection.prepared(
      "SELECT min(\(key)), max(\(key)), \(list) FROM \(table.name.quotedIdentifier) "
        + "WHERE \(condition) GROUP BY \(list) HAVING count(*) > 1 LIMIT 1")
    let found = try statement.first { row -> (keys: [RecordKey], values: [String]) in
      let values = index.columns.enumerated().map { "\($1) \(Cell(row, Int32($0 + 2)))" }
      return ([RecordKey(row, 0), RecordKey(row, 1)], values)
    }
    guard let (keys, values) = found else { return nil }
    return StoreError(
      .uniquenessViolated,
      "\(table.entity) \(keys[0]) and \(keys[1]) have the same "
        + values.joined(separator: " and ") + ", which is to be unique",
      advice: "merge or change them in a MigrationStep", entity: table.entity,
      attributes: index.columns, keys: keys)
  }

  // MARK: - Words and places

  private mutating func dropSearchIndexes(
    _ indexes: [SearchIndex], of table: String
  ) throws(StoreError) {
    for index in indexes {
      try perform(.removeSearchIndex(index.columns, table: table), index.drop)
    }
  }

  private mutating func createSearchIndexes(_ migration: TableMigration) throws(StoreError) {
    let indexes = migration.searchIndexesToCreate
    if indexes.isEmpty { return }
    meter.begin(.indexing, migration.new.name, total: indexes.count)
    for index in indexes {
      try perform(
        .createSearchIndex(index.columns, table: migration.new.name),
        "\(index.create); \(index.fill)")
      meter.finishOne()
    }
  }

  // MARK: - References

  private mutating func checkReferences(
    _ difference: SchemaDifference, afterSteps: Bool
  ) throws(StoreError) {
    let touched = Set(
      difference.migrations.filter { $0.isCopy || $0.old == nil }.map(\.new.name))
    for table in model.tables {
      let migration = difference.migrations.first { $0.table.id == table.id }
      // A new table has no rows.
      if migration != nil && migration?.old == nil { continue }
      for reference in table.references where reference.isRequired {
        let target = model[reference.target]
        let name = table.columns[reference.column].name
        guard
          afterSteps || touched.contains(table.name) || touched.contains(target.name)
            || difference.newReferences.contains("\(table.name).\(name)")
        else { continue }
        actions.append(.checkReferences(name, table: table.name))
        if isDry { continue }
        meter.begin(.checking, table.name)
        if let error = try missing(reference, of: table, target) { throw error }
        meter.end()
      }
    }
  }

  private func missing(
    _ reference: Reference, of table: Table, _ target: Table
  ) throws(StoreError) -> StoreError? {
    let column = table.columns[reference.column].name
    let keys = try connection.prepared(
      "SELECT \(table.columns[Table.keyColumn].name.quotedIdentifier), "
        + "\(column.quotedIdentifier) FROM \(table.name.quotedIdentifier) AS referring WHERE NOT "
        + "EXISTS (SELECT 1 FROM \(target.name.quotedIdentifier) AS target WHERE target."
        + "\(target.columns[Table.keyColumn].name.quotedIdentifier) = referring."
        + "\(column.quotedIdentifier)) LIMIT 1"
    ).first { (RecordKey($0, 0), RecordKey($0, 1)) }
    guard let (key, other) = keys else { return nil }
    return StoreError(
      .missingReference,
      "after the migration \(table.attributeName(reference.column)) of \(key) would refer to "
        + "\(target.entity) \(other), which does not exist",
      advice: "insert the target or change the reference in a MigrationStep",
      entity: table.entity, attributes: [column], keys: [key, other])
  }

  // MARK: - Description

  /// Writes the model's description, and counts the migration as a commit.
  mutating func record() throws(StoreError) {
    actions.append(.record(version: version))
    if isDry { return }
    // The table is created again even if no other table changed. This changes the file's schema
    // cookie, by which other processes notice that their view of the store is out of date.
    try connection.run("DROP TABLE strata_schema")
    try StoreFormat.record(
      connection, model.description(version: version), fingerprint: model.fingerprint)
    try ValidatorTable.note(.migration, connection)
    try WaitingLinkTable.removeAll(connection)
    try connection.run("UPDATE strata_commit SET number = number + 1")
  }

  // MARK: -

  private mutating func perform(
    _ action: MigrationPlan.Action, _ sql: String
  ) throws(StoreError) {
    actions.append(action)
    try execute(sql)
  }

  private func execute(_ sql: String) throws(StoreError) {
    if !isDry { try connection.run(sql) }
  }

  private func count(_ table: String) throws(StoreError) -> Int {
    let count = "SELECT count(*) FROM \(table.quotedIdentifier)"
    return Int(try connection.prepared(count).firstInteger() ?? 0)
  }
}

extension TableMigration {
  /// Returns the source of each cell of a copied row.
  func cellSources(_ old: SchemaDescription.Table) -> [TableCopy.CellSource] {
    var rowPosition = 0.0
    return sources.enumerated().map { position, source in
      switch source {
      case .column(let name): .column(old.position(of: name) ?? 0)
      case .converted(let name, let conversion):
        .converted(old.position(of: name) ?? 0) { cell in try conversion(cell) }
      case .value(let cell): .made { () throws(ValueError) in cell }
      case .newEntity:
        .made { () throws(ValueError) in try table.evolution.value(for: position) }
      case .rowPosition:
        .made { () throws(ValueError) in
          rowPosition += 1
          return .real(rowPosition)
        }
      case .linkKey:
        .computed { [sources] record in
          let ends = try [JoinTable.owner, JoinTable.target].map { end -> Cell in
            switch sources[end] {
            case .converted(let name, let conversion):
              try conversion(record[old.position(of: name) ?? end])
            case .column(let name): record[old.position(of: name) ?? end]
            case .value, .newEntity, .linkKey, .rowPosition: .null
            }
          }
          return try JoinTable.key(ends[0], ends[1])
        }
      }
    }
  }
}

extension StoreError {
  /// Creates a single error for all problems, with a line and a remedy for each; nil if there are no
  /// problems.
  init?(_ problems: [StoreError]) {
    guard let first = problems.first else { return nil }
    if problems.count == 1 {
      self = first
      return
    }
    self.init(
      first.code,
      "the store differs from the schemas in \(problems.count) places\n"
        + problems.map { "  \($0.message) → \($0.advice)" }.joined(separator: "\n"),
      advice: "do in the schemas what the lines say; Stack.plan prints what opening would do",
      entity: first.entity, attributes: first.attributes, keys: first.keys)
  }
}
