internal import Foundation
package import Strata

/// A store that follows the rows of a server.
///
/// The replica pulls rows that were committed on the server, and applies each pull in one commit of
/// the store. So live queries see states that the server had, each in one turn.
package actor Replica {
  package typealias Connect = @Sendable () async throws(ReplicaError) -> any ServerConnection

  private let stack: Stack
  private let tables: [Table]
  private let connect: Connect
  private var run: Task<Void, Never>?
  private var connection: (any ServerConnection)?
  private var wakeUp = WakeUp()
  private var state = StoredState()
  private var isClosed = false
  private var prunedAt: ContinuousClock.Instant?
  /// Resumed at each pull that was applied, with the status after it.
  private var waiters: [DirectContinuation<Void>] = []
  package private(set) var status = ReplicaStatus.connecting
  /// The number of pulls that found rows.
  package private(set) var pulls = 0
  /// The number of times that all rows were read.
  package private(set) var copies = 0

  /// Whether the store has a state that the server had.
  package var isLive: Bool { state.cursor != nil }

  private init(_ stack: Stack, _ tables: [Table], _ connect: @escaping Connect) {
    self.stack = stack
    self.tables = tables
    self.connect = connect
  }

  /// Opens a replica and starts to follow the server.
  ///
  /// The call does not wait for the server: a replica also opens where there is no network.
  ///
  /// - Throws: ``ReplicaError`` with code `store` if the store cannot be read.
  package static func open(
    _ stack: Stack, of tables: [Table], _ connect: @escaping Connect
  ) async throws(ReplicaError) -> Replica {
    let replica = Replica(stack, tables, connect)
    try await replica.begin()
    return replica
  }

  private func begin() async throws(ReplicaError) {
    let stored: Data?
    do throws(StoreError) { stored = try await stack.replicaState() } catch {
      throw ReplicaError(error)
    }
    state = try StoredState(stored)
    run = Task { await self.follow() }
  }

  /// Ends the replica; the store stays open.
  package func close() async {
    isClosed = true
    run?.cancel()
    connection?.wake()
    await run?.value
    run = nil
  }

  /// Returns once the store has everything that the server had committed before the call.
  ///
  /// - Throws: ``ReplicaError`` if the server cannot be followed.
  package func waitUntilCaughtUp() async throws(ReplicaError) {
    // The pull that is under way may have begun before the call.
    for _ in 0..<2 {
      if isClosed { break }
      connection?.wake()
      let waiter = DirectContinuation<Void>()
      waiters.append(waiter)
      await waiter.value
    }
    if case .offline(let error) = status { throw error }
  }

  private func tell(_ status: ReplicaStatus) {
    self.status = status
    if case .copying = status { return }
    let all = waiters
    waiters = []
    for waiter in all { waiter.resume() }
  }

  // MARK: - Following

  private func follow() async {
    var backoff = Backoff(seed: UInt64.random(in: 0...UInt64.max))
    while !isClosed {
      var failure: ReplicaError?
      do throws(ReplicaError) {
        let new = try await connect()
        connection = new
        wakeUp = WakeUp()
        try await new.listen()
        while !isClosed {
          try await step(new)
          backoff.reset()
        }
      } catch {
        failure = error
      }
      await connection?.close()
      connection = nil
      if let failure {
        tell(.offline(failure))
        if !isClosed { try? await Task.sleep(for: backoff.next()) }
      }
    }
    tell(status)
  }

  /// Pulls once, and waits as long as nothing is to be pulled.
  private func step(_ connection: any ServerConnection) async throws(ReplicaError) {
    // This comes before the pull: a transaction that ends in between would be missed by both.
    var othersWrite = false
    if case .armed = wakeUp.state { othersWrite = try await connection.othersWrite() }
    let found = try await pull(connection)
    pulls += found ? 1 : 0
    tell(.live)
    switch wakeUp.pulled(found: found, othersWrite: othersWrite) {
    case .nothing: break
    case .arm: try await connection.arm()
    case .disarm: try await connection.disarm()
    case .wait(let duration): try? await Task.sleep(for: duration)
    case .sleep(let duration):
      try await pruneIfDue(connection)
      if waiters.isEmpty && !isClosed { try await connection.sleep(atMost: duration) }
    }
  }

  /// Prunes the server's log once an hour, in a quiet moment.
  private func pruneIfDue(_ connection: any ServerConnection) async throws(ReplicaError) {
    if let prunedAt, .now - prunedAt < .seconds(3600) { return }
    prunedAt = .now
    try await connection.prune()
  }

  // MARK: - Pulling

  /// Pulls what was committed since the last pull.
  ///
  /// - Returns: whether anything was committed.
  private func pull(_ connection: any ServerConnection) async throws(ReplicaError) -> Bool {
    let start = try await connection.beginPull(since: state.cursor)
    let whole: Set<String>
    switch PullPlan(start.head, since: state.cursor) {
    case .refuse(let obstacle):
      _ = try await connection.endPull(reading: [])
      throw .cannotFollow(obstacle)
    case .resync:
      _ = try await connection.endPull(reading: [])
      try await copy(connection, start.head)
      return true
    case .difference(let tables): whole = tables
    }
    var requests = start.changed.filter { !whole.contains($0.table.name) }
    requests += tables.filter { whole.contains($0.name) }.map { ChangedTable($0, nil) }
    let end = try await connection.endPull(reading: requests)
    guard let cursor = ReplicaCursor(start.head) else { return false }
    if requests.isEmpty {
      state.cursor = cursor
      return false
    }
    if let written = start.head.written {
      try await waitUntilFlushed(written, connection, flushed: end.flushed)
    }
    try await apply(end.rows, StoredState(cursor: cursor))
    return true
  }

  /// Reads all rows, in pages, and makes the store equal to them.
  ///
  /// The pages are younger than the head. The pull that follows brings the store from the head's
  /// snapshot to a newer state, and reads the rows again that changed in between.
  private func copy(
    _ connection: any ServerConnection, _ head: ServerHead
  ) async throws(ReplicaError) {
    var rows = 0
    copies += 1
    state.cursor = nil
    for table in tables {
      var last: RecordKey?
      repeat {
        tell(.copying(rows: rows))
        let page = try await connection.page(of: table, after: last, limit: Self.pageSize)
        let through = page.count < Self.pageSize ? nil : page.last?.key
        let records = Dictionary(page.map { ($0.key, $0.record) }) { $1 }
        // Until all pages are there, the store has no state that the server had.
        let part = ServerRows(table, .range(after: last, through: through), records)
        try await apply([part], StoredState())
        rows += page.count
        last = through
      } while last != nil
    }
    // A crash of the server may take commits back that the last page shows.
    let (written, flushed) = try await connection.logPositions()
    try await waitUntilFlushed(written, connection, flushed: flushed)
    try await apply([], StoredState(cursor: ReplicaCursor(head)))
  }

  private static let pageSize = 5_000

  /// Waits until everything that was read is on the server's disk.
  ///
  /// A commit with `synchronous_commit = off` is visible before. A crash takes it back, and another
  /// transaction then gets its number.
  private func waitUntilFlushed(
    _ written: LogPosition, _ connection: any ServerConnection, flushed: LogPosition
  ) async throws(ReplicaError) {
    if flushed >= written { return }
    try? await Task.sleep(for: .milliseconds(1))
    if try await connection.logPositions().flushed >= written { return }
    try await connection.flushLog()
  }

  private func apply(_ rows: [ServerRows], _ new: StoredState) async throws(ReplicaError) {
    do throws(StoreError) { try await stack.apply(rows, state: new.data) } catch {
      throw ReplicaError(error)
    }
    state = new
  }
}

extension ReplicaError {
  fileprivate static func cannotFollow(_ obstacle: PullPlan.Obstacle) -> ReplicaError {
    switch obstacle {
    case .format:
      ReplicaError(
        .unsuitableServer, "another version of Strata prepared the server",
        advice: "update the program, or prepare the server again")
    case .standby:
      ReplicaError(
        .unsuitableServer,
        "the server is a standby, whose snapshots leave out running transactions",
        advice: "connect to the primary: target_session_attrs=read-write")
    }
  }
}
