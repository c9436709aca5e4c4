package import Foundation
package import Strata

/// Follows a PostgreSQL whose triggers log the keys of changed rows.
///
/// This folder speaks PostgreSQL on purpose: its snapshots are the cursors, the positions in its write-ahead log
/// say what a crash takes back, and its notifications end a sleep. Nothing above ``ServerFollower`` knows of them.
package actor LogFollower: ServerFollower {
  /// Waits for some time, or until the task is cancelled.
  package typealias Pause = @Sendable (Duration) async -> Void

  private let connection: any ServerConnection
  private let followed: FollowedTables
  private let upkeep: LogUpkeep
  private let pause: Pause
  private var wakeUp = WakeUp()
  private var isListening = false
  /// The last pull over this connection; nil before the first.
  private var last: Last?

  private struct Last {
    let client: UUID
    /// Whether transactions of others had a number before the pull began, if the replica has asked.
    let othersWrite: Bool
    var found = true
  }

  /// - Parameter upkeep: the times of the upkeep of the server's log, over all connections of the replica.
  package init(
    _ connection: any ServerConnection, _ followed: FollowedTables,
    _ upkeep: LogUpkeep = LogUpkeep(),
    pausing pause: @escaping Pause = { try? await Task.sleep(for: $0) }
  ) {
    self.connection = connection
    self.followed = followed
    self.upkeep = upkeep
    self.pause = pause
  }

  package nonisolated var missingConstraints: [MissingConstraint] { connection.missingConstraints }

  package nonisolated var isOfEarlierVersion: Bool { connection.isOfEarlierVersion }

  package nonisolated func wake() { connection.wake() }

  package nonisolated func end(within duration: Duration) { connection.end(within: duration) }

  package func close() async { await connection.close() }

  // MARK: - Pulling

  package func pull(
    _ request: PullRequest, _ store: any PullStore
  ) async throws(ReplicaError) -> PullAnswer {
    if !isListening {
      try await connection.listen()
      isListening = true
    }
    // This comes before the pull: a transaction that ends in between would be missed by both.
    let othersWrite = wakeUp.asksForOthers ? try await connection.othersWrite() : false
    last = Last(client: request.push.client, othersWrite: othersWrite)
    let pull = LogPull(
      connection: connection, followed: followed, request: request, store: store, pause: pause)
    let answer = try await pull.run()
    if case .rows(let rows) = answer.news {
      last?.found = !rows.isEmpty || request.isNoted(answer.client)
    }
    return answer
  }

  package func page(
    of table: Table, after key: RecordKey?, limit: Int
  ) async throws(ReplicaError) -> ServerPage {
    guard let last else { fatalError("a page comes after a pull") }
    let page = try await connection.page(of: table, after: key, limit: limit)
    // A crash of the server may take commits back that the page shows. No pull would read them again.
    let (written, flushed) = try await connection.logPositions()
    try await connection.waitUntilFlushed(
      written, flushed: flushed, for: last.client, pausing: pause)
    return page
  }

  // MARK: - Pushing

  package func push(
    _ push: PushID, by client: UUID, _ body: PushBody
  ) async throws(ReplicaError) -> PushOutcome {
    do throws(ReplicaError) {
      switch body {
      case .new(let edits):
        guard try await claim(push, by: client, edits.handed.edits) else { return .notTaken }
        return try await commit(edits, by: client)
      case .again(let handOver):
        guard try await claim(push, by: client, []) else { return .notTaken }
        return try await commit(try await handOver(), by: client)
      }
    } catch {
      guard error.isAnswer else { throw error }
      try await connection.abandon()
      return .refused(error, isPassing: error.meaning == .passing)
    }
  }

  private func claim(
    _ push: PushID, by client: UUID, _ edits: [ServerEdit]
  ) async throws(ReplicaError) -> Bool {
    let isArmed = wakeUp.isArmed
    wakeUp.pushed()
    return try await connection.claim(push, by: client, isArmed: isArmed, reading: edits)
  }

  private func commit(
    _ edits: PushedEdits, by client: UUID
  ) async throws(ReplicaError) -> PushOutcome {
    if edits.handed.edits.isEmpty {
      try await connection.abandon()
      return .empty
    }
    let report = try await connection.commit(
      edits.handed.edits, replacing: edits.replacing, by: client)
    return .made(report.conflicts, left: report.left(of: edits.handed))
  }

  // MARK: - Waiting

  package func wait(atMost longest: Duration) async throws(ReplicaError) {
    guard let last else { fatalError("a wait comes after a pull") }
    switch wakeUp.pulled(found: last.found, othersWrite: last.othersWrite) {
    case .nothing: break
    case .arm: try await connection.arm()
    case .disarm: try await connection.disarm()
    case .wait(let duration), .sleep(let duration):
      if upkeep.isDue(at: .now) { try await connection.prune(by: last.client) }
      if longest == .zero { return }
      try await connection.sleep(atMost: min(duration, longest))
      wakeUp.slept()
    }
  }
}

extension ServerConnection {
  /// Waits until everything that was read is on the server's disk.
  ///
  /// A commit with `synchronous_commit = off` is visible before. A crash takes it back, and another
  /// transaction then gets its number.
  func waitUntilFlushed(
    _ written: LogPosition, flushed: LogPosition, for client: UUID,
    pausing pause: LogFollower.Pause
  ) async throws(ReplicaError) {
    if flushed >= written { return }
    await pause(.milliseconds(1))
    if try await logPositions().flushed >= written { return }
    try await flushLog(by: client)
  }
}
