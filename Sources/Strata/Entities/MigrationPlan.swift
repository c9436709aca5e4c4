/// The actions by which opening a store brings it to the model's schema.
///
/// The actions have run, or would run if the store were opened.
///
/// ```swift
/// let plan = try await Stack.plan(Song.self, Artist.self, at: url)
/// print(plan.isEmpty ? "nothing to do" : plan.description)
/// for problem in plan.problems { print(problem.message, problem.advice) }
/// ```
public struct MigrationPlan: Sendable, CustomStringConvertible {
  /// A single action of a migration.
  public enum Action: Sendable, Hashable, CustomStringConvertible {
    /// Runs a custom step.
    case step(to: Int)
    /// Creates a table.
    case createTable(String)
    /// Drops a table with everything in it.
    case removeTable(String, rows: Int)
    /// Gives a table another name.
    case renameTable(String, to: String)
    /// Gives a column another name.
    case renameColumn(String, to: String, table: String)
    /// Adds a column.
    case addColumn(String, table: String)
    /// Changes a column's type or whether it is optional.
    case changeColumn(String, table: String)
    /// Drops a column with everything in it.
    case removeColumn(String, table: String)
    /// Makes the values of another column the key.
    case changeKey(String, table: String)
    /// Copies every row into a table of the new shape.
    case copyRows(Int, table: String)
    /// Drops an index.
    case removeIndex([String], table: String, isUnique: Bool)
    /// Creates an index; a unique one fails on duplicates.
    case createIndex([String], table: String, isUnique: Bool)
    /// Drops an index of words or places.
    case removeSearchIndex([String], table: String)
    /// Creates an index of words or places and fills it from the rows.
    case createSearchIndex([String], table: String)
    /// Checks that no required reference points to a missing row.
    case checkReferences(String, table: String)
    /// Writes the new version and description into the store.
    case record(version: Int)

    public var description: String {
      switch self {
      case .step(let version): "run the step to version \(version)"
      case .createTable(let table): "create table \"\(table)\""
      case .removeTable(let table, let rows): "remove table \"\(table)\" with \(rows) rows"
      case .renameTable(let table, let name): "rename table \"\(table)\" to \"\(name)\""
      case .renameColumn(let column, let name, let table):
        "rename column \"\(column)\" of \"\(table)\" to \"\(name)\""
      case .addColumn(let column, let table): "add column \"\(column)\" to \"\(table)\""
      case .changeColumn(let column, let table): "change column \"\(column)\" of \"\(table)\""
      case .removeColumn(let column, let table): "remove column \"\(column)\" of \"\(table)\""
      case .changeKey(let column, let table): "make \"\(column)\" the key of \"\(table)\""
      case .copyRows(let rows, let table): "copy \(rows) rows of \"\(table)\""
      case .removeIndex(let columns, let table, let isUnique):
        "remove the \(isUnique ? "unique " : "")index on \(columns.joined(separator: ", ")) of "
          + "\"\(table)\""
      case .createIndex(let columns, let table, let isUnique):
        "create \(isUnique ? "a unique" : "an") index on \(columns.joined(separator: ", ")) of "
          + "\"\(table)\""
      case .removeSearchIndex(let columns, let table):
        "remove the search index on \(columns.joined(separator: ", ")) of \"\(table)\""
      case .createSearchIndex(let columns, let table):
        "create a search index on \(columns.joined(separator: ", ")) of \"\(table)\""
      case .checkReferences(let column, let table):
        "check the references \"\(column)\" of \"\(table)\""
      case .record(let version): "record version \(version)"
      }
    }
  }

  /// The version in the store; nil if there is no store yet.
  public let storedVersion: Int?
  /// The version of the program.
  public let version: Int
  /// The actions, in the order in which they run.
  public let actions: [Action]
  /// The problems for which opening the store is refused.
  ///
  /// Opening the store throws them as one error, with the code of the first problem.
  public let problems: [StoreError]

  init(
    from storedVersion: Int?, to version: Int, _ actions: [Action] = [],
    problems: [StoreError] = []
  ) {
    self.storedVersion = storedVersion
    self.version = version
    self.actions = actions
    self.problems = problems
  }

  /// Whether opening the store changes nothing and is not refused.
  public var isEmpty: Bool { actions.isEmpty && problems.isEmpty }

  public var description: String {
    let title =
      storedVersion.map { "version \($0) to \(version)" } ?? "a new store of version \(version)"
    let lines =
      actions.enumerated().map { "\($0 + 1). \($1)" } + problems.map { "problem: \($0)" }
    return ([title] + (lines.isEmpty ? ["nothing to do"] : lines)).joined(separator: "\n")
  }
}
