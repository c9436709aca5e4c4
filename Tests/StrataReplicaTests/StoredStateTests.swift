import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataReplica

/// The state of a replica in its store.
@Suite(.inTurn) struct StoredStateTests {
  /// States as version 1.0 has stored them: after a pull, and in the middle of a copy.
  private static let former = [
    #"{"cursor":{"epoch":"6A1F2C54-43C1-4F0E-9E0C-0B8F3B5F8A11","server":"7\/5\/1","shapes":{"notes":"a"},"#
      + #""snapshot":"100:120:105,110"},"database":"11111111-43C1-4F0E-9E0C-0B8F3B5F8A11","#
      + #""push":{"client":"22222222-43C1-4F0E-9E0C-0B8F3B5F8A11","confirmed":3,"#
      + #""push":{"number":4,"token":"33333333-43C1-4F0E-9E0C-0B8F3B5F8A11"}}}"#,
    #"{"copy":{"cursor":{"epoch":"6A1F2C54-43C1-4F0E-9E0C-0B8F3B5F8A11","server":"7\/5\/1","shapes":{},"#
      + #""snapshot":"5:5:"},"finished":[],"last":{"key":{"integer":{"_0":2}},"table":"notes"},"rowCount":2},"#
      + #""push":{"client":"22222222-43C1-4F0E-9E0C-0B8F3B5F8A11","confirmed":0}}"#,
  ]

  @Test(arguments: former) func `a stored state keeps its form`(_ text: String) throws {
    let state = try StoredState(Data(text.utf8))
    #expect(String(decoding: state.data, as: UTF8.self) == text)
    let stored = try #require(state.cursor ?? state.copy?.cursor)
    let cursor = try #require(LogCursor(stored))
    #expect(cursor.server == "7/5/1" && cursor.stored == stored)
  }

  @Test func `a copy without later changes is stored as a state of the server`() async throws {
    let stack = try await Stack.temporary([Note.self])
    let server = ModelServer(seed: 1)
    server.state.withLock { $0.set(Note(id: 1), isFlushed: true) }
    let followed = FollowedTables(stack.replicableTables)
    let replica = try await Replica.open(
      stack, of: followed, ReplicaOptions(),
      { () async throws(ReplicaError) in try server.connect(followed) },
      pausing: { _ in await Task.yield() })
    while await !replica.isLive { try await replica.caughtUp() }
    await replica.close()
    let data = try await stack.openReplica(of: followed.tables, first: Data())
    let state = try StoredState(data)
    #expect(state.cursor != nil && state.copy == nil)
    await stack.close()
  }

  @Test func `a text that is no state is an error`() {
    #expect(throws: ReplicaError.self) { try StoredState(Data("{}x".utf8)) }
  }

  // The cursor used to be a type with a snapshot in it.
  @Test func `a store with a state of a former version goes on without a copy`() async throws {
    let stack = try await Stack.temporary([Note.self])
    let server = ModelServer(seed: 1)
    server.state.withLock { $0.set(Note(id: 1), isFlushed: true) }
    let client = UUID()
    let (epoch, database) = server.state.withLock { state in
      state.contents.clients[client] = ServerClient(lastPush: 0, token: nil, verdicts: [])
      return (state.epoch, state.database)
    }
    let former =
      #"{"cursor":{"epoch":"\#(epoch)","server":"1","shapes":{"notes":""},"snapshot":"11:11:"},"#
      + #""database":"\#(database)","push":{"client":"\#(client)","confirmed":0}}"#
    let followed = FollowedTables(stack.replicableTables)
    _ = try await stack.openReplica(of: followed.tables, first: Data(former.utf8))
    try await stack.withScratch { $0.insert(Note(id: 3, title: "mine")) }
    server.state.withLock { $0.set(Note(id: 2), isFlushed: true) }
    let replica = try await Replica.open(
      stack, of: followed, ReplicaOptions(),
      { () async throws(ReplicaError) in try server.connect(followed) },
      pausing: { _ in await Task.yield() })
    #expect(await replica.isLive)
    try await replica.settled()
    #expect(await replica.copies == 0)
    // Row 1 is older than the cursor, so no pull reads it.
    #expect(try await stack.fetch(Note.sorted(by: \.id)).map(\.id) == [2, 3])
    #expect(server.state.withLock { $0.contents.rows.keys.sorted() } == [1, 2, 3])
    await replica.close()
    await stack.close()
  }
}
