internal import Foundation
internal import Strata

/// One pull: the head of the server, its meaning, the rows, and at most one commit of the store.
struct Pull {
  let context: PullContext
  /// The state of the replica before the pull.
  private(set) var state: StoredState
  let order: PullOrder

  init(_ context: PullContext, _ state: StoredState, _ order: PullOrder) {
    self.context = context
    self.state = state
    self.order = order
  }

  private var connection: any ServerConnection { context.connection }

  mutating func run() async throws(ReplicaError) -> PullOutcome {
    let since = state.cursor ?? state.copy?.cursor
    let start = try await connection.beginPull(
      since: since, by: state.push.client, limit: context.pageSize)
    if order.adoptsDatabase { state.database = nil }
    do throws(ReplicaError) { try state.recognise(start.head.database) } catch {
      _ = try await connection.endPull(reading: [])
      throw error
    }
    let push = state.push.outcome(start.head.client)
    var outcome: PullOutcome
    // A server that lacks pushes was put back to an older state, so it may lack other commits, too.
    switch PullPlan(start.head, since: order.readsAll || push == .lost ? nil : since) {
    case _ where push == .foreign || push == .unregistered: outcome = try await register(push)
    case .refuse(let obstacle):
      _ = try await connection.endPull(reading: [])
      throw .cannotFollow(obstacle)
    case .resync: outcome = try await beginCopy(start.head)
    case .difference(let shapes):
      if let copy = state.copy, !context.tables.allSatisfy(copy.isFinished) {
        // The copy goes on after its last page.
        _ = try await connection.endPull(reading: [])
        outcome = PullOutcome(state: state)
      } else {
        outcome = try await pull(start, push, shapes)
      }
    }
    (outcome.push, outcome.client) = (push, start.head.client)
    return outcome
  }

  /// Makes the replica known to the server, under a new name if another store has its name.
  private func register(_ push: PushState.Outcome) async throws(ReplicaError) -> PullOutcome {
    _ = try await connection.endPull(reading: [])
    var new = state.unread
    new.push.note(push, nil, newClient: UUID())
    try await connection.register(new.push.client)
    return PullOutcome(state: new)
  }

  private func beginCopy(_ head: ServerHead) async throws(ReplicaError) -> PullOutcome {
    _ = try await connection.endPull(reading: [])
    guard let cursor = ReplicaCursor(head) else { return PullOutcome(state: state, found: false) }
    return PullOutcome(state: state.copying(CopyProgress(cursor)), beginsCopy: true)
  }

  /// Brings the store to the server's snapshot.
  ///
  /// - Parameter shapes: the names of the tables whose fingerprints differ.
  private func pull(
    _ start: PullStart, _ push: PushState.Outcome, _ shapes: Set<String>
  ) async throws(ReplicaError) -> PullOutcome {
    // A push that changed nothing on the server is not in its log.
    let confirms = push == .confirmed && state.push.push != nil && context.followed.hasFilters
    let requests = try await PullRequests(
      context: context, state: state, order: order,
      readsWaiting: confirms || state.mustReadWaiting == true
    ).all(start.changed, shapes: shapes)
    let (streamed, keyed) = (requests.filter { $0.keys == nil }, requests.filter { $0.keys != nil })
    let isStaged = !streamed.isEmpty
    if isStaged, let since = state.cursor ?? state.copy?.cursor {
      try await context.stage(streamed, since: since)
    }
    // The rows that a verification suspects are read by a pull that reads by keys alone.
    let suspects = isStaged ? [:] : order.suspects
    let end = try await connection.endPull(reading: keyed.adding(suspects, of: context.tables))
    var outcome = PullOutcome(state: state, found: false)
    guard let cursor = ReplicaCursor(start.head) else { return outcome }
    let hasOutcome = state.push.push != nil && push != .waiting
    if !requests.isEmpty || hasOutcome || state.copy != nil {
      if let written = start.head.written {
        try await context.waitUntilFlushed(
          written, flushed: end.flushed, for: state.push.client)
      }
      let next = state.at(
        cursor,
        mustReadWaiting: requests.contains { $0.isWhole && context.followed[$0.table] != nil })
      let rows = suspects.isEmpty ? end.rows : end.rows.answering(keyed)
      outcome = try await context.apply(
        rows, next, start.head.client, isStaged: isStaged, replaced: start.replaced)
    } else if let written = start.head.written, written <= end.flushed {
      // A crash takes back a commit that is not on the disk, and others then get its numbers.
      outcome.state.cursor = cursor
    }
    if !isStaged {
      let again = suspects.map { ChangedTable(context.table($0.key), .keys($0.value)) }
      outcome.suspects = end.rows.answering(again)
    }
    return outcome
  }
}

extension ReplicaError {
  fileprivate static func cannotFollow(_ obstacle: PullPlan.Obstacle) -> ReplicaError {
    switch obstacle {
    case .format:
      ReplicaError(
        .unsuitableServer, "another version of Strata prepared the server",
        advice: "update the program, or prepare the server again")
    case .standby:
      ReplicaError(
        .unsuitableServer,
        "the server is a standby, whose snapshots leave out running transactions",
        advice: "connect to the primary: target_session_attrs=read-write")
    }
  }
}
