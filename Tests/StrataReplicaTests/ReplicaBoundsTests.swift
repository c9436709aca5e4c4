import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataReplica

/// The bounds of pulls and pushes, and servers that take no pushes, against a ``ModelServer``.
@MainActor @Suite(.inTurn) struct ReplicaBoundsTests {
  private func live(
    _ query: Query<Note> = Note.all, pushLimit: Int = 1 << 20, notes: Int = 1
  ) async throws -> (Stack, ModelServer, Replica) {
    let stack = try await Stack.temporary([Note.self])
    let server = ModelServer(seed: 1)
    server.state.withLock { state in
      for id in 1...notes { state.set(Note(id: id), isFlushed: true) }
    }
    let followed = try FollowedTables([.matching(query)], stack)
    let replica = try await Replica.open(
      stack, of: followed, ReplicaOptions(),
      { () async throws(ReplicaError) in try server.connect(followed) },
      pageSize: 2, pushLimit: pushLimit, pausing: { _ in await Task.yield() })
    try await replica.settled()
    return (stack, server, replica)
  }

  private func close(_ stack: Stack, _ replica: Replica) async {
    await replica.close()
    await stack.close()
  }

  private func rows(_ stack: Stack) async throws -> [Note] {
    try await stack.fetch(Note.sorted(by: \.id))
  }

  private func rows(_ server: ModelServer) -> [Note] {
    server.state.withLock { $0.contents.rows.values.sorted { $0.id < $1.id } }
  }

  // MARK: - Pulls

  /// A transaction of 40 rows, and answers of two rows at most.
  @Test func `a large transaction comes in pages and in one commit`() async throws {
    let (stack, server, replica) = try await live(notes: 20)
    server.state.withLock { state in
      for id in 11...50 {
        state.contents.rows[id] = id % 7 == 0 ? nil : Note(id: id, title: "new", count: id)
        state.contents.log.append((state.contents.next, id))
      }
      state.contents.next += 1
      state.write(isFlushed: true)
      state.largestAnswer = 0
    }
    let before = stack.historyToken.commit
    try await replica.caughtUp()
    #expect(try await rows(stack) == rows(server))
    #expect(stack.historyToken.commit == before + 1)
    #expect(server.state.withLock { $0.largestAnswer } <= 2)
    #expect(await replica.copies == 1)
    await close(stack, replica)
  }

  @Test(arguments: [false, true]) func `a table that changed unseen comes in pages`(
    isFiltered: Bool
  ) async throws {
    let query = isFiltered ? Note.where { $0.count < 30 } : Note.all
    let (stack, server, replica) = try await live(query, notes: 20)
    server.state.withLock { state in
      for id in 5...40 { state.contents.rows[id] = id % 7 == 0 ? nil : Note(id: id, count: id) }
      (state.shape, state.largestAnswer) = ("changed", 0)
    }
    let before = stack.historyToken.commit
    try await replica.caughtUp()
    #expect(try await rows(stack) == rows(server).filter { !isFiltered || $0.count < 30 })
    #expect(stack.historyToken.commit == before + 1)
    #expect(server.state.withLock { $0.largestAnswer } <= 2)
    await close(stack, replica)
  }

  @Test func `edits that wait lie on the rows of a large pull`() async throws {
    let (stack, server, replica) = try await live(notes: 10)
    server.state.withLock { $0.pushError = Self.readOnly }
    try await stack.withScratch { context in
      for id in [2, 9] {
        context.update(try #require(try await context.find(Note.self, id))) { $0.count += 100 }
      }
      context.insert(Note(id: 99))
    }
    server.state.withLock { state in
      for id in 1...10 { state.set(Note(id: id, title: "new", count: id), isFlushed: true) }
    }
    try await replica.caughtUp()
    #expect(try await rows(stack).map(\.count) == [1, 102, 3, 4, 5, 6, 7, 8, 109, 10, 0])
    #expect(try await replica.verify().isEmpty)
    server.state.withLock { $0.pushError = nil }
    try await replica.settled()
    #expect(try await rows(stack) == rows(server))
    await close(stack, replica)
  }

  // MARK: - Pushes

  private static let readOnly = ReplicaError(
    .refused, "cannot execute UPDATE in a read-only transaction", advice: "", sqlState: "25006")

  @Test func `a server that takes no push still gives rows, and says why it takes none`()
    async throws
  {
    let (stack, server, replica) = try await live()
    server.state.withLock { $0.pushError = Self.readOnly }
    try await stack.withScratch { $0.insert(Note(id: 7)) }
    server.state.withLock { $0.set(Note(id: 8), isFlushed: true) }
    try await replica.caughtUp()
    #expect(try await rows(stack).map(\.id) == [1, 7, 8])
    await #expect { try await replica.settled() } throws: { error in
      (error as? ReplicaError)?.sqlState == "25006"
    }
    let state = replica.monitor.state
    #expect(state.pushFailure?.sqlState == "25006" && state.waiting == 1)
    if case .live = state.phase {} else { Issue.record("\(state.phase)") }
    server.state.withLock { $0.pushError = nil }
    try await replica.settled()
    #expect(rows(server).map(\.id) == [1, 7, 8])
    #expect(replica.monitor.state.pushFailure == nil)
    await close(stack, replica)
  }

  @Test func `a row that another transaction holds keeps no other row from the server`()
    async throws
  {
    let (stack, server, replica) = try await live(notes: 2)
    server.state.withLock { $0.held = [1] }
    try await stack.withScratch { context in
      for note in try await context.fetch(Note.all) { context.update(note) { $0.title = "mine" } }
    }
    while rows(server).map(\.title) != ["", "mine"] { try await replica.caughtUp() }
    server.state.withLock { $0.held = [] }
    try await replica.settled()
    #expect(rows(server).map(\.title) == ["mine", "mine"])
    await close(stack, replica)
  }

  @Test func `many edits are several pushes, and are settled after the last`() async throws {
    let (stack, server, replica) = try await live(pushLimit: 200)
    try await stack.withScratch { context in
      for id in 2...30 { context.insert(Note(id: id, title: String(repeating: "x", count: id))) }
    }
    try await replica.settled()
    #expect(try await rows(stack) == rows(server) && rows(server).count == 30)
    #expect(await replica.pushes > 3)
    await close(stack, replica)
  }

  @Test func `a row that is greater than a push is pushed alone`() async throws {
    let (stack, server, replica) = try await live(pushLimit: 10)
    try await stack.withScratch { context in
      for id in 2...4 { context.insert(Note(id: id, title: "longer than a push")) }
    }
    try await replica.settled()
    #expect(rows(server).map(\.id) == [1, 2, 3, 4])
    #expect(await replica.pushes == 3)
    await close(stack, replica)
  }

  /// The answer to a commit is lost. The server makes it later, after another edit.
  @Test func `an edit beside a push whose answer was lost is settled, too`() async throws {
    let (stack, server, replica) = try await live()
    server.state.withLock { $0.isSlow = true }
    try await stack.withScratch { $0.insert(Note(id: 2)) }
    while server.state.withLock({ $0.inFlight == nil }) { await Task.yield() }
    try await stack.withScratch { $0.insert(Note(id: 3)) }
    server.state.withLock { $0.isSlow = false }
    for _ in 0..<5 where (try? await replica.settled()) != nil { break }
    #expect(rows(server).map(\.id) == [1, 2, 3])
    await close(stack, replica)
  }

  // MARK: - The end

  @Test func `a replica of a silent server can be closed`() async throws {
    let (stack, server, replica) = try await live()
    server.state.withLock { $0.isSilent = true }
    let call = Task { try? await replica.caughtUp() }
    while server.state.withLock({ $0.silences == 0 }) { await Task.yield() }
    await close(stack, replica)
    await call.value
  }
}
