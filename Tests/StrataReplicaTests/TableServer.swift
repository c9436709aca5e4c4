import Foundation
import StrataTesting

@testable import Strata
@testable import StrataReplica

/// A server of another kind than ``ModelServer``: a table of notes with a number that rises with each change. It has
/// no log, so the answer to a pull has all rows, and it asks the store nothing.
final class TableServer: Sendable {
  struct State: Sendable {
    var rows: [Int: Note] = [:]
    /// The number of changes.
    var version = 0
    var clients: [UUID: ServerClient] = [:]
    var database = UUID()
    /// Whether the next push is made, and its answer lost.
    var losesAnswer = false
    /// Whether the server says nothing any more.
    var isSilent = false
    /// The cursors with which pulls came.
    var cursors: [ReplicaCursor?] = []

    mutating func set(_ row: Note?, at id: Int) {
      rows[id] = row
      version += 1
    }
  }

  let state = Lock(State())
  private let waiters = Lock<[Promise<Void>]>([])

  func connect(_ followed: FollowedTables) -> any ServerFollower {
    TableFollower(server: self, table: followed.tables[0])
  }

  /// Makes a change, and tells the replicas that wait.
  func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    defer { notify() }
    return state.withLock { body(&$0) }
  }

  func promiseOfChange() -> Promise<Void> {
    let promise = Promise<Void>()
    waiters.withLock { $0.append(promise) }
    return promise
  }

  func notify() {
    let all = waiters.withLock { waiters in
      defer { waiters = [] }
      return waiters
    }
    for waiter in all { waiter.resolve(()) }
  }
}

/// Follows a ``TableServer``.
private struct TableFollower: ServerFollower {
  let server: TableServer
  let table: Table
  let ended = Promise<Void>()
  let isWoken = Lock(false)
  /// The version that the last pull has seen.
  let seen = Lock(0)
  let missingConstraints: [MissingConstraint] = []
  let isOfEarlierVersion = false

  private func cursor(_ version: Int) -> ReplicaCursor {
    ReplicaCursor(["version": .text("\(version)")])
  }

  func pull(
    _ request: PullRequest, _ store: any PullStore
  ) async throws(ReplicaError) -> PullAnswer {
    let state = server.state.withLock { state in
      state.cursors.append(request.cursor)
      return state
    }
    if state.isSilent {
      await ended.value
      throw ReplicaError(.unreachable, "silent", advice: "")
    }
    try request.recognise(state.database)
    let id = request.push.client
    if state.clients[id] == nil {
      let new = ServerClient(lastPush: 0, token: nil, verdicts: [])
      server.state.withLock { $0.clients[id] = new }
    }
    seen.withLock { $0 = state.version }
    return PullAnswer(
      database: state.database, client: state.clients[id],
      try news(request, state.clients[id], state))
  }

  private func news(
    _ request: PullRequest, _ client: ServerClient?, _ state: TableServer.State
  ) throws(ReplicaError) -> PullAnswer.News {
    let push = request.push.outcome(client)
    if push == .unregistered || push == .foreign { return .nothing }
    let start = request.start(client)?.text("version").flatMap { Int($0) }
    guard let start, start <= state.version else { return .copy(cursor(state.version)) }
    if case .reading = request.copy { return .nothing }
    var pulled = PulledRows(cursor: cursor(state.version))
    if start < state.version {
      let all = try page(of: Array(state.rows.values))
      pulled.rows = [all.rows(of: table, .range(after: nil, through: nil))]
    }
    pulled.suspects = try request.suspects.values.map { keys throws(ReplicaError) in
      let some = try page(of: state.rows.values.filter { keys.contains(Self.key($0)) })
      return some.rows(of: table, .keys(keys))
    }
    return .rows(pulled)
  }

  private static func key(_ row: Note) -> RecordKey { RecordKey(.integer(Int64(row.id))) }

  private func page(of rows: [Note]) throws(ReplicaError) -> ServerPage {
    var page = ServerPage()
    for row in rows.sorted(by: { $0.id < $1.id }) {
      do throws(CodingFailure) {
        page.rows.append((Self.key(row), try table.encode(row, RecordBuilder())))
      } catch {
        throw ReplicaError(.unreadable, "\(error)", advice: "")
      }
    }
    return page
  }

  func page(
    of table: Table, after key: RecordKey?, limit: Int
  ) async throws(ReplicaError) -> ServerPage {
    let rows = server.state.withLock { $0.rows.values.sorted { $0.id < $1.id } }
    let after = rows.filter { row in key.map { $0 < Self.key(row) } ?? true }
    return try page(of: Array(after.prefix(limit)))
  }

  func push(
    _ push: PushID, by client: UUID, _ body: PushBody
  ) async throws(ReplicaError) -> PushOutcome {
    let isNext = server.state.withLock { $0.clients[client]?.lastPush == push.number - 1 }
    guard isNext else { return .notTaken }
    let edits: [ServerEdit]
    switch body {
    case .new(let pushed): edits = pushed.handed.edits
    case .again(let handOver): edits = try await handOver().handed.edits
    }
    if edits.isEmpty { return .empty }
    let (conflicts, isLost) = server.change { state in
      let conflicts = make(edits, &state)
      state.clients[client]?.lastPush = push.number
      state.clients[client]?.token = push.token
      state.clients[client]?.verdicts = conflicts.verdicts
      defer { state.losesAnswer = false }
      return (conflicts.found, state.losesAnswer)
    }
    if isLost { throw ReplicaError(.unreachable, "lost", advice: "") }
    return .made(conflicts, left: .nothing)
  }

  private func make(
    _ edits: [ServerEdit], _ state: inout TableServer.State
  ) -> (found: [Conflict], verdicts: [ServerVerdict]) {
    var (found, verdicts) = ([Conflict](), [ServerVerdict]())
    for edit in edits {
      guard let id = edit.key.id(of: Note.self) else { continue }
      let old = state.rows[id].flatMap { try? table.encode($0, RecordBuilder()) }
      let new = edit.row(onto: old).map { table.decodeLeniently($0, as: Note.self) }
      if new?.title == ModelServer.refusedTitle {
        verdicts.append(ServerVerdict(table, edit.key, refusal: "bad"))
        continue
      }
      if let conflict = edit.conflict(with: old) { found.append(conflict) }
      state.set(new, at: id)
    }
    return (found, verdicts)
  }

  func wait(atMost duration: Duration) async throws(ReplicaError) {
    // The promise comes first, so that no change falls between the look and the wait.
    let promise = server.promiseOfChange()
    let isWoken = isWoken.withLock { isWoken in
      defer { isWoken = false }
      return isWoken
    }
    let isOld = server.state.withLock { $0.version } > seen.withLock(\.self)
    if isWoken || isOld || duration == .zero { return }
    await promise.value
  }

  func wake() {
    isWoken.withLock { $0 = true }
    server.notify()
  }

  func end(within duration: Duration) {
    ended.resolve(())
    wake()
  }

  func close() async {}
}
