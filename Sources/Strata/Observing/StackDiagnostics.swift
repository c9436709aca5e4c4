/// A report of a stack's resources and work at one moment, for a debug screen, a log or a bug
/// report.
///
/// `print` shows the report in a few lines, and the report is `Codable`. It has no contents of
/// rows.
///
/// ```swift
/// let report = try await stack.diagnostics()
/// print(report.file.size, report.snapshots.count, report.waitingWrites)
/// ```
public struct StackDiagnostics: Sendable, Hashable, Codable {
  /// The store's file.
  public struct File: Sendable, Hashable, Codable {
    /// The path of the file.
    public internal(set) var path: String
    /// The size of the file in bytes.
    public internal(set) var size: Int
    /// The size of the write-ahead log's file in bytes.
    ///
    /// SQLite overwrites the log from its start, so the file does not get shorter.
    public internal(set) var logSize: Int
    /// The part of the log that was written since the log was last restarted, in bytes.
    ///
    /// A value above ``StackOptions/logLimit`` means that an old snapshot is held.
    public internal(set) var logUsed: Int
    /// The size of a page in bytes.
    public internal(set) var pageSize: Int
    /// The number of pages in the file, free pages included.
    public internal(set) var pages: Int
    /// The number of unused pages; SQLite fills them before the file grows.
    public internal(set) var freePages: Int
  }

  /// The writer's caches of pages and statements.
  public struct Cache: Sendable, Hashable, Codable {
    /// The size of the cached pages in bytes.
    public internal(set) var size: Int
    /// The number of times a needed page was in the cache, since the writer's connection was
    /// opened.
    public internal(set) var hits: Int
    /// The number of times a page had to be read.
    public internal(set) var misses: Int
    /// The number of times a page was written to the log.
    public internal(set) var writes: Int
    /// The number of compiled statements that are kept.
    public internal(set) var statements: Int
  }

  /// A snapshot that is held.
  ///
  /// While a snapshot is held, the log cannot be restarted, unless the snapshot is of the newest
  /// commit.
  public struct Snapshot: Sendable, Hashable, Codable {
    /// The number of the commit.
    public internal(set) var commit: Int64
    /// The holders of the snapshot, the oldest first; empty while it passes to another holder.
    public internal(set) var holders: [Holder]

    /// Whether a read from the snapshot is under way, at once or in portions.
    public var isBeingRead: Bool {
      holders.contains { [.read, .batches, .export, .history].contains($0.kind) }
    }
    /// Whether the view context shows the snapshot.
    public var isOfView: Bool { holders.contains { $0.kind == .viewContext } }
  }

  /// A holder of a snapshot.
  public struct Holder: Sendable, Hashable, Codable {
    /// The kinds of holders; more may be added.
    public enum Kind: String, Sendable, Hashable, Codable {
      /// The view context, which always holds a snapshot.
      case viewContext = "view context"
      /// The maintainer of the live queries, a moment ahead of the view context.
      case liveQueries = "live queries"
      /// A scratch context that has read, and was not saved, refreshed or released since.
      ///
      /// A child of such a context is also a holder.
      case scratchContext = "scratch context"
      /// An unfinished iteration over a query's batches.
      case batches
      /// An export.
      case export
      /// An unfinished iteration over the history.
      case history
      /// A read that is under way.
      case read
    }

    /// The kind of the holder.
    public internal(set) var kind: Kind
    /// The ``ScratchContext/name`` of a scratch context.
    public internal(set) var name: String?
    /// The time since the holder took the snapshot.
    public internal(set) var age: Duration
  }

  /// A stream of changes that has a consumer.
  public struct Stream: Sendable, Hashable, Codable {
    /// Whether the stream belongs to the view context; if not, it belongs to ``Stack/changes``.
    public internal(set) var isOfView: Bool
    /// The type of the only entity whose changes the stream has; nil for every entity.
    public internal(set) var entity: String?
    /// The number of commits that the consumer has not taken; composed commits count once.
    public internal(set) var unread: Int
  }

  /// A live query, or a live value, that is in use.
  public struct Live: Sendable, Hashable, Codable {
    /// The type of the entity.
    public internal(set) var entity: String
    /// The statement that reads the rows, with question marks for values.
    public internal(set) var sql: String
    /// The number of rows that the query shows, or that the value is made of.
    public internal(set) var rows: Int
    /// Whether the rows have been read at least once.
    public internal(set) var isLoaded: Bool
    /// The wakes and the cost of maintenance so far.
    public internal(set) var statistics: LiveStatistics
  }

  /// The cost of all runs of a statement since the stack was opened.
  public struct Statement: Sendable, Hashable, Codable {
    /// The text of the statement, with question marks for values.
    public internal(set) var sql: String
    /// Whether the statement ran in the writer, where it blocks other writes.
    public internal(set) var isOfWriter: Bool
    /// The number of runs.
    public internal(set) var runs: Int
    /// The time of all runs from their first step to their end, pauses between portions included.
    public internal(set) var total: Duration
    /// The time of the longest run.
    public internal(set) var longest: Duration
    /// The number of rows that the statement returned.
    public internal(set) var rows: Int
    /// The number of rows that the statement visited in scans of whole tables, for want of an
    /// index.
    public internal(set) var scannedRows: Int
    /// The plan that SQLite has for the statement at present, in its own words, one step a line.
    ///
    /// The plan is empty for a statement that has no plan.
    public internal(set) var plan: [String] = []
  }

  /// The store's file and its log.
  public internal(set) var file: File
  /// The number of the newest commit.
  public internal(set) var commit: Int64
  /// The writer's caches.
  public internal(set) var cache: Cache
  /// The number of connections that read, idle connections included.
  public internal(set) var readers: Int
  /// The snapshots that are held, the oldest first.
  public internal(set) var snapshots: [Snapshot]
  /// The number of units of work that wait for the writer, such as saves and import batches.
  public internal(set) var waitingWrites: Int
  /// The activities under way.
  public internal(set) var activity: StackActivity
  /// The number of rows that wait to be pushed, refused rows included.
  public internal(set) var unpushedRows: Int = 0
  /// The streams of the stack, then the streams of the view context.
  public internal(set) var streams: [Stream]
  /// The number of commits that at least one consumer has not taken; composed commits count once.
  ///
  /// The view context counts as a consumer.
  public internal(set) var unreadCommits: Int
  /// The live queries in the order in which they were made.
  public internal(set) var liveQueries: [Live] = []
  /// The statements that took the most time in all, the costliest first.
  ///
  /// The list is empty unless ``StackOptions/recordsStatements`` is set.
  public internal(set) var statements: [Statement] = []
}
