public import Foundation
public import Strata

/// A store of an earlier version that the present program has opened.
///
/// ```swift
/// let old = try SchemaDescription(contentsOf: folder.appending(path: "schema-v1.json"))
/// let rehearsal = try await rehearseMigration(from: old, to: Song.self, Artist.self)
/// #expect(rehearsal.rowsBefore["songs"] == rehearsal.rowsAfter["songs"])
/// await rehearsal.stack.close()
/// ```
public struct MigrationRehearsal: Sendable, CustomStringConvertible {
  /// The stack over the migrated store, which the test has to close.
  public let stack: Stack
  /// The plan of the migration, which has been carried out.
  public let plan: MigrationPlan
  /// The number of rows of each table before the migration, by the table's old name.
  public let rowsBefore: [String: Int]
  /// The number of rows of each entity after the migration, by the entity's name. Each row was
  /// read.
  public let rowsAfter: [String: Int]

  public var description: String {
    "\(plan)\nbefore: \(Self.list(rowsBefore))\nafter: \(Self.list(rowsAfter))"
  }

  private static func list(_ rows: [String: Int]) -> String {
    rows.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
  }
}

/// The rows that a rehearsal starts with.
///
/// ```swift
/// var rows = RehearsalRows()
/// rows.count = 1_000
/// rows.values["songs.title"] = [.text(""), .text("So What")]
/// ```
public struct RehearsalRows: Sendable {
  /// The number of rows to make for each table that ``tables`` does not contain.
  ///
  /// There are fewer rows if a column that must be unique has fewer values, or if two entities
  /// would be linked twice.
  public var count = 50
  /// Given rows by the table's name, each with cells by column; absent cells are null.
  public var tables: [String: [[String: Cell]]] = [:]
  /// Valid cells by the name of their type in the description, for example for enumerations.
  public var values: [String: [Cell]] = [:]
  /// The seed of the generated rows.
  public var seed: UInt64 = 1

  /// Creates fifty rows for each table, with values at the limits of their types.
  public init() {}
}

/// Creates a store of an earlier version, fills it, and opens it with the present entities.
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
/// Every row of every entity is read afterwards. The store is in a temporary folder, which is
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
  // A rebuilt store would look like a migrated store.
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
  /// - Throws: the error of reading the file; `StoreError` with code `schemaMismatch` if the file
  ///   contains no description.
  public init(contentsOf url: URL) throws {
    try self.init(json: String(decoding: Data(contentsOf: url), as: UTF8.self))
  }

  /// Writes the description to a folder beside the tests: `schema-v3.json` for version 3.
  ///
  /// An existing file is compared, never overwritten, because the schema of a shipped version does
  /// not change.
  ///
  /// - Returns: whether the file is new, and has to be committed.
  /// - Throws: ``SchemaRecordingError`` if the file describes a different schema.
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

/// An error for a schema that has changed without a new version.
public struct SchemaRecordingError: Error, CustomStringConvertible, LocalizedError, CustomNSError {
  /// The file that describes the version.
  public let path: String
  /// The version.
  public let version: Int

  public var description: String {
    "\(message): \(advice)"
  }
  public var errorDescription: String? { message }
  public var recoverySuggestion: String? { advice }
  public var errorUserInfo: [String: Any] { userInfo }
  /// The domain of the bridged `NSError`.
  public static var errorDomain: String { "StrataSchemaRecordingError" }
  public var errorCode: Int { 1 }

  private var message: String { "\(path) describes another schema of version \(version)" }
  private var advice: String {
    "raise the version if that one was shipped, or delete the file if it was not"
  }
}
