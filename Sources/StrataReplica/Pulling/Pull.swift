internal import Foundation
internal import Strata

/// One pull: the server's answer, its meaning, and at most one commit of the store.
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

  mutating func run() async throws(ReplicaError) -> PullOutcome {
    let request = request
    let store = PullingStore(
      stack: context.stack, followed: context.followed, state: state, order: order)
    let answer = try await context.server.pull(request, store)
    try request.recognise(answer.database)
    state.database = answer.database ?? request.database
    let push = state.push.outcome(answer.client)
    var outcome: PullOutcome
    switch answer.news {
    case _ where push == .foreign || push == .unregistered:
      // Another store has the name of the replica, or the server has only now learned it.
      var new = state.unread
      new.push.note(push, nil, newClient: UUID())
      outcome = PullOutcome(state: new)
    case .nothing: outcome = PullOutcome(state: state)
    case .copy(let cursor):
      outcome = PullOutcome(state: state.copying(CopyProgress(cursor)), beginsCopy: true)
    case .rows(let rows): outcome = try await take(rows, answer.client, request)
    }
    (outcome.push, outcome.client) = (push, answer.client)
    return outcome
  }

  private var request: PullRequest {
    let copy: PullRequest.Copy =
      if let copy = state.copy {
        context.tables.allSatisfy(copy.isFinished) ? .read : .reading
      } else {
        .none
      }
    return PullRequest(
      cursor: state.cursor ?? state.copy?.cursor, copy: copy, push: state.push,
      database: order.adoptsDatabase ? nil : state.database, readsAll: order.readsAll,
      suspects: order.suspects, pageSize: context.pageSize)
  }

  /// Brings the store to the state of the server that an answer has.
  private func take(
    _ pulled: PulledRows, _ client: ServerClient?, _ request: PullRequest
  ) async throws(ReplicaError) -> PullOutcome {
    var outcome = PullOutcome(state: state, found: false)
    if let cursor = pulled.cursor {
      if !pulled.isEmpty || request.isNoted(client) {
        let next = state.at(
          cursor, mustReadWaiting: pulled.whole.contains { context.followed[$0] != nil })
        outcome = try await context.apply(
          pulled.rows, next, client, isStaged: pulled.isStaged, replaced: pulled.replaced)
      } else {
        outcome.state.cursor = cursor
      }
    }
    outcome.suspects = pulled.suspects
    return outcome
  }
}
