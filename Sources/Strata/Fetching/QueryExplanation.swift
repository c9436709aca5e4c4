/// The way the store runs a query, with warnings; see ``FetchSource/explain(_:)``.
///
/// ```swift
/// let explanation = try await view.explain(Song.where { $0.bpm > 100 })
/// for warning in explanation.warnings { print(warning.message) }
/// ```
public struct QueryExplanation: Sendable, CustomStringConvertible {
  /// A step of SQLite's plan, in SQLite's own words.
  public struct Step: Sendable, Hashable {
    /// The text of the step, such as `SEARCH t0 USING INDEX …`.
    public let detail: String
    /// The table that the step reads; nil if it reads no table.
    public let table: String?
    /// The index that the step uses; nil if it uses no index.
    public let index: String?
    /// The steps that this step consists of.
    public internal(set) var steps: [Step] = []

    /// Whether the step reads every row of the table.
    public var isScan: Bool { detail.hasPrefix("SCAN") }
    /// Whether SQLite makes an index of every row for this one run.
    var isAutomatic: Bool { detail.contains(" USING AUTOMATIC ") }
    /// Whether SQLite sorts the rows of a table, because no index has their order.
    var isSort: Bool { detail.hasPrefix("USE TEMP B-TREE") }
    /// The step and all steps inside it.
    var all: [Step] { [self] + steps.flatMap(\.all) }
  }

  /// A reason why a query is slower than necessary.
  public struct Warning: Sendable, Hashable, CustomStringConvertible {
    /// The kind of a warning.
    ///
    /// Compare it with the constants. More kinds may be added.
    public struct Kind: Sendable, Hashable {
      private let name: String
      /// Every row of a table is checked by a filter, or an index of the rows is made for each run.
      public static let fullScan = Kind(name: "fullScan")
      /// The rows are sorted in each run of the query.
      public static let sort = Kind(name: "sort")
    }

    /// The kind of the warning.
    public let kind: Kind
    /// A description of the slow work.
    public let message: String
    /// The attributes that would help if they were indexed, as `Song.title`; empty if no index can
    /// help.
    ///
    /// Each of them would help by itself unless ``isCompound`` is true.
    public let attributes: [String]
    /// Whether the attributes would help as one ``Index``, in their order.
    public let isCompound: Bool
    private let advice: String?

    init(kind: Kind, message: String, _ advice: Advice) {
      self.kind = kind
      self.message = message
      switch advice {
      case .each(let names):
        (attributes, isCompound) = (names, false)
        self.advice = names.isEmpty ? nil : "add .indexed() to \(names.joined(separator: " or "))"
      case .compound(let names, let entity):
        (attributes, isCompound) = (names.map { "\(entity).\($0)" }, true)
        let paths = names.map { "\\.\($0)" }.joined(separator: ", ")
        self.advice = "add Index(\(paths)) to the schema of \(entity)"
      }
    }

    public var description: String { advice.map { "\(message); \($0)" } ?? message }
  }

  /// The index that a query lacks.
  enum Advice {
    /// An index of any of some attributes, as `Song.title`; none if the list is empty.
    case each([String])
    /// One index of some attributes of an entity.
    case compound([String], of: String)
  }

  /// The statement, without values.
  public let sql: String
  /// The steps of SQLite's plan.
  public let steps: [Step]
  /// The reasons why the query is slower than necessary.
  public let warnings: [Warning]
  /// Whether unsaved edits of the source are merged into the result in memory.
  public let includesUnsavedEdits: Bool

  /// The names of the indexes that the steps use.
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
  /// Returns the plan by which the store runs a query: its steps, its indexes, and warnings.
  ///
  /// ```swift
  /// print(try await view.explain(Song.where { $0.bpm > 100 }))
  /// // SELECT … FROM "songs" AS t0 WHERE t0."bpm" > ?1 ORDER BY t0."id"
  /// //   SCAN t0
  /// // warning: looks at every row of Song (100,000); add .indexed() to Song.bpm
  /// ```
  ///
  /// If the filter gives an attribute by equality and the order is by another, the warning names one
  /// ``Index`` of both.
  ///
  /// The plan is for a developer to read: the steps are in SQLite's words, which change with its
  /// version. The query is not run, but the rows of the tables that it would scan are counted.
  ///
  /// - Throws: ``StoreError``, as ``FetchSource`` says.
  public nonisolated(nonsending) func explain<E: Entity>(
    _ query: Query<E>
  ) async throws -> QueryExplanation {
    try await _answer(_FetchRequest { fetch throws(StoreError) in try await fetch.explain(query) })
  }
}
