import Foundation
import StrataTestTurns
import StrataTesting
import Testing

@testable import Strata
@testable import StrataReplica

/// The database of a server is another one, or an older state of the same.
@Suite(.inTurn) struct DatabaseTests {
  private func follow(_ stack: Stack, _ server: ModelServer) async throws -> Replica {
    let followed = try FollowedTables([.all(Note.self)], stack)
    return try await Replica.open(
      stack, of: followed, ReplicaOptions(),
      { () async throws(ReplicaError) in try server.connect(followed) },
      pausing: { _ in await Task.yield() })
  }

  private func server(_ notes: Note...) -> ModelServer {
    let server = ModelServer(seed: 1)
    server.state.withLock { state in
      for note in notes { state.set(note, isFlushed: true) }
    }
    return server
  }

  // A wrong connection string used to cost the rows of the store, and the edits that waited.
  @Test func `another database is refused until the app follows it`() async throws {
    let stack = try await Stack.temporary([Note.self])
    let (right, wrong) = (server(Note(id: 1, title: "a")), server(Note(id: 2, title: "b")))
    var replica = try await follow(stack, right)
    try await replica.caughtUp()
    await replica.close()
    try await stack.withScratch { $0.insert(Note(id: 3, title: "mine")) }

    replica = try await follow(stack, wrong)
    for _ in 0..<2 {
      let error = await #expect(throws: ReplicaError.self) { try await replica.caughtUp() }
      #expect(error?.code == .anotherDatabase && error?.advice.contains("adoptDatabase") == true)
    }
    #expect(try await stack.fetch(Note.sorted(by: \.id)).map(\.id) == [1, 3])
    #expect(wrong.state.withLock { $0.contents.rows.count + $0.contents.clients.count } == 1)
    try await replica.adoptDatabase()
    try await replica.settled()
    #expect(try await stack.fetch(Note.sorted(by: \.id)).map(\.id) == [2, 3])
    #expect(wrong.state.withLock { $0.contents.rows.keys.sorted() } == [2, 3])
    await replica.close()

    // The store remembers which database it has.
    replica = try await follow(stack, right)
    let error = await #expect(throws: ReplicaError.self) { try await replica.caughtUp() }
    #expect(error?.code == .anotherDatabase)
    await replica.close()
    await stack.close()
  }

  // A failover, a restored backup and a dump are other servers with the same data.
  @Test func `another server of the same database is followed`() async throws {
    let stack = try await Stack.temporary([Note.self])
    let server = server(Note(id: 1, title: "a"))
    let replica = try await follow(stack, server)
    try await replica.caughtUp()
    server.state.withLock { state in
      state.system += 1
      state.epoch = UUID()
      state.set(Note(id: 2, title: "b"), isFlushed: true)
    }
    try await replica.caughtUp()
    #expect(try await stack.fetch(Note.sorted(by: \.id)).map(\.id) == [1, 2])
    await replica.close()
    await stack.close()
  }

  // The server's disk was put back, and more transactions have come since than it lost. So its snapshots
  // do not tell. The number of this replica's last push does.
  @Test func `a server that has lost a push has lost commits of others, too`() async throws {
    let stack = try await Stack.temporary([Note.self])
    let server = server(Note(id: 1, title: "a"))
    let replica = try await follow(stack, server)
    try await replica.caughtUp()
    let backup = server.state.withLock { $0.contents }
    try await stack.withScratch { $0.insert(Note(id: 2, title: "mine")) }
    try await replica.settled()
    server.state.withLock { $0.set(Note(id: 3, title: "lost"), isFlushed: true) }
    try await replica.caughtUp()
    #expect(try await stack.fetch(Note.sorted(by: \.id)).map(\.id) == [1, 2, 3])
    server.state.withLock { state in
      let next = state.contents.next + 10
      state.restart(with: backup)
      state.contents.next = next
      state.write(isFlushed: true)
    }
    // The restart has ended the connection.
    _ = try? await replica.caughtUp()
    try await replica.caughtUp()
    let kept = server.state.withLock { $0.contents.rows.keys.sorted() }
    #expect(try await stack.fetch(Note.sorted(by: \.id)).map(\.id) == kept)
    #expect(!kept.contains(3))
    await replica.close()
    await stack.close()
  }
}
