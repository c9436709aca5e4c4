public import Strata

/// What an import does beyond bringing records.
public struct ImportOptions: Sendable {
  /// How an import's records become visible.
  public enum Commits: Sendable, Hashable {
    /// Batch by batch, each a commit of its own: memory and the wait of others are bounded; what
    /// was committed before a failure stays.
    case batched
    /// All at once or not at all, also if the process is killed.
    ///
    /// Records are staged in a temporary file and written in one transaction at the end, for which
    /// other saves wait. Indexes of tables that are empty and get rows are made after those.
    case atomic
  }

  /// What happens when a record is refused: by its mapping, by a rule of its schema, or because
  /// what it requires is not there.
  public enum RefusedRecords: Sendable, Hashable {
    /// The import stops with an ``ImportError``.
    case stop
    /// The record is left out and counted; the first ones are listed in ``ImportResult/refused``.
    /// Then nothing is deleted as absent: what was left out may be what a row of the store is.
    case skip(listing: Int = 100)
  }

  /// How the records become visible.
  public var commits = Commits.batched
  /// What happens to records that are refused.
  public var refusedRecords = RefusedRecords.stop
  /// How long one transaction may hold the writer, and so how long a save of the view context waits
  /// at most; batches are made as large as that allows.
  public var longestTransaction = Duration.milliseconds(20)
  /// The most bytes that a record may have, as it is held in memory; one that is longer is refused
  /// with ``ImportError/Code/recordTooLong``. Nor may anything else between two commas be longer.
  public var longestRecord = 16 * 1024 * 1024
  /// How many sources are read at a time; at least 1.
  public var workers = 2
  /// Where an interrupted import of JSON lines goes on, as ``ImportProgress/checkpoint`` said; nil
  /// for the beginning.
  public var checkpoint: ImportCheckpoint?
  /// Who commits, as the history says it, if the scratch context has no author of its own.
  public var author = Stack.importAuthor
  /// The records of every batch; nil for as many as time allows.
  var batchSize: Int?

  /// The usual options.
  public init() {}
}

/// What happens to rows that a feed does not have.
public struct AbsentRows: Sendable {
  /// The rows of one query.
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

  /// The rule in words: under another one the same feed may leave other rows.
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

  /// They stay.
  public static let keep = Self(rule: .keep)

  /// Those of the entities that are imported are deleted after the whole feed was read without an
  /// error, but only if they existed when the import began and nobody has changed them since.
  ///
  /// Rows that a delete rule keeps stay, too, those that are edited in the view context or wait to
  /// be pushed, those with which something would go that was made or changed since, and those of
  /// entities that are only nested inside of the records. An entity of which the feed need not have
  /// had every record keeps all its rows, and is one of ``ImportResult/incompleteEntities``. Lines
  /// without a single record are an error.
  public static let delete = Self(rule: .deleteEveryRow)

  /// Like ``delete``, but only the rows of some queries, as they are when the import begins.
  ///
  /// For a feed that has one part of what the store has, such as one album's songs. Entities
  /// without a query keep all their rows.
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
