import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataReplica

/// The order in which a follower of a server with a log calls its connection.
@Suite(.inTurn) struct LogFollowerTests {
  /// A store that has nothing of its own to read.
  private struct EmptyStore: PullStore {
    func keysBeside(
      _ changed: Set<String>, of tables: [Table], _ client: ServerClient?
    ) async throws(ReplicaError) -> [String: Set<RecordKey>] { [:] }

    func entering(
      _ keys: Set<RecordKey>, in table: Table
    ) async throws(ReplicaError) -> Set<RecordKey> { [] }

    func clearStage() async throws(ReplicaError) {}
    func stage(_ rows: ServerRows) async throws(ReplicaError) {}
  }

  /// A follower of a server with one row, and the knowledge that its replica has.
  private struct Host {
    let stack: Stack
    let server = ModelServer(seed: 1)
    let table: Table
    let connection: RecordedConnection
    let follower: LogFollower
    var push = PushState(client: UUID())
    var cursor: ReplicaCursor?

    init(upkeep: LogUpkeep = LogUpkeep()) async throws {
      stack = try await Stack.temporary([Note.self])
      let followed = FollowedTables(stack.replicableTables)
      table = followed.tables[0]
      server.state.withLock { $0.set(Note(id: 1), isFlushed: true) }
      connection = RecordedConnection(connection: try server.connection(followed))
      follower = LogFollower(connection, followed, upkeep, pausing: { _ in await Task.yield() })
    }

    /// Pulls, and keeps the cursor of the answer.
    mutating func pull(readsAll: Bool = false, database: UUID? = nil) async throws -> PullAnswer {
      let request = PullRequest(
        cursor: cursor, push: push, database: database, readsAll: readsAll, pageSize: 2)
      let answer = try await follower.pull(request, EmptyStore())
      switch answer.news {
      case .copy(let new): cursor = new
      case .rows(let rows): cursor = rows.cursor ?? cursor
      case .nothing: break
      }
      return answer
    }

    /// A follower of a replica that the server knows and whose store has the server's state.
    static func live(upkeep: LogUpkeep = LogUpkeep()) async throws -> Host {
      var host = try await Host(upkeep: upkeep)
      _ = try await host.pull()
      _ = try await host.pull()
      _ = host.connection.take()
      return host
    }

    func wait() async throws -> [String] {
      try await follower.wait(atMost: .zero)
      return connection.take()
    }
  }

  @Test func `the first pull listens, and makes the replica known`() async throws {
    var host = try await Host()
    guard case .nothing = try await host.pull().news else {
      Issue.record("an unknown replica gets no rows")
      return
    }
    #expect(host.connection.take() == ["listen", "beginPull", "endPull", "register"])
    guard case .copy = try await host.pull().news else {
      Issue.record("a first copy")
      return
    }
    #expect(host.connection.take() == ["beginPull", "endPull"])
    await host.stack.close()
  }

  @Test func `another database learns of no replica`() async throws {
    var host = try await Host()
    let error = await #expect(throws: ReplicaError.self) {
      try await host.pull(database: UUID())
    }
    #expect(error?.code == .anotherDatabase)
    #expect(host.connection.take() == ["listen", "beginPull", "endPull"])
    #expect(host.server.state.withLock { $0.contents.clients.isEmpty })
    await host.stack.close()
  }

  // A transaction that ends between the question and the pull would be missed by both in the other order.
  @Test func `the question whether others write comes before the pull`() async throws {
    var host = try await Host.live()
    _ = try await host.pull()
    #expect(try await host.wait() == ["beginPull", "endPull", "arm"])
    // A transaction takes its number, and is under way.
    host.server.state.withLock { state in
      state.open[state.contents.next] = [:]
      state.contents.next += 1
    }
    _ = try await host.pull()
    #expect(try await host.wait() == ["othersWrite", "beginPull", "endPull", "prune"])
    await host.stack.close()
  }

  @Test func `a replica without work sleeps, and one with news ends the telling`() async throws {
    var host = try await Host.live()
    _ = try await host.pull()
    _ = try await host.wait()
    _ = try await host.pull()
    host.follower.wake()
    try await host.follower.wait(atMost: .milliseconds(1))
    let slept = host.connection.take()
    #expect(slept == ["othersWrite", "beginPull", "endPull", "wake", "prune", "sleep"])
    host.server.state.withLock { $0.set(Note(id: 2), isFlushed: true) }
    _ = try await host.pull()
    #expect(try await host.wait() == ["beginPull", "endPull", "disarm"])
    await host.stack.close()
  }

  @Test func `a push ends the telling, and a full answer is on the disk`() async throws {
    var host = try await Host.live()
    _ = try await host.pull()
    _ = try await host.wait()
    let followed = [host.table]
    _ = try await host.stack.openReplica(of: followed, first: Data())
    try await host.stack.withScratch { $0.insert(Note(id: 5)) }
    let handed = try await host.stack.handOver(of: followed, limit: .max, state: Data())
    let push = host.push.begin(token: UUID())
    let outcome = try await host.follower.push(
      push, by: host.push.client, .new(PushedEdits(handed, replacing: [])))
    guard case .made(_, left: .nothing) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(host.connection.take() == ["claim armed", "commit"])
    host.server.state.withLock { $0.set(Note(id: 6), isFlushed: false) }
    _ = try await host.pull()
    let calls = host.connection.take()
    #expect(calls == ["beginPull", "endPull", "logPositions", "flushLog"])
    #expect(host.server.state.withLock { $0.onDisk == $0.written })
    await host.stack.close()
  }

  // The server may have made the push with fewer edits.
  @Test func `edits are handed over again only once the number was taken`() async throws {
    var host = try await Host.live()
    let push = host.push.begin(token: UUID())
    let (connection, client) = (host.connection, host.push.client)
    let nothing = PushBody.again { () async throws(ReplicaError) in
      connection.calls.withLock { $0.append("hand over") }
      return PushedEdits(HandedOverEdits(), replacing: [])
    }
    guard case .empty = try await host.follower.push(push, by: client, nothing) else {
      Issue.record("nothing is left")
      return
    }
    #expect(connection.take() == ["claim", "hand over", "abandon"])
    host.server.state.withLock { $0.contents.clients[client]?.lastPush = 1 }
    guard case .notTaken = try await host.follower.push(push, by: client, nothing) else {
      Issue.record("the number was taken")
      return
    }
    #expect(connection.take() == ["claim"])
    await host.stack.close()
  }

  @Test(arguments: [("55P03", true), ("42501", false)])
  func `a push that the server does not take leaves nothing open`(
    _ code: String, _ isPassing: Bool
  ) async throws {
    var host = try await Host.live()
    host.server.state.withLock { state in
      state.pushError = ReplicaError(.refused, "no", advice: "", sqlState: code)
    }
    let outcome = try await host.follower.push(
      host.push.begin(token: UUID()), by: host.push.client,
      .new(PushedEdits(HandedOverEdits(), replacing: [])))
    guard case .refused(let error, isPassing) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(error.sqlState == code)
    #expect(host.connection.take() == ["claim", "abandon"])
    await host.stack.close()
  }

  @Test func `a page waits until it is on the disk`() async throws {
    let host = try await Host.live()
    host.server.state.withLock { $0.set(Note(id: 2), isFlushed: false) }
    let page = try await host.follower.page(of: host.table, after: nil, limit: 9)
    #expect(page.count == 2)
    #expect(host.connection.take() == ["page", "logPositions", "logPositions", "flushLog"])
    await host.stack.close()
  }

  @Test func `a pull of a silent server fails once the connection ends`() async throws {
    let host = try await Host.live()
    host.server.state.withLock { $0.isSilent = true }
    let pull = Task { [host] in
      var host = host
      return try await host.pull()
    }
    while host.connection.calls.withLock({ !$0.contains("beginPull") }) { await Task.yield() }
    host.follower.end(within: .zero)
    await #expect(throws: ReplicaError.self) { try await pull.value }
    await host.stack.close()
  }

  @Test func `the log is pruned once an hour, over whatever connection`() {
    let upkeep = LogUpkeep()
    let start = ContinuousClock.now
    let prunes = [0, 3_599, 3_600].map { upkeep.isDue(at: start + .seconds($0)) }
    #expect(prunes == [true, false, true])
  }
}
