internal import Foundation
internal import Strata

/// The store and the server of a pull.
struct PullContext {
  /// Waits for some time, or until the task is cancelled.
  typealias Pause = @Sendable (Duration) async -> Void

  let connection: any ServerConnection
  let stack: Stack
  let followed: FollowedTables
  /// The number of rows that a copy or a verification reads at a time.
  let pageSize: Int
  let pause: Pause

  var tables: [Table] { followed.tables }

  func table(_ name: String) -> Table {
    guard let table = tables.first(where: { $0.name == name }) else {
      fatalError("an unknown table")
    }
    return table
  }

  // MARK: - Pages

  /// A part of a table, in key order.
  struct Page {
    let rows: ServerRows
    let count: Int
    /// The last key; nil at the end of the table.
    let through: RecordKey?
  }

  /// Reads the next page of a table.
  func page(
    of table: Table, after progress: CopyProgress
  ) async throws(ReplicaError) -> Page {
    let after = progress.lastKey(of: table)
    return try await page(of: table, after: after, limit: pageSize)
  }

  private func page(
    of table: Table, after: RecordKey?, limit: Int
  ) async throws(ReplicaError) -> Page {
    let page = try await connection.page(of: table, after: after, limit: limit)
    let through = page.count < limit ? nil : page.lastKey
    return Page(
      rows: page.rows(of: table, .range(after: after, through: through)), count: page.count,
      through: through)
  }

  // MARK: - The stage

  /// The number of rows of a slice, which memory holds several times.
  private var sliceSize: Int { min(pageSize, 1_000) }

  /// Keeps rows that are read in the snapshot of a pull on the disk of this host, page by page.
  func stage(
    _ requests: [ChangedTable], since cursor: ReplicaCursor
  ) async throws(ReplicaError) {
    try await storing { () throws(StoreError) in try await stack.clearStage() }
    for request in requests {
      switch request.extent {
      case .keys: continue
      case .logged: try await stageLogged(request.table, since: cursor)
      case .whole: try await stageAll(request.table)
      }
    }
  }

  private func stageLogged(
    _ table: Table, since cursor: ReplicaCursor
  ) async throws(ReplicaError) {
    var isFirst = true
    while true {
      let page = try await connection.loggedRows(
        of: table, since: cursor, isFirst: isFirst, limit: sliceSize)
      isFirst = false
      if page.count > 0 { try await stage(page.rows(of: table)) }
      if page.count < sliceSize { return }
    }
  }

  private func stageAll(_ table: Table) async throws(ReplicaError) {
    var after: RecordKey?
    repeat {
      let page = try await page(of: table, after: after, limit: sliceSize)
      try await stage(page.rows)
      after = page.through
    } while after != nil
  }

  private func stage(_ rows: ServerRows) async throws(ReplicaError) {
    try await storing { () throws(StoreError) in try await stack.stage(rows) }
  }

  /// Returns those of some rows that the store does not have as the server has them.
  func differences(
    from rows: [ServerRows]
  ) async throws(ReplicaError) -> [ServerDifference] {
    try await storing { () throws(StoreError) in
      try await stack.differences(from: rows, of: followed)
    }
  }

  // MARK: - The disk of the server

  /// Waits until everything that was read is on the server's disk.
  ///
  /// A commit with `synchronous_commit = off` is visible before. A crash takes it back, and another
  /// transaction then gets its number.
  func waitUntilFlushed(
    _ written: LogPosition, flushed: LogPosition, for client: UUID
  ) async throws(ReplicaError) {
    if flushed >= written { return }
    await pause(.milliseconds(1))
    if try await connection.logPositions().flushed >= written { return }
    try await connection.flushLog(by: client)
  }

  // MARK: - The store

  /// Brings the store to rows of the server, in one commit.
  ///
  /// - Parameters:
  ///   - next: the state to store, before the outcome of the last push.
  ///   - client: the server's knowledge of the replica when the rows were read. If the server had made
  ///     the last push, the rows show its edits, and these edits no longer wait.
  ///   - isStaged: whether the staged rows are applied, too.
  ///   - replaced: the rows in which other hosts have replaced values in a conflict, with their names.
  func apply(
    _ rows: [ServerRows], _ next: StoredState, _ client: ServerClient?, isStaged: Bool = false,
    replaced: [PushOrder.Row: String] = [:]
  ) async throws(ReplicaError) -> PullOutcome {
    var new = next
    var (verdicts, push) = ([ServerVerdict]?.none, PushState.Outcome?.none)
    if let client, next.push.push != nil {
      let outcome = next.push.outcome(client)
      push = outcome
      if outcome == .confirmed { verdicts = client.verdicts }
      if outcome == .confirmed || outcome == .lost {
        new.push.note(outcome, client, newClient: new.push.client)
      }
    }
    let state = new.data
    let applied = try await storing { [verdicts] () throws(StoreError) in
      try await stack.apply(
        rows, of: followed, isStaged: isStaged, marked: Set(replaced.keys), confirming: verdicts,
        state: state)
    }
    return PullOutcome(
      state: new, push: push, isApplied: true, hasWithheld: applied.hasWithheld,
      conflicts: applied.conflicts,
      replaced: applied.replaced.map { difference in
        let row = PushOrder.Row(table: difference.table.id, key: difference.key)
        return ReplacedRow(difference, by: replaced[row] ?? "")
      })
  }
}
