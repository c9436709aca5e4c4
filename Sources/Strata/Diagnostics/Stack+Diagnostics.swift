internal import Foundation
internal import StrataSQLite

extension Stack {
  /// Returns a report of the stack's state and of its work in progress.
  ///
  /// Nothing is stopped for the report, so its parts are of moments shortly after one another. The
  /// writer reports only numbers that it has in memory and the sizes of its files. A reader makes
  /// the plans of the listed statements, without running them.
  ///
  /// - Parameter count: how many of the costliest statements are listed, 0 or more.
  /// - Throws: ``StoreError`` with code `cancelled`, `closed` or one of SQLite's. While the stack
  ///   is suspended, it waits.
  /// - Complexity: O(*s* + *l* + *c* + *p*) for *s* snapshots, *l* live queries, *c* streams and
  ///   *p* rows that wait to be pushed.
  public nonisolated(nonsending) func diagnostics(
    statements count: Int = 20
  ) async throws -> StackDiagnostics {
    if count < 0 { fatalError("a report lists 0 statements or more, not \(count)") }
    let (lives, streams) = await attachedView?.diagnosed ?? ([], [])
    var diagnostics = try await store.writer.submit(.urgent, isShort: true) {
      writer throws(StoreError) in try writer.diagnostics()
    }
    diagnostics.activity = store.activity.current
    diagnostics.streams += streams
    diagnostics.liveQueries = lives
    let statements = store.writer.options.observers.ledger?.costliest(count) ?? []
    (diagnostics.unpushedRows, diagnostics.statements) = try await store.reading {
      snapshot throws(StoreError) in
      try await snapshot.readOnce { _, connection throws(StoreError) in
        (Int(try OutboxTable.count(connection)), statements.map { connection.planned($0) })
      }
    }
    return diagnostics
  }
}

extension Connection {
  /// Returns the statement with its plan, if this connection can make one.
  fileprivate func planned(
    _ statement: StackDiagnostics.Statement
  ) -> StackDiagnostics.Statement {
    let verb = statement.sql.prefix { $0.isLetter }.uppercased()
    // A pragma takes effect while it is compiled, even behind EXPLAIN.
    guard ["SELECT", "WITH", "INSERT", "UPDATE", "DELETE", "REPLACE"].contains(verb) else {
      return statement
    }
    var planned = statement
    // The table may no longer exist, or only another connection may have it.
    planned.plan = (try? plan(of: statement.sql))?.lines() ?? []
    return planned
  }
}

extension [PlanStep] {
  /// Returns a line for each step, indented by its depth.
  fileprivate func lines(_ indent: String = "") -> [String] {
    flatMap { [indent + $0.detail] + $0.steps.lines(indent + "  ") }
  }
}

extension ViewContext {
  /// The live queries, and the streams of the context's changes.
  fileprivate var diagnosed: ([StackDiagnostics.Live], [StackDiagnostics.Stream]) {
    let lives = results.all
    return (
      lives.map { live in
        let query = live.plan.query
        return StackDiagnostics.Live(
          entity: query.table.entity,
          sql: query.select(limit: query.limit, offset: query.offset).text,
          rows: live.shown.range.count, isLoaded: live.isLoaded,
          statistics: live.counters.statistics)
      }, backlogs.map { StackDiagnostics.Stream($0, store.model, isOfView: true) }
    )
  }
}

extension StackDiagnostics.Stream {
  fileprivate init(_ backlog: ChangeBroadcast.Backlog, _ model: Model, isOfView: Bool) {
    self.init(
      isOfView: isOfView, entity: backlog.table.map { model[$0].entity }, unread: backlog.unread)
  }
}

extension Writer {
  fileprivate func diagnostics() throws(StoreError) -> StackDiagnostics {
    let connection = try connection
    func size(_ suffix: String) -> Int {
      let attributes = try? FileManager.default.attributesOfItem(atPath: options.path + suffix)
      return (attributes?[.size] as? NSNumber)?.intValue ?? 0
    }
    let pragma = { (name: String) throws(StoreError) in
      Int(try connection.prepared("PRAGMA \(name)").firstInteger() ?? 0)
    }
    let memory = connection.memory
    let pool = pool.load
    let pageSize = try pragma("page_size")
    return StackDiagnostics(
      file: StackDiagnostics.File(
        path: options.path, size: size(""), logSize: size("-wal"),
        logUsed: connection.logFrames * (pageSize + Connection.frameHeaderSize),
        pageSize: pageSize, pages: try pragma("page_count"),
        freePages: try pragma("freelist_count")),
      commit: commit,
      cache: StackDiagnostics.Cache(
        size: memory.size, hits: memory.hits, misses: memory.misses, writes: memory.writes,
        statements: memory.statements),
      readers: pool.readers, snapshots: pool.snapshots, waitingWrites: queue.count, activity: [],
      streams: publisher.backlogs.map { StackDiagnostics.Stream($0, model, isOfView: false) },
      unreadCommits: publisher.load.unread)
  }
}

extension Stack {
  /// The reads that ran at least ten times in a row with other values each time, the longest runs
  /// first.
  ///
  /// A loop that awaits one read for each element makes such a run. Reads are noted from the first
  /// one on, if ``StackOptions/recordsRepeatedReads`` is set.
  public var repeatedReads: [RepeatedRead] { store.writer.options.repeatedReads?.found ?? [] }
}
