public import Foundation
public import Strata

/// A store of an earlier version that was opened by today's program.
public struct MigrationRehearsal: Sendable, CustomStringConvertible {
  /// The stack over the migrated store; close it.
  public let stack: Stack
  /// What the migration did.
  public let plan: MigrationPlan
  /// The rows of each table before the migration, by the table's name then.
  public let rowsBefore: [String: Int]
  /// The rows of each entity after it, by the entity's name: each was read.
  public let rowsAfter: [String: Int]

  public var description: String {
    "\(plan)\nbefore: \(Self.list(rowsBefore))\nafter: \(Self.list(rowsAfter))"
  }

  private static func list(_ rows: [String: Int]) -> String {
    rows.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
  }
}

/// The rows that a rehearsal starts with.
public struct RehearsalRows: Sendable {
  /// How many rows are made for a table that ``tables`` does not give; fewer, if a column that must
  /// be unique has fewer values, or if two entities would be linked twice.
  public var count = 50
  /// The rows of a table, by name: cells by column, absent ones null.
  public var tables: [String: [[String: Cell]]] = [:]
  /// Valid cells of a type, by its name in the description: of enumerations, say.
  public var values: [String: [Cell]] = [:]
  /// What the made rows come from.
  public var seed: UInt64 = 1

  /// Fifty rows for each table, with values at the edges of their types.
  public init() {}
}

/// Creates a store as an earlier version made it, fills it, and opens it with today's entities.
///
/// ```swift
/// @Test(arguments: 1...3) func `version n opens`(version: Int) async throws {
///   let old = try SchemaDescription(contentsOf: folder.appending(path: "schema-v\(version).json"))
///   let rehearsal = try await rehearseMigration(from: old, to: Song.self, Artist.self)
///   #expect(rehearsal.rowsAfter["Song"] == 50)
///   await rehearsal.stack.close()
/// }
/// ```
///
/// Every row of every entity is read afterwards. The store lies in a temporary folder, which is
/// removed when the stack closes.
///
/// - Throws: `StoreError` as `Stack.open` does, or if a given row does not fit the description.
public nonisolated(nonsending) func rehearseMigration(
  from old: SchemaDescription, rows: RehearsalRows = RehearsalRows(),
  to entities: any Entity.Type..., options: Stack.Options = Stack.Options()
) async throws -> MigrationRehearsal {
  try await rehearseMigration(from: old, rows: rows, to: entities, options: options)
}

/// Rehearses the migration to a list of entities.
///
/// - Throws: `StoreError` as `Stack.open` does, or if a given row does not fit the description.
public nonisolated(nonsending) func rehearseMigration(
  from old: SchemaDescription, rows: RehearsalRows = RehearsalRows(),
  to entities: [any Entity.Type], options: Stack.Options = Stack.Options()
) async throws -> MigrationRehearsal {
  var options = options
  // A store that is rebuilt would pass for one that was migrated.
  options.ifUnreadable = .fail
  options.schemaVersion = max(options.schemaVersion, old.version)
  var maker = RowMaker(old, rows)
  let made = maker.rows()
  let stack = try await Stack.rehearsing(entities, options: options) { path in
    try StoreRehearsal.makeStore(at: path, old) { made[$0.name] ?? [] }
  }
  do {
    var after: [String: Int] = [:]
    for entity in entities { after["\(entity)"] = try await stack.readAll(entity) }
    return MigrationRehearsal(
      stack: stack, plan: stack.migration, rowsBefore: made.mapValues(\.count), rowsAfter: after)
  } catch {
    await stack.close()
    throw error
  }
}

extension SchemaDescription {
  /// Reads a description that was committed as JSON.
  ///
  /// - Throws: what reading the file throws; `StoreError` with code `schemaMismatch` if it has no
  ///   description.
  public init(contentsOf url: URL) throws {
    try self.init(json: String(decoding: Data(contentsOf: url), as: UTF8.self))
  }

  /// Writes the description beside the tests: `schema-v3.json` for version 3.
  ///
  /// A file that is there already is compared, never overwritten: a shipped version stays what it
  /// was.
  ///
  /// - Returns: whether the file is new, and is to be committed.
  /// - Throws: ``SchemaRecordingError`` if the file says something else.
  @discardableResult
  public func record(in folder: URL) throws -> Bool {
    let url = folder.appendingPathComponent("schema-v\(version).json")
    if FileManager.default.fileExists(atPath: url.path) {
      guard try SchemaDescription(contentsOf: url) == self else {
        throw SchemaRecordingError(path: url.path, version: version)
      }
      return false
    }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data((json + "\n").utf8).write(to: url)
    return true
  }
}

/// The schema changed, but not its version.
public struct SchemaRecordingError: Error, CustomStringConvertible {
  /// The file that describes the version.
  public let path: String
  /// The version.
  public let version: Int

  public var description: String {
    "\(path) describes another schema of version \(version): raise the version if that one was "
      + "shipped, or delete the file if it was not"
  }
}
