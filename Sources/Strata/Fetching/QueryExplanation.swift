/// How the store runs a query, and what could be better about it: see ``FetchSource/explain(_:)``.
public struct QueryExplanation: Sendable, CustomStringConvertible {
  /// One step of the plan that SQLite made, in its own words.
  public struct Step: Sendable, Hashable {
    /// What is done, such as `SEARCH t0 USING INDEX …`.
    public let detail: String
    /// The table that is read, if one is.
    public let table: String?
    /// The index that is used, if one is.
    public let index: String?
    /// What the step is made of.
    public internal(set) var steps: [Step] = []

    /// Whether every row of the table is looked at.
    public var isScan: Bool { detail.hasPrefix("SCAN") }
    /// Whether an index of every row is made for this one run.
    var isAutomatic: Bool { detail.contains(" USING AUTOMATIC ") }
    /// Whether the rows of a table are sorted, because no index has their order.
    var isSort: Bool { detail.hasPrefix("USE TEMP B-TREE") }
    /// The step and all that it is made of.
    var all: [Step] { [self] + steps.flatMap(\.all) }
  }

  /// What makes a query slower than it need be.
  public struct Warning: Sendable, Hashable, CustomStringConvertible {
    /// The kind of a warning. Compare with the constants; more may come.
    public struct Kind: Sendable, Hashable {
      private let name: String
      /// A filter is asked of every row of a table, or an index of them is made each time.
      public static let fullScan = Kind(name: "fullScan")
      /// Rows are sorted whenever the query is run.
      public static let sort = Kind(name: "sort")
    }

    /// The kind of the warning.
    public let kind: Kind
    /// What the store does.
    public let message: String
    /// The attributes that would help if they were indexed, as `Song.title`; empty if no index can.
    public let attributes: [String]

    public var description: String {
      attributes.isEmpty
        ? message : "\(message); add .indexed() to \(attributes.joined(separator: " or "))"
    }
  }

  /// The statement, without values.
  public let sql: String
  /// What SQLite does, step by step.
  public let steps: [Step]
  /// What could be better.
  public let warnings: [Warning]
  /// Whether unsaved edits of the source are worked into the result in memory.
  public let includesUnsavedEdits: Bool

  /// The names of the indexes that are used.
  public var indexes: [String] { steps.flatMap(\.all).compactMap(\.index) }

  /// The statement, the steps as a tree, and the warnings.
  public var description: String {
    var lines = [sql]
    func add(_ steps: [Step], _ indent: String) {
      for step in steps {
        lines.append(indent + step.detail)
        add(step.steps, indent + "  ")
      }
    }
    add(steps, "  ")
    if includesUnsavedEdits { lines.append("  then unsaved edits, in memory") }
    for warning in warnings { lines.append("warning: \(warning)") }
    return lines.joined(separator: "\n")
  }
}

extension FetchSource {
  /// How the store runs a query: its steps, the indexes that it uses, and warnings.
  ///
  /// ```swift
  /// print(try await view.explain(Song.where { $0.bpm > 100 }))
  /// // SELECT … FROM "songs" AS t0 WHERE t0."bpm" > ?1 ORDER BY t0."id"
  /// //   SCAN t0
  /// // warning: looks at every row of Song (100,000); add .indexed() to Song.bpm
  /// ```
  ///
  /// For a developer to read: the steps are SQLite's words, which change with its version. The
  /// query is not run, but the rows of tables that it would scan are counted.
  ///
  /// - Throws: ``StoreError``, as ``FetchSource`` says.
  public nonisolated(nonsending) func explain<E: Entity>(
    _ query: Query<E>
  ) async throws(StoreError) -> QueryExplanation {
    try await answer(FetchRequest { fetch throws(StoreError) in try await fetch.explain(query) })
  }
}
