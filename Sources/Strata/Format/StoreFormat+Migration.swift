internal import StrataSQLite

extension StoreFormat {
  /// Creates the table `strata_schema`, and writes the description to it.
  ///
  /// - Parameter fingerprint: the fingerprint of the described model; any other number if the
  ///   description is not of a model.
  static func record(
    _ connection: Connection, _ description: SchemaDescription, fingerprint: Int64
  ) throws(StoreError) {
    try connection.run(
      "CREATE TABLE strata_schema (version INTEGER NOT NULL, description TEXT NOT NULL, "
        + "fingerprint INTEGER NOT NULL)")
    try connection.prepared(
      "INSERT INTO strata_schema (version, description, fingerprint) VALUES (?1, ?2, ?3)",
      .integer(Int64(description.version)), .text(description.compactJSON), .integer(fingerprint)
    ).perform()
  }

  /// Checks an existing store, and migrates it if necessary.
  ///
  /// The changes follow from the difference between the descriptions. They do not follow from the
  /// versions, because developers do not raise the version for every change. The version only
  /// refuses newer stores and selects the custom steps.
  ///
  /// - Parameter isDry: whether the migration is only planned, and the store stays as it is. Custom
  ///   steps then do not run; the caller runs them on a copy.
  static func migrate(
    _ connection: Connection, _ model: Model, _ options: StackOptions, isDry: Bool = false
  ) throws(StoreError) -> MigrationPlan {
    let version = options.schemaVersion
    if !isDry {
      // A migration that drops an index expects the index to exist.
      while try DeferredIndexes.makeNext(connection) {}
    }
    let tables = try StoredTables(connection)
    if try isCurrent(connection, model, version: version, tables) {
      return MigrationPlan(from: version, to: version)
    }
    let stored = try storedSchema(connection, version: version)
    let drift = tables.drift(from: stored)
    if !drift.isEmpty { throw .drift(drift) }
    let steps = options.steps(after: stored.version)
    var migrator = Migrator(connection, model, options, isDry: isDry)
    let left = try migrator.run(isDry ? [] : steps, from: stored)
    let difference = SchemaDifference(from: left, to: model, removedTables: options.removedTables)
    if isDry && !difference.problems.isEmpty {
      return MigrationPlan(from: stored.version, to: version, problems: difference.problems)
    }
    if steps.isEmpty && difference.isEmpty && stored.version == version {
      try update(connection, stored, model, version, isDry: isDry)
      return MigrationPlan(from: stored.version, to: version)
    }
    try connection.checkTransaction()
    try migrator.apply(difference, to: left, afterSteps: !steps.isEmpty)
    try connection.checkTransaction()
    try migrator.record()
    return MigrationPlan(from: stored.version, to: version, migrator.actions)
  }

  /// Returns whether the store has the program's schema, without comparing descriptions.
  ///
  /// The result may be false although the schemas are equal. The descriptions then decide.
  private static func isCurrent(
    _ connection: Connection, _ model: Model, version: Int, _ tables: StoredTables
  ) throws(StoreError) -> Bool {
    guard try hasFingerprint(connection, of: model, version: version) else { return false }
    return tables.areWritten(as: model)
  }

  /// Returns whether the store describes its tables as those of a program.
  ///
  /// The tables themselves are not compared.
  static func isDescribed(
    _ connection: Connection, by program: StoreOptions
  ) throws(StoreError) -> Bool {
    let (model, version) = (program.model, program.settings.schemaVersion)
    if try hasFingerprint(connection, of: model, version: version) { return true }
    if program.isReadOnly { return try isReadable(connection, by: model) }
    // Two programs that declare the same columns in a different order have different fingerprints.
    do throws(StoreError) {
      let stored = try storedSchema(connection, version: version)
      return isSame(stored, model, program.settings)
    } catch {
      guard [.newerStore, .schemaMismatch].contains(error.code) else { throw error }
      return false
    }
  }

  /// Returns whether a description equals that of a program, apart from remarks for people.
  private static func isSame(
    _ stored: SchemaDescription, _ model: Model, _ options: StackOptions
  ) -> Bool {
    stored.version == options.schemaVersion
      && SchemaDifference(from: stored, to: model, removedTables: options.removedTables).isEmpty
      && !needsUpdate(stored, model.description(version: options.schemaVersion))
  }

  /// Returns whether the program that last recorded its schema had this schema and version.
  private static func hasFingerprint(
    _ connection: Connection, of model: Model, version: Int
  ) throws(StoreError) -> Bool {
    guard try format(connection) == Self.version else { return false }
    return try connection.prepared("SELECT version, fingerprint FROM strata_schema").first {
      $0.integer(0) == Int64(version) && $0.integer(1) == model.fingerprint
    } ?? false
  }

  /// Returns the version of the format of the store's own tables.
  private static func format(_ connection: Connection) throws(StoreError) -> Int64 {
    try connection.prepared("PRAGMA user_version").firstInteger() ?? 0
  }

  /// Checks that this version of Strata knows the format of the store.
  ///
  /// - Throws: ``StoreError`` with code `newerStore` or `schemaMismatch`.
  static func checkFormat(_ connection: Connection) throws(StoreError) {
    let format = try format(connection)
    if format > Self.version {
      throw StoreError(
        .newerStore, "the store has format \(format); this version of Strata knows \(Self.version)",
        advice: "update the app")
    }
    if format < Self.version {
      throw StoreError(
        .schemaMismatch,
        "the store has format \(format), of Strata before its first release; this version needs "
          + "\(Self.version)",
        advice: "delete the file, or open it with Options.ifUnreadable = .rebuild()")
    }
  }

  /// Returns the description in a store that this program may open.
  ///
  /// - Throws: ``StoreError`` with code `newerStore` if the store is of a newer program, and with
  ///   code `schemaMismatch` if its format is too old or the description cannot be read.
  static func storedSchema(
    _ connection: Connection, version: Int
  ) throws(StoreError) -> SchemaDescription {
    try checkFormat(connection)
    let stored = try connection.prepared("SELECT version FROM strata_schema").firstInteger() ?? 0
    if stored > Int64(version) {
      throw StoreError(
        .newerStore, "the store has schema version \(stored); this program knows \(version)",
        advice: "update the app")
    }
    return try describedSchema(connection)
  }

  /// Returns the description in a store of this format, whatever the version of its schema is.
  static func describedSchema(_ connection: Connection) throws(StoreError) -> SchemaDescription {
    let row = try connection.prepared("SELECT description, version FROM strata_schema")
      .first { ($0.string(0), $0.integer(1)) }
    var description = try SchemaDescription(stored: row?.0 ?? "")
    description.version = Int(row?.1 ?? 0)
    return description
  }

  /// Returns whether nothing has to be created, migrated or recorded.
  ///
  /// A read transaction is enough to find out.
  static func isUpToDate(
    _ connection: Connection, _ program: StoreOptions
  ) throws(StoreError) -> Bool {
    let (model, options) = (program.model, program.settings)
    try connection.run("BEGIN")
    defer { try? connection.run("ROLLBACK") }
    if try isEmptyFile(connection) { return false }
    let tables = try StoredTables(connection)
    if try isCurrent(connection, model, version: options.schemaVersion, tables) { return true }
    let stored = try storedSchema(connection, version: options.schemaVersion)
    let drift = tables.drift(from: stored)
    if !drift.isEmpty { throw .drift(drift) }
    return options.steps(after: stored.version).isEmpty && isSame(stored, model, options)
  }

  /// Returns whether the stored description lacks something that a later migration needs.
  ///
  /// The names of entities, the examples and the former names do not count. Names of entities serve
  /// messages, and examples serve tests. If these parts counted, two programs that differ in
  /// nothing else would rewrite the description whenever they take turns. Every rewrite would make
  /// all other processes read all their tables again.
  private static func needsUpdate(
    _ stored: SchemaDescription, _ today: SchemaDescription
  ) -> Bool {
    stored.withoutRemarks != today.withoutRemarks
  }

  /// Updates the parts of the description that no table shows: value types and references.
  ///
  /// No table changes. The update is not counted as a commit, so other processes read everything
  /// again.
  private static func update(
    _ connection: Connection, _ stored: SchemaDescription, _ model: Model, _ version: Int,
    isDry: Bool
  ) throws(StoreError) {
    let today = model.description(version: version)
    if isDry || !needsUpdate(stored, today) { return }
    try connection.prepared(
      "UPDATE strata_schema SET description = ?1, fingerprint = ?2", .text(today.compactJSON),
      .integer(model.fingerprint)
    ).perform()
    try LogTie.stamp(connection)
  }
}

extension SchemaDescription {
  /// The parts of the description that the file must keep up to date.
  ///
  /// The names of entities, former names and examples are empty. The columns are sorted by name.
  fileprivate var withoutRemarks: SchemaDescription {
    var copy = self
    for position in copy.tables.indices {
      copy.tables[position].entity = ""
      copy.tables[position].formerNames = []
      copy.tables[position].columns.sort { $0.name < $1.name }
      for column in copy.tables[position].columns.indices {
        copy.tables[position].columns[column].formerNames = []
        copy.tables[position].columns[column].example = nil
      }
    }
    return copy
  }
}
