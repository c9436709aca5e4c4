/// A custom step of a migration, which leads to a version of the schema.
///
/// A step makes changes that declarations cannot express. For example, it splits or merges
/// entities, or computes values from several rows.
///
/// ```swift
/// options.migrations = [
///   MigrationStep(to: 2) { migration in
///     try migration.addColumn(.init("artistID", .blob, isOptional: true), to: "songs")
///     for song in try migration.rows(of: "songs") {
///       …
///     }
///   }
/// ]
/// ```
///
/// Steps run in the order of their versions, for every version above the stored version. A step
/// works by name on the tables as they are stored at that moment, never on the current entities. So
/// a step that works once works for ever. After the last step, the migration makes all changes that
/// the declarations ask for.
public struct MigrationStep: Sendable {
  /// The version that the step leads to.
  public let version: Int
  let body: @Sendable (Migration) throws -> Void

  /// Creates a step to `version`.
  ///
  /// - Parameters:
  ///   - version: the version that the step leads to.
  ///   - body: runs on the writer's executor, inside the migration's transaction. If it throws, the
  ///     store is refused with `migrationFailed` and the file stays as it was. A ``StoreError`` of
  ///     the machine, such as `diskFull` or `busy`, keeps its code.
  public init(to version: Int, _ body: @escaping @Sendable (Migration) throws -> Void) {
    self.version = version
    self.body = body
  }
}

/// A stored row, as a migration step reads it.
///
/// ```swift
/// MigrationStep(to: 2) { migration in
///   for song in try migration.rows(of: "songs") {
///     print(song.key, try song.value("title", as: String.self))
///   }
/// }
/// ```
public struct MigrationRow: Sendable, CustomStringConvertible {
  /// The row's key.
  public let key: RecordKey
  let record: Record
  /// The names of the columns; the name of the key comes first.
  public let columns: [String]
  let table: String

  /// The cells, in the order of ``columns``.
  public var cells: [Cell] { record.cells }

  /// The cell of a column.
  ///
  /// - Throws: ``StoreError`` with code `migrationFailed` if there is no such column.
  public subscript(column: String) -> Cell {
    get throws(StoreError) {
      guard let position = columns.firstIndex(where: { $0.isSameName(as: column) }) else {
        throw .migration("table \"\(table)\" has no column \"\(column)\"")
      }
      return record[position]
    }
  }

  /// Returns the value of a column.
  ///
  /// - Throws: ``StoreError`` with code `migrationFailed` if there is no such column, or if its
  ///   cell does not hold such a value.
  public func value<V: AttributeValue>(
    _ column: String, as type: V.Type = V.self
  ) throws -> V {
    let cell = try self[column]
    do throws(ValueError) { return try V(cell: cell) } catch {
      var failure = StoreError.migration("\"\(table)\".\"\(column)\" of \(key): \(error.message)")
      failure.keys = [key]
      throw failure
    }
  }

  public var description: String {
    zip(columns, cells).map { "\($0): \($1)" }.joined(separator: ", ")
  }
}

/// The rows of a table, read one by one while a migration step iterates over them.
///
/// ```swift
/// MigrationStep(to: 2) { migration in
///   for song in try migration.rows(of: "songs") { print(song.key) }
/// }
/// ```
public struct MigrationRows: Sequence, IteratorProtocol {
  let migration: Migration
  let table: SchemaDescription.Table
  var last: Int64?
  let end: Int64?

  /// Returns the next row as it is stored at this moment; nil at the end and after an error.
  ///
  /// After an error, all later calls on the migration throw it, and the step fails.
  public mutating func next() -> MigrationRow? {
    guard let end, let (row, number) = migration.row(of: table, after: last, upTo: end) else {
      return nil
    }
    last = number
    return row
  }
}

extension StoreError {
  static func migration(_ message: String) -> StoreError {
    StoreError(
      .migrationFailed, message, advice: "correct the migration; the store was left as it was")
  }

  /// Returns the error that refuses the store after a step failed.
  ///
  /// An error of the machine, such as a full disk or a locked file, keeps its code.
  static func step(to version: Int, _ error: any Error) -> StoreError {
    guard let error = error as? StoreError else {
      return .migration("the step to version \(version) failed: \(error)")
    }
    let environment: [Code] = [.diskFull, .busy, .inputOutput, .notADatabase, .cannotOpen]
    var failure = StoreError(
      environment.contains(error.code) ? error.code : .migrationFailed,
      "the step to version \(version) failed: \(error.message)", advice: error.advice,
      entity: error.entity, attributes: error.attributes, keys: error.keys)
    failure.sqliteCode = error.sqliteCode
    failure.sql = error.sql
    return failure
  }
}
