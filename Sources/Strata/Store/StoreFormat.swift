internal import StrataSQLite

/// The tables that Strata keeps for itself, and the checks when a store is opened.
enum StoreFormat {
  /// "Stra": tells a Strata store from any other SQLite file.
  static let applicationID: Int64 = 0x5374_7261
  /// The format of Strata's own tables.
  static let version: Int64 = 1

  /// Creates the tables in an empty file, or checks that the file is this model's store.
  ///
  /// Runs in one transaction: a failure leaves the file as it was.
  static func prepare(
    _ connection: Connection, model: Model, schemaVersion: Int
  ) throws(StoreError) {
    try translatingErrors { () throws(SQLiteError) in
      try connection.execute("BEGIN IMMEDIATE")
    }
    do throws(StoreError) {
      let application = try integer(connection, "PRAGMA application_id")
      let tables = try integer(connection, "SELECT count(*) FROM sqlite_schema")
      switch (application, tables) {
      case (0, 0): try create(connection, model, schemaVersion)
      case (applicationID, _): try check(connection, model, schemaVersion)
      default:
        throw StoreError(
          .notADatabase, "the file is an SQLite database of another program",
          advice: "open another file")
      }
      try HistoryFormat.prepare(connection)
      try translatingErrors { () throws(SQLiteError) in try connection.execute("COMMIT") }
    } catch {
      if connection.isInTransaction { try? connection.execute("ROLLBACK") }
      throw error
    }
  }

  private static func integer(
    _ connection: Connection, _ sql: String
  ) throws(StoreError) -> Int64 {
    try translatingErrors { () throws(SQLiteError) in try connection.integer(sql) ?? 0 }
  }

  private static func create(
    _ connection: Connection, _ model: Model, _ schemaVersion: Int
  ) throws(StoreError) {
    try translatingErrors { () throws(SQLiteError) in
      try connection.execute("PRAGMA application_id = \(applicationID)")
      try connection.execute("PRAGMA user_version = \(version)")
      try connection.execute("CREATE TABLE strata_commit (number INTEGER NOT NULL)")
      try connection.execute("INSERT INTO strata_commit (number) VALUES (0)")
      try connection.execute(
        "CREATE TABLE strata_schema (version INTEGER NOT NULL, fingerprint TEXT NOT NULL)")
      for table in model.tables {
        try connection.execute(table.sql.create)
        for index in table.sql.createIndexes(uniques: table.uniques) {
          try connection.execute(index)
        }
      }
      let schema = try connection.prepare(
        "INSERT INTO strata_schema (version, fingerprint) VALUES (?1, ?2)")
      schema.bind(1, Int64(schemaVersion))
      schema.bind(2, model.fingerprint)
      try schema.run()
    }
  }

  private static func check(
    _ connection: Connection, _ model: Model, _ schemaVersion: Int
  ) throws(StoreError) {
    let format = try integer(connection, "PRAGMA user_version")
    let stored = format > version ? 0 : try integer(connection, "SELECT version FROM strata_schema")
    if format > version || stored > Int64(schemaVersion) {
      throw StoreError(
        .newerStore,
        format > version
          ? "the store has format \(format); this version of Strata knows \(version)"
          : "the store has schema version \(stored); this program knows \(schemaVersion)",
        advice: "update the program")
    }
    let fingerprint = try translatingErrors { () throws(SQLiteError) in
      try connection.text("SELECT fingerprint FROM strata_schema") ?? ""
    }
    if let difference = difference(from: fingerprint, to: model.fingerprint) {
      throw StoreError(
        .schemaMismatch, "the store and the model differ: \(difference)",
        advice: "open it with the model it was made with, or move the file away")
    }
  }

  /// The first statement that only one side has.
  private static func difference(from stored: String, to wanted: String) -> String? {
    if stored == wanted { return nil }
    let stored = stored.split(separator: "\n")
    let wanted = wanted.split(separator: "\n")
    if let missing = wanted.first(where: { !stored.contains($0) }) {
      return "the store lacks \(missing)"
    }
    if let extra = stored.first(where: { !wanted.contains($0) }) {
      return "the model lacks \(extra)"
    }
    return "their order"
  }
}
