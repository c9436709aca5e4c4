import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataReplica

/// A replica of a server that has neither a log nor open transactions.
@Suite(.inTurn) struct SecondServerTests {
  private func follow(_ stack: Stack, _ server: TableServer) async throws -> Replica {
    let followed = FollowedTables(stack.replicableTables)
    return try await Replica.open(
      stack, of: followed, ReplicaOptions(),
      { () async throws(ReplicaError) in server.connect(followed) },
      pageSize: 2, pausing: { _ in await Task.yield() })
  }

  private func server(_ notes: Int) -> TableServer {
    let server = TableServer()
    server.change { state in for id in 1...notes { state.set(Note(id: id), at: id) } }
    return server
  }

  private func rows(_ stack: Stack) async throws -> [Note] {
    try await stack.fetch(Note.sorted(by: \.id))
  }

  private func rows(_ server: TableServer) -> [Note] {
    server.state.withLock { $0.rows.values.sorted { $0.id < $1.id } }
  }

  @Test func `rows come from a server without a log, and edits reach it`() async throws {
    let stack = try await Stack.temporary([Note.self])
    let server = server(5)
    let replica = try await follow(stack, server)
    try await replica.settled()
    #expect(try await rows(stack) == rows(server) && rows(server).count == 5)
    #expect(await replica.copies == 1)
    server.change { state in
      state.set(Note(id: 1, title: "theirs", count: 10), at: 1)
      state.set(nil, at: 2)
      state.set(Note(id: 6), at: 6)
    }
    try await stack.withScratch { context in
      context.update(try #require(try await context.find(Note.self, 1))) { $0.count += 5 }
      context.insert(Note(id: 7, title: "mine"))
      context.insert(Note(id: 8, title: "bad"))
    }
    try await replica.settled()
    #expect(rows(server).map(\.id) == [1, 3, 4, 5, 6, 7])
    #expect(rows(server).first == Note(id: 1, title: "theirs", count: 15))
    #expect(try await replica.refused().map { $0.request.id(of: Note.self) } == [8])
    #expect(try await rows(stack).filter { $0.id != 8 } == rows(server))
    #expect(try await replica.verify().isEmpty)
    #expect(await replica.copies == 1)
    await replica.close()
    await stack.close()
  }

  // The replica waits without a limit, so only the server's word or an edit ends the wait.
  @Test func `a change of the server or of the store ends a wait`() async throws {
    let stack = try await Stack.temporary([Note.self])
    let server = server(1)
    let replica = try await follow(stack, server)
    try await replica.settled()
    let changes = stack.changes
    server.change { $0.set(Note(id: 2), at: 2) }
    for await _ in changes where try await rows(stack).count == 2 { break }
    try await stack.withScratch { $0.insert(Note(id: 3)) }
    while rows(server).count < 3 { await server.promiseOfChange().value }
    await replica.close()
    await stack.close()
  }

  @Test func `a push whose answer was lost is made once`() async throws {
    let stack = try await Stack.temporary([Note.self])
    let server = server(1)
    let replica = try await follow(stack, server)
    try await replica.settled()
    server.change { $0.losesAnswer = true }
    try await stack.withScratch { context in
      context.update(try #require(try await context.find(Note.self, 1))) { $0.count += 5 }
    }
    for _ in 0..<5 where (try? await replica.settled()) != nil { break }
    #expect(rows(server).map(\.count) == [5])
    #expect(try await rows(stack).map(\.count) == [5])
    #expect(await replica.diagnostics.connections == 2)
    await replica.close()
    await stack.close()
  }

  @Test func `a relaunched replica gives the cursor back as its follower wrote it`() async throws {
    let stack = try await Stack.temporary([Note.self])
    let server = server(3)
    var replica = try await follow(stack, server)
    try await replica.settled()
    await replica.close()
    server.change { state in
      state.cursors = []
      state.set(Note(id: 4), at: 4)
    }
    replica = try await follow(stack, server)
    try await replica.caughtUp()
    let first = try #require(server.state.withLock { $0.cursors.first })
    #expect(first == ReplicaCursor(["version": .text("3")]))
    #expect(await replica.copies == 0)
    #expect(try await rows(stack) == rows(server) && rows(server).count == 4)
    await replica.close()
    await stack.close()
  }

  @Test func `a server that was put back is read whole`() async throws {
    let stack = try await Stack.temporary([Note.self])
    let server = server(3)
    let replica = try await follow(stack, server)
    try await replica.settled()
    server.change { state in
      state.rows[2] = nil
      state.version = 1
    }
    try await replica.caughtUp()
    while await !replica.isLive { try await replica.caughtUp() }
    #expect(try await rows(stack).map(\.id) == [1, 3])
    #expect(await replica.copies == 2)
    try await replica.resync()
    #expect(await replica.copies == 3)
    await replica.close()
    await stack.close()
  }

  // A store moves from one kind of server to the other, which has the same data and knows the replica.
  @Test func `the cursor of another kind of server begins a copy, and edits wait`() async throws {
    let stack = try await Stack.temporary([Note.self])
    let (former, server) = (ModelServer(seed: 1), server(2))
    let followed = FollowedTables(stack.replicableTables)
    var replica = try await Replica.open(
      stack, of: followed, ReplicaOptions(),
      { () async throws(ReplicaError) in try former.connect(followed) },
      pausing: { _ in await Task.yield() })
    try await replica.settled()
    let client = await replica.diagnostics.client
    await replica.close()
    try await stack.withScratch { $0.insert(Note(id: 9, title: "mine")) }
    let database = former.state.withLock(\.database)
    server.change { state in
      state.database = database
      state.clients[client] = ServerClient(lastPush: 0, token: nil, verdicts: [])
    }
    replica = try await follow(stack, server)
    try await replica.settled()
    #expect(await replica.copies == 1)
    #expect(rows(server).map(\.id) == [1, 2, 9])
    #expect(try await rows(stack) == rows(server))
    await replica.close()
    await stack.close()
  }

  @Test func `another database of the second kind is refused, and learns of no replica`()
    async throws
  {
    let stack = try await Stack.temporary([Note.self])
    let (right, wrong) = (server(1), server(2))
    var replica = try await follow(stack, right)
    try await replica.settled()
    await replica.close()
    replica = try await follow(stack, wrong)
    let error = await #expect(throws: ReplicaError.self) { try await replica.caughtUp() }
    #expect(error?.code == .anotherDatabase)
    #expect(wrong.state.withLock { $0.clients.isEmpty })
    #expect(try await rows(stack).map(\.id) == [1])
    await replica.close()
    await stack.close()
  }

  @Test func `a replica of a silent server of the second kind can be closed`() async throws {
    let stack = try await Stack.temporary([Note.self])
    let server = server(1)
    let replica = try await follow(stack, server)
    try await replica.settled()
    server.change { state in
      state.isSilent = true
      state.cursors = []
    }
    let call = Task { try? await replica.caughtUp() }
    while server.state.withLock({ $0.cursors.isEmpty }) { await Task.yield() }
    await replica.close()
    await call.value
    await stack.close()
  }
}
