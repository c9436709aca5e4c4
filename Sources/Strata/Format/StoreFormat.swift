internal import StrataSQLite

/// Strata's own tables, and the checks when a store is opened.
enum StoreFormat {
  /// The text "Stra" as a number, which tells a Strata store from any other SQLite file.
  static let applicationID: Int64 = 0x5374_7261
  /// The version of the format of Strata's own tables.
  static let version: Int64 = 8

  /// Creates the tables in an empty file, or migrates the store to the model's schema.
  ///
  /// All changes are made in one transaction, so a failure leaves the file as it was. A store that
  /// is up to date is only read, apart from indexes that an import has deferred. So such a store
  /// opens while another process writes.
  ///
  /// - Returns: the migration that was performed.
  static func prepare(
    _ connection: Connection, _ options: StoreOptions
  ) throws(StoreError) -> MigrationPlan {
    let (model, version) = (options.model, options.settings.schemaVersion)
    try options.settings.checkSteps()
    try checkModules(connection, model)
    if options.isReadOnly {
      let stored = try readableVersion(connection, options)
      return MigrationPlan(from: stored, to: stored)
    }
    if try isUpToDate(connection, options) {
      makeDeferredIndexes(connection, options)
      return MigrationPlan(from: version, to: version)
    }
    let written = try LogTie.writeBack(connection)
    try connection.run("BEGIN IMMEDIATE")
    do throws(StoreError) {
      let start = ContinuousClock.now
      let plan: MigrationPlan
      if try isEmptyFile(connection) {
        try create(
          connection, at: options.path, model.description(version: version),
          fingerprint: model.fingerprint)
        plan = model.creation(version: version)
      } else {
        plan = try migrate(connection, model, options.settings)
        // The migration begins a session, because no copy of the store has its log.
        if !plan.actions.isEmpty, case .all(let version) = written {
          _ = try LogTie.mark(connection, at: options.path, ifVersionIs: version)
        }
      }
      try connection.checkTransaction()
      try connection.run("COMMIT")
      if !plan.actions.isEmpty && !options.isTemporary {
        _ = try? connection.checkpointPassively()
      }
      if plan.storedVersion != nil && !plan.actions.isEmpty {
        options.log.note(.migrated(plan, duration: start.duration(to: .now)))
      }
      return plan
    } catch {
      if connection.isInTransaction { try? connection.run("ROLLBACK") }
      throw error
    }
  }

  /// Begins a session before opening makes an index.
  private static func tieLog(
    _ connection: Connection, _ options: StoreOptions
  ) throws(StoreError) {
    if options.isTemporary { return }
    if case .begun = try LogTie.begin(connection, at: options.path) {
      _ = try? connection.checkpointPassively()
    }
  }

  /// Makes the indexes that an import deferred before its process was killed.
  ///
  /// Errors are ignored, because the indexes only make reading faster. For example, the import's
  /// process may still run and have the lock, or the disk may be full. The next opening then makes
  /// the indexes, or a transaction that is about to delete rows.
  private static func makeDeferredIndexes(_ connection: Connection, _ options: StoreOptions) {
    connection.setWaitsForLocks(false)
    defer { connection.setWaitsForLocks(true) }
    guard (try? DeferredIndexes.exist(connection)) == true,
      (try? tieLog(connection, options)) != nil
    else { return }
    let start = ContinuousClock.now
    let meter = ProgressMeter(options.settings.migrationProgress)
    let count = (try? DeferredIndexes.makeAll(connection, meter)) ?? 0
    if count > 0 {
      options.log.note(.builtDeferredIndexes(count: count, duration: start.duration(to: .now)))
    }
  }

  /// Returns whether the file is empty; if not, it is a Strata store.
  ///
  /// - Throws: ``StoreError`` with code `notADatabase` if the file is another program's.
  static func isEmptyFile(_ connection: Connection) throws(StoreError) -> Bool {
    switch (
      try connection.prepared("PRAGMA application_id").firstInteger() ?? 0,
      try connection.prepared("SELECT count(*) FROM sqlite_schema").firstInteger() ?? 0
    ) {
    case (0, 0): return true
    case (applicationID, _): return false
    default:
      throw StoreError(
        .notADatabase, "the file is an SQLite database of another program",
        advice: "open another file")
    }
  }

  /// Creates a store with the described tables in an empty file at a path.
  static func create(
    _ connection: Connection, at path: String, _ description: SchemaDescription,
    fingerprint: Int64 = 0
  ) throws(StoreError) {
    try connection.run("PRAGMA application_id = \(applicationID)")
    try connection.run("PRAGMA user_version = \(version)")
    try StoredCommit.create(connection, at: path)
    for table in description.tables {
      try connection.run(table.sql.create)
      for index in table.indexes { try connection.run(index.create) }
      for index in table.searchIndexes { try connection.run(index.create) }
    }
    try record(connection, description, fingerprint: fingerprint)
    try GuestTables.create(connection)
  }

  /// Returns a number that changes when a table is created, altered or dropped.
  ///
  /// A table that is created again with the same text does not change the number. Indexes that are
  /// not unique do not count, because imports drop and make them.
  static func tablesHash(_ connection: Connection) throws(StoreError) -> Int {
    var hasher = Hasher()
    try connection.prepared(
      "SELECT name, sql FROM sqlite_schema WHERE name <> '\(DeferredIndexes.table)' "
        + "AND NOT (type = 'index' AND sql LIKE 'CREATE INDEX%') ORDER BY name"
    ).forEach { row in
      hasher.combine(bytes: row.text(0))
      hasher.combine(bytes: row.text(1))
      hasher.combine(0 as UInt8)
    }
    return hasher.finalize()
  }

  /// Checks that SQLite has the modules that the model's search indexes need.
  ///
  /// SQLite may be compiled without them.
  private static func checkModules(
    _ connection: Connection, _ model: Model
  ) throws(StoreError) {
    for table in model.tables {
      for index in table.search?.indexes ?? [] {
        try check(index.module.rawValue, connection, index, table)
      }
    }
  }

  static func check(
    _ module: String, _ connection: Connection, _ index: SearchIndex, _ table: Table
  ) throws(StoreError) {
    let modules = "SELECT 1 FROM pragma_module_list WHERE name = ?1"
    if try connection.prepared(modules, .text(module)).hasRow() { return }
    throw StoreError(
      .missingModule,
      "\(table.entity) has a \(index.module.noun), but this SQLite was compiled without \(module)",
      advice: "link an SQLite that has it", entity: table.entity, attributes: index.columns)
  }
}
