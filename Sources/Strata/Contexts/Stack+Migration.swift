public import Foundation
internal import StrataSQLite

extension Stack {
  /// Returns the description of the tables that the entities have in a store.
  ///
  /// Keep the description of every version that the app ships, beside its source.
  ///
  /// ```swift
  /// let json = try Stack.schema(of: [Song.self, Artist.self], version: 3).json
  /// ```
  ///
  /// - Throws: ``StoreError`` with code `invalidSchema`.
  public static func schema(
    of entities: [any Entity.Type], version: Int
  ) throws -> SchemaDescription {
    try Model(entities).description(version: version)
  }

  /// Returns the plan of opening the store at `url`, without changing a byte of it.
  ///
  /// Steps that depend on the rows (custom steps, conversions, new unique attributes, required
  /// references) are tried on a temporary copy of the store. So the plan names the first row that
  /// would refuse a step, and opening the store then does what the plan says.
  /// ``MigrationPlan/problems`` lists the reasons why the store would be refused.
  /// `migrationProgress` is not called.
  ///
  /// Reading a store creates SQLite's `-wal` and `-shm` files beside it if they do not exist.
  /// Cancelling the task does not stop it.
  ///
  /// - Complexity: O(1) if nothing depends on the rows; otherwise the time of the migration, and
  ///   the size of the store in the temporary directory.
  ///
  /// - Throws: ``StoreError`` with code `invalidSchema` for the entities, or `notADatabase`,
  ///   `cannotOpen`, `diskFull`, `inputOutput` or `busy` if the file cannot be read or copied.
  public static func plan(
    _ entities: any Entity.Type..., at url: URL, options: Options = Options()
  ) async throws -> MigrationPlan {
    try await plan(entities, at: url, options: options)
  }

  /// Returns the plan of opening the store at `url` with a list of entities.
  ///
  /// - Throws: ``StoreError``, as for entities that are listed one by one.
  public static func plan(
    _ entities: [any Entity.Type], at url: URL, options: Options = Options()
  ) async throws -> MigrationPlan {
    var quiet = options
    quiet.migrationProgress = nil
    let planner = MigrationPlanner(
      model: try Model(entities), path: StorePath(try url.storePath).canonical, options: quiet)
    try options.checkSteps()
    return try await StoreExecutor("strata.plan").run { () throws(StoreError) in
      try planner.plan()
    }
  }
}
