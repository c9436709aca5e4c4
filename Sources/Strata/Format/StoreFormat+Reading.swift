internal import StrataSQLite

// Stores that a program only reads: they need not have its schema, but must have all that it reads.

extension StoreFormat {
  /// Returns the version of the schema of a store that a program can read as it is.
  ///
  /// - Throws: ``StoreError`` with code `cannotOpen` for an empty file, `newerStore` or `schemaMismatch`
  ///   with everything that is missing.
  static func readableVersion(
    _ connection: Connection, _ program: StoreOptions
  ) throws(StoreError) -> Int {
    try connection.run("BEGIN")
    defer { try? connection.run("ROLLBACK") }
    if try isEmptyFile(connection) { throw .noStore }
    try checkFormat(connection)
    let stored = try describedSchema(connection)
    let drift = try StoredTables(connection).drift(from: stored)
    if !drift.isEmpty { throw .drift(drift) }
    let obstacles = obstacles(to: program.model, in: stored)
    if !obstacles.isEmpty {
      throw .unreadable(obstacles, stored.version, by: program.settings.schemaVersion)
    }
    return stored.version
  }

  /// Returns whether the described tables have all that a model reads.
  static func isReadable(_ connection: Connection, by model: Model) throws(StoreError) -> Bool {
    obstacles(to: model, in: try describedSchema(connection)).isEmpty
  }

  /// Returns what the tables of a model need and stored tables do not have.
  private static func obstacles(to model: Model, in stored: SchemaDescription) -> [String] {
    model.tables.flatMap { table in
      let wanted = table.described
      guard let found = stored[table: wanted.name] else {
        return ["there is no table \"\(wanted.name)\" of \(wanted.entity)"]
      }
      return obstacles(to: wanted, in: found)
    }
  }

  private static func obstacles(
    to wanted: SchemaDescription.Table, in found: SchemaDescription.Table
  ) -> [String] {
    let entity = wanted.entity
    var obstacles: [String] = []
    if !wanted.key.isSameName(as: found.key) {
      obstacles.append("the key of \(entity) is \"\(found.key)\"")
    }
    for column in wanted.columns {
      let attribute = "\(entity).\(column.name)"
      guard let other = found[column: column.name] else {
        obstacles.append("there is no column of \(attribute)")
        continue
      }
      if other.storage != column.storage || other.valueType != column.valueType {
        obstacles.append("\(attribute) is \(other.valueType) (\(other.storage.rawValue))")
      } else if other.isOptional && !column.isOptional {
        obstacles.append("\(attribute) may be nil")
      }
    }
    // A search names the row by its number, which a column of the store may hide.
    let hasSearch = wanted.fullText != nil || !wanted.spatial.isEmpty
    if hasSearch && wanted.rowIDName != found.rowIDName {
      obstacles.append("a column of \(entity) has the name of the row number")
    }
    if let text = wanted.fullText, text != found.fullText {
      obstacles.append("the full-text index of \(entity) is missing or another one")
    }
    for places in wanted.spatial where !found.spatial.contains(places) {
      obstacles.append("there is no spatial index of \(entity).\(places.latitude)")
    }
    return obstacles
  }
}

extension StoreOptions {
  /// Opens the first connection of a stack that only reads, and moves no file.
  ///
  /// - Throws: `cannotOpen` if there is no store, or none that can be read without writing, and
  ///   `replaced` if the log belongs to another file.
  func readingConnection() throws(StoreError) -> Connection {
    guard FileStatus(path) != nil else { throw .noStore }
    let beside = LogBeside(of: path)
    if beside.hasJournal { throw .unfinished }
    guard try beside.belongs() else {
      throw StoreError(
        .replaced, "the log beside the file belongs to an earlier file",
        advice: "open the store once with a stack that writes, which moves the log away")
    }
    let connection = try connection(.observing)
    do throws(StoreError) {
      // The first statement opens the log and its index.
      _ = try connection.prepared("PRAGMA application_id").firstInteger()
    } catch {
      throw error.code == .cannotOpen && !hasIndex ? .withoutLog : error
    }
    return connection
  }

  /// Whether SQLite's index of the log is beside the file.
  private var hasIndex: Bool { FileStatus(path + SetAside.Companion.index.rawValue) != nil }

  /// Decides what a connection leaves beside the file that it closes as the last one.
  ///
  /// A stack that only reads removes a log without commits, and its index. Any other log stays.
  func willClose(_ connection: Connection) {
    let hasCommits = isReadOnly && LogMark.log(at: path + "-wal")?.hasCommits == true
    connection.leaveLog(connection.hasMoved || hasCommits)
  }
}

extension StoreError {
  fileprivate static var noStore: StoreError {
    StoreError(
      .cannotOpen, "there is no store to read yet",
      advice: "let the program that writes open it first, and show nothing until then")
  }

  fileprivate static var unfinished: StoreError {
    StoreError(
      .cannotOpen, "a transaction of the file was interrupted, and is not rolled back yet",
      advice: "open the store once with a stack that writes, which rolls it back")
  }

  fileprivate static var withoutLog: StoreError {
    StoreError(
      .cannotOpen, "the store's log and its index cannot be opened beside the file",
      advice:
        "let the folder be written, or read a copy that Stack.copy(to:) has made: it has no log")
  }

  fileprivate static func unreadable(
    _ obstacles: [String], _ stored: Int, by version: Int
  ) -> StoreError {
    let isNewer = stored > version
    return StoreError(
      isNewer ? .newerStore : .schemaMismatch,
      "the store of schema version \(stored) lacks what this program reads"
        + (obstacles.count == 1
          ? ": \(obstacles[0])" : obstacles.map { "\n  \($0)" }.joined()),
      advice: isNewer
        ? "update this program" : "open the store once with a stack that writes, which migrates it")
  }
}
