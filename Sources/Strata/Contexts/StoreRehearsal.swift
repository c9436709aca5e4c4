internal import StrataSQLite

/// Makes stores of earlier versions, for tests.
package enum StoreRehearsal {
  /// Creates a store of the described tables and fills it.
  ///
  /// - Parameter rows: the rows of a table, each with a cell for every column that is not null.
  package static func makeStore(
    at path: String, _ description: SchemaDescription,
    rows: (SchemaDescription.Table) throws -> [[String: Cell]]
  ) throws {
    let connection = try Connection(
      path: path, access: .readWrite, application: StoreFormat.applicationID,
      busyTimeout: .seconds(5))
    try connection.execute("BEGIN IMMEDIATE")
    try StoreFormat.create(connection, at: path, description)
    let migration = Migration(connection, description, to: description.version, ProgressMeter(nil))
    for table in description.tables {
      for row in try rows(table) { try migration.insert(row, into: table.name) }
    }
    try migration.fillSearchIndexes()
    migration.end()
    try connection.execute("COMMIT")
    _ = try connection.checkpointPassively()
  }

  /// Returns the key of the link between two entities; nil if a cell cannot be a key.
  package static func linkKey(_ owner: Cell, _ target: Cell) -> Cell? {
    try? JoinTable.key(owner, target)
  }
}

extension Stack {
  /// Reads every entity of a type, and returns their number.
  package func readAll(_ type: any Entity.Type) async throws -> Int {
    func read<E: Entity>(_: E.Type) async throws -> Int {
      try await fetch(E.all).count
    }
    return try await read(type)
  }
}

extension Stack {
  /// Opens a store that `make` creates at a path, in a folder that closing the stack removes.
  package static func rehearsing(
    _ entities: [any Entity.Type], options: Options, make: (String) throws -> Void
  ) async throws -> Stack {
    let folder = try TemporaryFolder()
    do {
      let path = folder.path + "/store.sqlite"
      try make(path)
      return try await open(entities, path: path, options, temporaryFolder: folder)
    } catch {
      folder.remove()
      throw error
    }
  }
}
