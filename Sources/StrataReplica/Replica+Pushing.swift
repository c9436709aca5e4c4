internal import Foundation
internal import Strata

extension Replica {
  /// Pushes what waits, unless a push waits for its confirmation. The next pull confirms it.
  func push(_ connection: any ServerConnection) async throws(ReplicaError) {
    // Without the server's rows, nobody knows whether an edit is one.
    guard mayHaveEdits, state.cursor != nil else { return }
    mayHaveEdits = false
    if options.isReadOnly {
      lookups += 1
      settledLookups = lookups
      return
    }
    do throws(ReplicaError) {
      if let push = state.push.push {
        guard try await claim(push, [], connection) else { return }
        try await commit(try await handOver(state), connection)
      } else {
        var next = state
        let push = next.push.begin(token: UUID())
        let edits = try await handOver(next)
        if edits.isEmpty {
          settledLookups = lookups
          return
        }
        state = next
        if try await claim(push, edits, connection) { try await commit(edits, connection) }
      }
    } catch {
      mayHaveEdits = true
      guard error.isPassing else { throw error }
      try await connection.abandon()
    }
  }

  private func claim(
    _ push: PushState.Push, _ edits: [ServerEdit], _ connection: any ServerConnection
  ) async throws(ReplicaError) -> Bool {
    let isArmed = wakeUp.isArmed
    wakeUp.pushed()
    return try await connection.claim(
      push, by: state.push.client, isArmed: isArmed, reading: edits)
  }

  private func commit(
    _ edits: [ServerEdit], _ connection: any ServerConnection
  ) async throws(ReplicaError) {
    if edits.isEmpty {
      state.push.giveUp()
      settledLookups = lookups
      return try await connection.abandon()
    }
    try await connection.commit(edits, by: state.push.client).forEach(found.yield)
    pushes += 1
    hasOldCounts = true
  }

  private func handOver(_ next: StoredState) async throws(ReplicaError) -> [ServerEdit] {
    lookups += 1
    do throws(StoreError) { return try await stack.handOver(of: tables, state: next.data) } catch {
      throw ReplicaError(error)
    }
  }
}
