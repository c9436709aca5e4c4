/// What a stack has and does at one moment: for a debug screen, a log, a report of a bug.
///
/// `print` shows it in a few lines, and it is `Codable`. There are no rows' contents in it.
public struct StackDiagnostics: Sendable, Hashable, Codable {
  /// The store's file.
  public struct File: Sendable, Hashable, Codable {
    /// Where it is.
    public internal(set) var path: String
    /// In bytes.
    public internal(set) var size: Int
    /// The length of the write-ahead log's file, in bytes. It is written over from its start, and
    /// does not get shorter.
    public internal(set) var logSize: Int
    /// How much of it has something in it that was committed since it was last started again, in
    /// bytes. Past ``Stack/Options/logLimit`` somebody keeps an old state.
    public internal(set) var logUsed: Int
    /// In bytes.
    public internal(set) var pageSize: Int
    /// Those of the file, free ones included.
    public internal(set) var pages: Int
    /// Pages that are not used; SQLite fills them before it lets the file grow.
    public internal(set) var freePages: Int
  }

  /// The writer's memory of pages and statements.
  public struct Cache: Sendable, Hashable, Codable {
    /// Of pages, in bytes.
    public internal(set) var size: Int
    /// How often a page was there when it was needed, since the store was opened.
    public internal(set) var hits: Int
    /// How often a page had to be read.
    public internal(set) var misses: Int
    /// How often a page was written to the log.
    public internal(set) var writes: Int
    /// Compiled statements that are kept.
    public internal(set) var statements: Int
  }

  /// A state of the store that somebody holds on to.
  ///
  /// As long as it is there, the log is not started again, unless it is the newest state.
  public struct Snapshot: Sendable, Hashable, Codable {
    /// The number of the commit.
    public internal(set) var commit: Int64
    /// Who holds it, the oldest first; empty while it changes hands.
    public internal(set) var holders: [Holder]

    /// Whether something is being read from it, at once or in portions.
    public var isBeingRead: Bool {
      holders.contains { [.read, .batches, .export, .history].contains($0.kind) }
    }
    /// Whether the view context shows it.
    public var isOfView: Bool { holders.contains { $0.kind == .viewContext } }
  }

  /// Who holds on to a state of the store.
  public struct Holder: Sendable, Hashable, Codable {
    /// Kinds of holders; more may come.
    public enum Kind: String, Sendable, Hashable, Codable {
      /// The view context, which always has one.
      case viewContext = "view context"
      /// What maintains the live queries, a moment ahead of the view context.
      case liveQueries = "live queries"
      /// A scratch context that has read something and was neither saved, refreshed nor let go of,
      /// or whose parent has.
      case scratchContext = "scratch context"
      /// An iteration over a query's batches that is not at its end.
      case batches
      /// An export.
      case export
      /// An iteration over the history that is not at its end.
      case history
      /// Something that is being read at this moment.
      case read
    }

    /// What it is.
    public internal(set) var kind: Kind
    /// The ``ScratchContext/name`` of a context.
    public internal(set) var name: String?
    /// For how long.
    public internal(set) var age: Duration
  }

  /// A stream of changes that somebody consumes.
  public struct Stream: Sendable, Hashable, Codable {
    /// Whether it is one of the view context's; if not, it is of ``Stack/changes``.
    public internal(set) var isOfView: Bool
    /// The type of the only entity whose changes it has; nil for every one.
    public internal(set) var entity: String?
    /// Commits that the consumer has not taken yet; composed ones count once.
    public internal(set) var unread: Int
  }

  /// A live query, or a live value, that somebody holds.
  public struct Live: Sendable, Hashable, Codable {
    /// The entity's type.
    public internal(set) var entity: String
    /// The statement that reads it, with question marks for values.
    public internal(set) var sql: String
    /// How many rows it shows, or its value is made of.
    public internal(set) var rows: Int
    /// Whether its rows have been read once.
    public internal(set) var isLoaded: Bool
    /// What keeping it up to date has cost.
    public internal(set) var statistics: LiveStatistics
  }

  /// What a statement has cost since the stack was opened, all its runs together.
  public struct Statement: Sendable, Hashable, Codable {
    /// The text, with question marks for values.
    public internal(set) var sql: String
    /// Whether it ran in the writer, where others had to wait for it.
    public internal(set) var isOfWriter: Bool
    /// How often it was run.
    public internal(set) var runs: Int
    /// From their first step to their end: the time between two portions counts.
    public internal(set) var total: Duration
    /// Of one run.
    public internal(set) var longest: Duration
    /// The rows that it returned.
    public internal(set) var rows: Int
    /// The rows that it looked at in tables of which it looked at every row, for want of an index.
    public internal(set) var scannedRows: Int
    /// How SQLite would run it now, in its own words, a step a line; empty for what has no plan.
    public internal(set) var plan: [String] = []
  }

  /// The store's file and its log.
  public internal(set) var file: File
  /// The number of the newest commit.
  public internal(set) var commit: Int64
  /// What the writer keeps in memory.
  public internal(set) var cache: Cache
  /// Connections that read, idle ones included.
  public internal(set) var readers: Int
  /// The oldest first.
  public internal(set) var snapshots: [Snapshot]
  /// Saves and batches of imports that wait for the writer.
  public internal(set) var waitingWrites: Int
  /// What is under way.
  public internal(set) var activity: Activity
  /// Rows that wait to be pushed.
  public internal(set) var unpushedRows: Int = 0
  /// The stack's, then the view context's.
  public internal(set) var streams: [Stream]
  /// Commits of which at least one consumer, the view context included, has not taken notice;
  /// composed ones count once.
  public internal(set) var unreadCommits: Int
  /// In the order in which they were made.
  public internal(set) var liveQueries: [Live] = []
  /// Those that took longest in all, the costliest first; empty unless
  /// ``Stack/Options/notesStatements``.
  public internal(set) var statements: [Statement] = []
}
