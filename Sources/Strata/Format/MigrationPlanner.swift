internal import Foundation
internal import StrataSQLite

/// Plans the migration that opening a store would perform.
struct MigrationPlanner: Sendable {
  let model: Model
  let path: String
  let options: StackOptions

  func plan() throws(StoreError) -> MigrationPlan {
    guard FileManager.default.fileExists(atPath: path) else {
      return model.creation(version: options.schemaVersion)
    }
    let connection: Connection
    do throws(StoreError) {
      guard try LogBeside(of: path).belongs() else {
        throw StoreError(
          .replaced, "the log or journal beside the file belongs to an earlier file",
          advice: "open the store once, which sets it aside")
      }
      connection = try .open(.readOnly, path: path, busyTimeout: options.busyTimeout)
      try connection.run("BEGIN")
      if try StoreFormat.isEmptyFile(connection) {
        return model.creation(version: options.schemaVersion)
      }
    } catch {
      throw (unfinished(error) ?? error).at(path)
    }
    defer { try? connection.run("ROLLBACK") }
    do throws(StoreError) {
      let plan = try StoreFormat.migrate(connection, model, options, isDry: true)
      let stored = plan.storedVersion ?? 0
      guard plan.actions.contains(where: \.dependsOnRows) || !options.steps(after: stored).isEmpty
      else { return plan }
      return try rehearse(connection, from: stored)
    } catch {
      // A failure of the machine, such as a full disk, says nothing about the migration.
      if Self.unreadable.contains(error.code) { throw error }
      return MigrationPlan(
        from: storedVersion(connection), to: options.schemaVersion, problems: [error])
    }
  }

  /// Returns the error for a file that cannot be read before its journal is rolled back.
  private func unfinished(_ error: StoreError) -> StoreError? {
    guard error.code == .cannotOpen, LogBeside(of: path).hasJournal else { return nil }
    return StoreError(
      .cannotOpen, "a transaction of the file was interrupted, and is not rolled back yet",
      advice: "open the store once, which rolls it back")
  }

  private static let unreadable: [StoreError.Code] = [
    .busy, .diskFull, .inputOutput, .cannotOpen, .notADatabase, .sqlite,
  ]

  private func storedVersion(_ connection: Connection) -> Int? {
    (try? connection.prepared("SELECT version FROM strata_schema").firstInteger()).map { Int($0) }
  }

  /// Migrates a copy of the store, and returns the plan of that migration.
  private func rehearse(
    _ connection: Connection, from stored: Int
  ) throws(StoreError) -> MigrationPlan {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let copy = folder.path + "/store.sqlite"
    // `VACUUM INTO` writes another file, which `query_only` forbids as well.
    try connection.run("ROLLBACK")
    try connection.run("PRAGMA query_only = OFF")
    try connection.prepared("VACUUM INTO ?1", .text(copy)).perform()
    let target = try Connection.open(.readWrite, path: copy, busyTimeout: options.busyTimeout)
    try target.run("BEGIN IMMEDIATE")
    defer { try? target.run("ROLLBACK") }
    return try StoreFormat.migrate(target, model, options)
  }
}

extension Model {
  /// Returns the plan that creates a new store.
  func creation(version: Int) -> MigrationPlan {
    MigrationPlan(
      from: nil, to: version,
      tables.flatMap { table in
        [.createTable(table.name)]
          + table.described.indexes.map {
            .createIndex($0.columns, table: table.name, isUnique: $0.isUnique)
          }
          + (table.search?.indexes ?? []).map {
            .createSearchIndex($0.columns, table: table.name)
          }
      } + [.record(version: version)])
  }
}

extension MigrationPlan.Action {
  /// Whether the action can fail because of rows.
  fileprivate var dependsOnRows: Bool {
    switch self {
    case .copyRows, .checkReferences, .createIndex(_, _, isUnique: true), .step: true
    case .createTable, .removeTable, .renameTable, .renameColumn, .addColumn, .changeColumn,
      .removeColumn, .changeKey, .removeIndex, .createIndex, .removeSearchIndex,
      .createSearchIndex, .record:
      false
    }
  }
}
