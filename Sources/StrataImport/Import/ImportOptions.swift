public import Strata

/// The options of an import.
///
/// ```swift
/// var options = ImportOptions()
/// options.refusedRecords = .skip(listing: 20)
/// options.commits = .atomic
/// try await stack.importJSON(Song.self, from: file, mapping: Song.json, options: options)
/// ```
public struct ImportOptions: Sendable {
  /// The way in which an import's records become visible.
  public enum Commits: Sendable, Hashable {
    /// Each batch is a commit of its own.
    ///
    /// Memory is bounded, and so is the time that other saves wait. Batches that were committed
    /// before a failure stay.
    case batched
    /// All records become visible in one commit or not at all, even if the process is killed.
    ///
    /// Records are staged in a temporary file and written in one transaction at the end. Other
    /// saves wait for this transaction. If a table is empty and gets rows, its indexes are made
    /// after the rows.
    case atomic
  }

  /// The reaction to a refused record.
  ///
  /// A record is refused by its mapping, by a rule of its schema, because another row has its
  /// unique value, or because its required reference has no target.
  public enum RefusedRecords: Sendable, Hashable {
    /// The import stops with an ``ImportError``.
    case stop
    /// The record is left out and counted. ``ImportResult/refused`` lists the first such records.
    ///
    /// Then the import deletes no absent rows, because the record that was left out may be that of
    /// a row which seems absent.
    case skip(listing: Int = 100)
  }

  /// The treatment of an edit that waits to be pushed if the server has changed the same attribute in
  /// another way, and the attribute has no merge rule.
  ///
  /// While a request of the row is under way, the edit stays and is told, whatever the rule is.
  public enum Conflicts: Sendable, Hashable {
    /// The edit stays, and `Outbox.conflicts()` lists it with both values.
    ///
    /// A row that the server has deleted stays, too.
    case keepAndTell
    /// The edit stays and starts from the server's row, as if it had been made to it.
    ///
    /// A row that the server has deleted goes.
    case mergeMine
    /// The attribute gets the server's value; edits of other attributes stay.
    ///
    /// A row that the server has deleted goes, and a row that was deleted here comes back if the server
    /// has changed it.
    case mergeTheirs
    /// The whole edit of the row is given up.
    case discard

    var policy: SavePolicy {
      switch self {
      case .keepAndTell: .error
      case .mergeMine: .mergeMine
      case .mergeTheirs: .mergeTheirs
      case .discard: .discard
      }
    }
  }

  /// The way in which the records become visible.
  public var commits = Commits.batched
  /// The reaction to refused records.
  public var refusedRecords = RefusedRecords.stop
  /// The treatment of edits that wait to be pushed and that conflict with the server's rows.
  public var conflicts = Conflicts.keepAndTell
  /// The time for which a transaction may hold the writer.
  ///
  /// Batches are as large as the time allows. A save of the view context hardly waits longer. Once one has
  /// waited, the next batches take an eighth of the time.
  public var longestTransaction = Duration.milliseconds(20)
  /// The maximum number of bytes of a record, which is held in memory.
  ///
  /// A longer record is refused with ``ImportError/Code/recordTooLong``. A string or number outside
  /// of the records must not be longer, either.
  public var longestRecord = 16 * 1024 * 1024
  /// The number of sources that are read at a time; at least 1.
  public var workers = 2
  /// The ``ImportProgress/checkpoint`` at which an interrupted import of JSON lines goes on.
  ///
  /// Nil imports from the beginning.
  public var checkpoint: ImportCheckpoint?
  /// The author of the commits in the history, if the scratch context has no author of its own.
  public var author = Stack.importAuthor
  /// The number of records of every batch; nil for as many as time allows.
  var batchSize: Int?

  /// Creates the default options.
  public init() {}
}

/// The rule for absent rows: rows of the store that a feed does not have.
///
/// ```swift
/// try await stack.importJSON(
///   Song.self, from: file, mapping: Song.json,
///   absent: .delete(within: Song.where { $0.plays == 0 }))
/// ```
public struct AbsentRows: Sendable {
  /// The rows of a query.
  struct Scope: Sendable {
    let rows: @Sendable (Model) throws(StoreError) -> ImportScope
    let entry: CacheEntry
  }

  enum Rule: Sendable {
    case keep
    case deleteEveryRow
    case delete([Scope])
  }

  let rule: Rule

  /// Returns the rule as text. Under a different rule the same feed may leave other rows.
  ///
  /// - Throws: ``StoreError`` with code `invalidQuery`.
  func text(_ stack: Stack) throws(StoreError) -> String {
    switch rule {
    case .keep: return "keep"
    case .deleteEveryRow: return "delete"
    case .delete(let scopes):
      var queries: [String] = []
      for scope in scopes { queries.append(try stack.fingerprint(of: scope.entry)) }
      return "delete within \(queries.sorted().joined(separator: ","))"
    }
  }

  /// Absent rows stay.
  public static let keep = Self(rule: .keep)

  /// Absent rows of the imported entities are deleted.
  ///
  /// The import deletes them after it has read the whole feed without an error. It deletes only
  /// rows that existed when it began and are unchanged since. These absent rows stay, too:
  ///
  /// - rows that a delete rule keeps,
  /// - rows that are edited in the view context or wait to be pushed,
  /// - rows whose deletion would also delete a row that was inserted or changed since,
  /// - rows of entities that are only nested inside the records.
  ///
  /// If the feed may lack records of an entity, the entity keeps all its rows and is one of
  /// ``ImportResult/incompleteEntities``. JSON lines without a record are an error.
  public static let delete = Self(rule: .deleteEveryRow)

  /// Deletes absent rows like ``delete``, but only rows that the given queries select.
  ///
  /// The queries select rows of the store as it is when the import begins. Use them for a feed that
  /// has a part of the store, such as the songs of an album. Entities without a query keep all
  /// their rows.
  public static func delete<each E: Entity>(within scopes: repeat Query<each E>) -> Self {
    var all: [Scope] = []
    for query in repeat each scopes { all.append(scope(query)) }
    return Self(rule: .delete(all))
  }

  // A closure within the loop crashes the compiler (Swift 6.3.1).
  private static func scope<E: Entity>(_ query: Query<E>) -> Scope {
    Scope(
      rows: { model throws(StoreError) in try ImportScope(query, model) }, entry: .query(query))
  }
}
