internal import Foundation
internal import Strata

/// The store and the server of a pull.
struct PullContext {
  let server: any ServerFollower
  let stack: Stack
  let followed: FollowedTables
  /// The number of rows that a copy or a verification reads at a time.
  let pageSize: Int

  var tables: [Table] { followed.tables }

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
    let page = try await server.page(of: table, after: after, limit: pageSize)
    let through = page.through(limit: pageSize)
    return Page(
      rows: page.rows(of: table, .range(after: after, through: through)), count: page.count,
      through: through)
  }

  // MARK: - The store

  /// Returns those of some rows that the store does not have as the server has them.
  func differences(
    from rows: [ServerRows]
  ) async throws(ReplicaError) -> [ServerDifference] {
    try await storing { () throws(StoreError) in
      try await stack.differences(from: rows, of: followed)
    }
  }

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
