internal import Foundation
internal import StrataSQLite

/// What a stack has and does at one moment: for a debug screen, a log, a report of a bug.
///
/// `print` shows it in a few lines. There are no rows' contents in it.
public struct StackDiagnostics: Sendable, Hashable {
  /// The store's file.
  public struct File: Sendable, Hashable {
    /// Where it is.
    public internal(set) var path: String
    /// In bytes.
    public internal(set) var size: Int
    /// The length of the write-ahead log's file, in bytes. It is written over from its start, and does
    /// not get shorter.
    public internal(set) var logSize: Int
    /// In bytes.
    public internal(set) var pageSize: Int
    /// Those of the file, free ones included.
    public internal(set) var pages: Int
    /// Pages that are not used; SQLite fills them before it lets the file grow.
    public internal(set) var freePages: Int
  }

  /// The writer's memory of pages and statements.
  public struct Cache: Sendable, Hashable {
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
  public struct Snapshot: Sendable, Hashable {
    /// The number of the commit.
    public internal(set) var commit: Int64
    /// Whether something is being read from it.
    public internal(set) var isBeingRead: Bool
    /// Whether the view context and its live queries show it; if not, a scratch context or a fetch has
    /// it. As long as it is there, the log is not started again.
    public internal(set) var isOfView: Bool
  }

  /// A live query that somebody holds.
  public struct Live: Sendable, Hashable {
    /// The entity's type.
    public internal(set) var entity: String
    /// How many rows it shows.
    public internal(set) var rows: Int
    /// Whether its rows have been read once.
    public internal(set) var isLoaded: Bool
    /// What keeping it up to date has cost.
    public internal(set) var statistics: LiveStatistics
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
  /// Streams of changes that somebody consumes.
  public internal(set) var streams: Int
  /// Commits that at least one consumer has not taken yet; composed ones count once.
  public internal(set) var unreadCommits: Int
  /// In the order in which they were made.
  public internal(set) var liveQueries: [Live] = []
}

extension StackDiagnostics: CustomStringConvertible {
  public var description: String {
    var lines = [
      "store \(file.path), commit \(commit)",
      "  file: \(file.size) bytes, \(file.pages) pages of \(file.pageSize), \(file.freePages) free; "
        + "log: \(file.logSize) bytes",
      "  writer: \(waitingWrites) waiting; \(cache.size) bytes of pages, \(cache.hits) hits, "
        + "\(cache.misses) misses, \(cache.writes) written; \(cache.statements) statements",
      "  streams: \(streams), \(unreadCommits) commits unread",
      "  readers: \(readers), snapshots: \(snapshots.count)",
    ]
    lines += snapshots.map { snapshot in
      "    commit \(snapshot.commit), \(commit - snapshot.commit) behind"
        + (snapshot.isOfView ? ", of the view context" : "")
        + (snapshot.isBeingRead ? ", being read" : "")
    }
    lines.append("  live queries: \(liveQueries.count)")
    lines += liveQueries.map { live in
      let counts = live.statistics
      return "    \(live.entity): \(live.isLoaded ? "\(live.rows) rows" : "not loaded"), "
        + "\(counts.wakes) wakes, \(counts.loads) loads, \(counts.refills) refills, "
        + "\(counts.maintainedChanges) changes in \(counts.maintenance)"
    }
    return lines.joined(separator: "\n")
  }
}

extension Stack {
  /// What the stack has and does now.
  ///
  /// The parts are of moments shortly after one another: nothing is stopped for it.
  ///
  /// - Throws: ``StoreError`` with code `closed`. While the stack is suspended, it waits.
  /// - Complexity: O(*s* + *l*) for *s* snapshots and *l* live queries.
  public nonisolated(nonsending) func diagnostics() async throws(StoreError) -> StackDiagnostics {
    let (shown, lives) = await view.diagnosed
    var diagnostics = try await store.writer.submit(.urgent, isShort: true) {
      writer throws(StoreError) in
      try writer.diagnostics(showing: shown)
    }
    diagnostics.liveQueries = lives
    return diagnostics
  }
}

extension ViewContext {
  /// The snapshot that is shown, by its identity, and the live queries.
  fileprivate var diagnosed: (ObjectIdentifier, [StackDiagnostics.Live]) {
    let lives = results.sorted { $0.key < $1.key }.compactMap { $0.value.result }
    return (
      ObjectIdentifier(snapshot),
      lives.map { live in
        StackDiagnostics.Live(
          entity: live.plan.query.table.entity, rows: live.shown.range.count,
          isLoaded: live.isLoaded, statistics: live.counters.statistics)
      }
    )
  }
}

extension Writer {
  fileprivate func diagnostics(
    showing shown: ObjectIdentifier
  ) throws(StoreError) -> StackDiagnostics {
    let connection = try connection
    func size(_ suffix: String) -> Int {
      let attributes = try? FileManager.default.attributesOfItem(atPath: options.path + suffix)
      return (attributes?[.size] as? NSNumber)?.intValue ?? 0
    }
    let pragma = { (name: String) throws(StoreError) in
      try translatingErrors { () throws(SQLiteError) in
        Int(try connection.integer("PRAGMA \(name)") ?? 0)
      }
    }
    let memory = connection.memory
    let pool = pool.load(showing: shown)
    let load = publisher.load
    return StackDiagnostics(
      file: StackDiagnostics.File(
        path: options.path, size: size(""), logSize: size("-wal"),
        pageSize: try pragma("page_size"), pages: try pragma("page_count"),
        freePages: try pragma("freelist_count")),
      commit: commit,
      cache: StackDiagnostics.Cache(
        size: memory.size, hits: memory.hits, misses: memory.misses, writes: memory.writes,
        statements: memory.statements),
      readers: pool.readers, snapshots: pool.snapshots, waitingWrites: queue.count,
      streams: load.subscriptions, unreadCommits: load.unread)
  }
}
