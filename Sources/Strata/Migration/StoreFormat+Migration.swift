internal import StrataSQLite

extension StoreFormat {
  /// Creates the framework's table for the schema and writes the description.
  ///
  /// - Parameter fingerprint: that of the model which was described; any other number if there was
  ///   no model.
  static func record(
    _ connection: Connection, _ description: SchemaDescription, fingerprint: Int64
  ) throws(SQLiteError) {
    try connection.execute(
      "CREATE TABLE strata_schema (version INTEGER NOT NULL, description TEXT NOT NULL, "
        + "fingerprint INTEGER NOT NULL)")
    let schema = try connection.prepare(
      "INSERT INTO strata_schema (version, description, fingerprint) VALUES (?1, ?2, ?3)")
    schema.bind(3, fingerprint)
    schema.bind(1, Int64(description.version))
    schema.bind(2, description.compactJSON)
    try schema.run()
  }

  /// Checks an existing store and migrates it if it has to be.
  ///
  /// The difference of the descriptions decides what happens, not the version: nobody counts
  /// versions while developing. The version refuses newer stores and selects the custom steps.
  ///
  /// - Parameter isDry: whether only to say what would happen. Custom steps are then not run; the
  ///   caller runs them on a copy.
  static func migrate(
    _ connection: Connection, _ model: Model, version: Int, _ options: MigrationOptions,
    isDry: Bool = false
  ) throws(StoreError) -> MigrationPlan {
    let tables = try StoredTables(connection)
    if try isCurrent(connection, model, version: version, tables) {
      return MigrationPlan(from: version, to: version)
    }
    let stored = try storedSchema(connection, version: version)
    let drift = tables.drift(from: stored)
    if !drift.isEmpty { throw .drift(drift) }
    let steps = options.steps(after: stored.version)
    var migrator = Migrator(connection, model, version: version, options, isDry: isDry)
    let left = try migrator.run(isDry ? [] : steps, from: stored)
    let difference = SchemaDifference(from: left, to: model, removedTables: options.removedTables)
    if isDry && !difference.problems.isEmpty {
      return MigrationPlan(from: stored.version, to: version, problems: difference.problems)
    }
    if steps.isEmpty && difference.isEmpty && stored.version == version {
      try update(connection, stored, model, version, isDry: isDry)
      return MigrationPlan(from: stored.version, to: version)
    }
    try migrator.apply(difference, to: left, afterSteps: !steps.isEmpty)
    try migrator.record()
    return MigrationPlan(from: stored.version, to: version, migrator.actions)
  }

  /// Whether a store is so obviously of today's schema that nothing needs to be compared.
  private static func isCurrent(
    _ connection: Connection, _ model: Model, version: Int, _ tables: StoredTables
  ) throws(StoreError) -> Bool {
    do throws(SQLiteError) {
      guard try connection.integer("PRAGMA user_version") == Self.version else { return false }
      let row = try connection.prepare("SELECT version, fingerprint FROM strata_schema")
      defer { row.reset() }
      guard try row.step(), row.integer(0) == Int64(version),
        row.integer(1) == model.fingerprint
      else { return false }
    } catch {
      throw StoreError(error)
    }
    return tables.areWritten(as: model)
  }

  /// The description in a store that this program may open.
  static func storedSchema(
    _ connection: Connection, version: Int
  ) throws(StoreError) -> SchemaDescription {
    let format = try translatingErrors { () throws(SQLiteError) in
      try connection.integer("PRAGMA user_version") ?? 0
    }
    let stored =
      format > Self.version
      ? 0
      : try translatingErrors { () throws(SQLiteError) in
        try connection.integer("SELECT version FROM strata_schema") ?? 0
      }
    if format > Self.version || stored > Int64(version) {
      throw StoreError(
        .newerStore,
        format > Self.version
          ? "the store has format \(format); this version of Strata knows \(Self.version)"
          : "the store has schema version \(stored); this program knows \(version)",
        advice: "update the program")
    }
    let text = try translatingErrors { () throws(SQLiteError) in
      try connection.text("SELECT description FROM strata_schema") ?? ""
    }
    var description = try SchemaDescription(json: text)
    description.version = Int(stored)
    return description
  }

  /// Brings what only the program knows up to date: type names, former names, references.
  ///
  /// No table changes, so nobody needs to be told.
  private static func update(
    _ connection: Connection, _ stored: SchemaDescription, _ model: Model, _ version: Int,
    isDry: Bool
  ) throws(StoreError) {
    let today = model.description(version: version)
    let fingerprint = model.fingerprint
    if isDry { return }
    try translatingErrors { () throws(SQLiteError) in
      let known = try connection.integer("SELECT fingerprint FROM strata_schema")
      if stored == today && known == fingerprint { return }
      let statement = try connection.prepare(
        "UPDATE strata_schema SET description = ?1, fingerprint = ?2")
      statement.bind(1, today.compactJSON)
      statement.bind(2, fingerprint)
      try statement.run()
    }
  }
}
