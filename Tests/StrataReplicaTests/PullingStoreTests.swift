import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataReplica

private struct Rack: Entity, Equatable {
  var id = 0
  static let schema = Schema<Rack>("racks", key: \.id) {}
}

private struct Volume: Entity, Equatable {
  var id = 0
  var rackID: Rack.ID?

  static let rack = toOne(\.rackID, Rack.self, onDelete: .nullify)
  static let schema = Schema<Volume>("volumes", key: \.id) { rack }
}

/// The answers of a store to a follower in the middle of a pull.
@Suite(.inTurn) struct PullingStoreTests {
  private func keys(_ ids: Int...) -> Set<RecordKey> {
    Set(ids.map { RecordKey(.integer(Int64($0))) })
  }

  // A push that changes nothing on the server is not in its log, and its row may leave the filter.
  @Test func `rows whose edits wait are read with the pull that confirms them`() async throws {
    let stack = try await Stack.temporary([Note.self])
    let all = FollowedTables(stack.replicableTables)
    let some = try FollowedTables([.matching(Note.where { $0.count < 3 })], stack)
    _ = try await stack.openReplica(of: all.tables, first: Data())
    try await stack.withScratch { $0.insert(Note(id: 9)) }
    var state = StoredState(push: PushState(client: UUID()))
    let push = state.push.begin(token: UUID())
    let made = ServerClient(lastPush: 1, token: push.token, verdicts: [])
    let lacking = ServerClient(lastPush: 0, token: nil, verdicts: [])
    func read(
      _ followed: FollowedTables, _ client: ServerClient, _ state: StoredState
    ) async throws -> [String: Set<RecordKey>] {
      let store = PullingStore(stack: stack, followed: followed, state: state, order: PullOrder())
      return try await store.keysBeside([], of: followed.tables, client)
    }
    #expect(try await read(some, made, state) == ["notes": keys(9)])
    #expect(try await read(some, lacking, state).isEmpty)
    #expect(try await read(all, made, state).isEmpty)
    state.mustReadWaiting = true
    #expect(try await read(some, lacking, state) == ["notes": keys(9)])
    await stack.close()
  }

  @Test func `rows whose edits were given up are read, but for tables that are read whole`()
    async throws
  {
    let stack = try await Stack.temporary([Note.self])
    let followed = FollowedTables(stack.replicableTables)
    let store = PullingStore(
      stack: stack, followed: followed, state: StoredState(push: PushState(client: UUID())),
      order: PullOrder(reverted: ["notes": keys(4)]))
    #expect(try await store.keysBeside([], of: followed.tables, nil) == ["notes": keys(4)])
    #expect(try await store.keysBeside([], of: [], nil).isEmpty)
    await stack.close()
  }

  // After a copy, the store may have a row that was not followed when the rows were read that refer to it.
  @Test func `a row enters the store if it is not followed, or if that is not certain`()
    async throws
  {
    let stack = try await Stack.temporary(Rack.self, Volume.self)
    let followed = try FollowedTables(
      [.all(Rack.self), .matching(Volume.all, following: \.rackID)], stack)
    _ = try await stack.openReplica(of: followed.tables, first: Data())
    let racks = followed.tables[0]
    let record = try racks.encode(Rack(id: 1), RecordBuilder())
    let row = ServerRows(racks, .keys(keys(1)), [RecordKey(.integer(1)): record])
    try await stack.apply([row], of: followed, state: Data())
    func entering(_ change: (inout StoredState) -> Void) async throws -> Set<RecordKey> {
      var state = StoredState(push: PushState(client: UUID()))
      change(&state)
      let store = PullingStore(stack: stack, followed: followed, state: state, order: PullOrder())
      return try await store.entering(keys(1, 2), in: racks)
    }
    #expect(try await entering { _ in } == keys(2))
    #expect(try await entering { $0.copy = CopyProgress(ReplicaCursor([:])) } == keys(1, 2))
    #expect(try await entering { $0.mustReadWaiting = true } == keys(1, 2))
    await stack.close()
  }
}
