internal import Foundation
package import Strata

/// A store that follows the rows of a server.
///
/// The replica pulls rows that were committed on the server, and applies each pull in one commit of
/// the store. So live queries see states that the server had, each in one turn. It pushes what was
/// committed here, in one transaction of the server. The server's rows with the edits that wait are
/// the rows of the store.
package actor Replica {
  package typealias Connect = @Sendable () async throws(ReplicaError) -> any ServerConnection
  /// Waits for some time, or until the task is cancelled.
  package typealias Pause = @Sendable (Duration) async -> Void

  private let stack: Stack
  private let tables: [Table]
  private let connect: Connect
  private let pageSize: Int
  private let pause: Pause
  private var run: Task<Void, Never>?
  private var connection: (any ServerConnection)?
  private var wakeUp = WakeUp()
  private var state: StoredState
  private var isClosed = false
  private var listening: Task<Void, Never>?
  /// Whether edits may wait that were not looked for yet.
  private var mayHaveEdits = true
  /// The number of times that edits were looked for, and the number of the last time whose edits the
  /// server has.
  private var (lookups, settled) = (0, 0)
  private var prunedAt: ContinuousClock.Instant?
  /// Resumed at each pull that was applied, with the status after it.
  private var waiters: [DirectContinuation<Void>] = []
  package private(set) var status = ReplicaStatus.connecting
  /// The number of pulls that found rows.
  package private(set) var pulls = 0
  /// The number of pushes that the server committed.
  package private(set) var pushes = 0
  /// The number of times that all rows were read.
  package private(set) var copies = 0

  /// Whether the store has a state that the server had.
  package var isLive: Bool { state.cursor != nil }

  private init(
    _ stack: Stack, _ tables: [Table], _ connect: @escaping Connect, pageSize: Int,
    _ pause: @escaping Pause
  ) {
    self.stack = stack
    self.tables = tables
    self.connect = connect
    self.pageSize = pageSize
    self.pause = pause
    state = StoredState(push: PushState(client: UUID()))
  }

  /// Opens a replica and starts to follow the server.
  ///
  /// The call does not wait for the server: a replica also opens where there is no network.
  ///
  /// - Parameters:
  ///   - pageSize: the number of rows that a copy reads and writes at a time.
  ///   - pause: how the replica waits between two attempts; tests do not wait.
  /// - Throws: ``ReplicaError`` with code `store` if the store cannot be read.
  package static func open(
    _ stack: Stack, of tables: [Table], _ connect: @escaping Connect,
    pageSize: Int = 5_000, pausing pause: @escaping Pause = { try? await Task.sleep(for: $0) }
  ) async throws(ReplicaError) -> Replica {
    let replica = Replica(stack, tables, connect, pageSize: pageSize, pause)
    try await replica.begin()
    return replica
  }

  private func begin() async throws(ReplicaError) {
    let stored: Data
    do throws(StoreError) {
      stored = try await stack.openReplica(of: tables, first: state.data)
    } catch {
      throw ReplicaError(error)
    }
    state = try StoredState(stored)
    run = Task { await self.follow() }
    listening = Task { [changes = stack.changes, weak self] in
      for await _ in changes { await self?.storeDidChange() }
    }
  }

  private func storeDidChange() {
    mayHaveEdits = true
    connection?.wake()
  }

  /// Ends the replica; the store stays open.
  package func close() async {
    isClosed = true
    listening?.cancel()
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

  /// Returns once the server has everything that was committed here before the call, and the store
  /// has seen it there. Edits that the server refused do not count, nor those that depend on them.
  ///
  /// - Throws: ``ReplicaError`` if the server cannot be reached or followed.
  package func waitUntilSettled() async throws(ReplicaError) {
    let awaited = lookups + 1
    while settled < awaited && !isClosed {
      mayHaveEdits = mayHaveEdits || lookups < awaited
      connection?.wake()
      let waiter = DirectContinuation<Void>()
      waiters.append(waiter)
      await waiter.value
      if case .offline(let error) = status { throw error }
    }
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
        if !isClosed { await pause(backoff.next()) }
      }
    }
    tell(status)
  }

  /// Pushes what waits, pulls once, and waits as long as there is nothing to do.
  private func step(_ connection: any ServerConnection) async throws(ReplicaError) {
    try await push(connection)
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
    case .wait(let duration): await pause(duration)
    case .sleep(let duration):
      try await pruneIfDue(connection)
      if waiters.isEmpty && !mayHaveEdits && !isClosed {
        try await connection.sleep(atMost: duration)
      }
    }
  }

  /// Prunes the server's log once an hour, in a quiet moment.
  private func pruneIfDue(_ connection: any ServerConnection) async throws(ReplicaError) {
    if let prunedAt, .now - prunedAt < .seconds(3600) { return }
    prunedAt = .now
    try await connection.prune(by: state.push.client)
  }

  // MARK: - Pushing

  /// Pushes what waits, unless a push waits for its confirmation. The next pull confirms it.
  private func push(_ connection: any ServerConnection) async throws(ReplicaError) {
    // Without the server's rows, nobody knows whether an edit is one.
    guard mayHaveEdits, state.cursor != nil else { return }
    mayHaveEdits = false
    do throws(ReplicaError) {
      if let push = state.push.push {
        guard try await claim(push, connection) else { return }
        try await commit(try await handOver(state), connection)
      } else {
        var next = state
        let push = next.push.begin(token: UUID())
        let edits = try await handOver(next)
        if edits.isEmpty {
          settled = lookups
          return
        }
        state = next
        if try await claim(push, connection) { try await commit(edits, connection) }
      }
    } catch {
      mayHaveEdits = true
      guard error.isPassing else { throw error }
      try await connection.abandon()
    }
  }

  private func claim(
    _ push: PushState.Push, _ connection: any ServerConnection
  ) async throws(ReplicaError) -> Bool {
    let isArmed = wakeUp.isArmed
    wakeUp.pushed()
    return try await connection.claim(push, by: state.push.client, isArmed: isArmed)
  }

  private func commit(
    _ edits: [ServerEdit], _ connection: any ServerConnection
  ) async throws(ReplicaError) {
    if edits.isEmpty {
      state.push.giveUp()
      settled = lookups
      return try await connection.abandon()
    }
    try await connection.commit(edits, by: state.push.client)
    pushes += 1
  }

  private func handOver(_ next: StoredState) async throws(ReplicaError) -> [ServerEdit] {
    lookups += 1
    do throws(StoreError) { return try await stack.handOver(of: tables, state: next.data) } catch {
      throw ReplicaError(error)
    }
  }

  // MARK: - Pulling

  /// Pulls what was committed since the last pull.
  ///
  /// - Returns: whether anything was committed.
  private func pull(_ connection: any ServerConnection) async throws(ReplicaError) -> Bool {
    let start = try await connection.beginPull(since: state.cursor, by: state.push.client)
    let outcome = state.push.outcome(start.head.client)
    if outcome == .foreign || outcome == .unregistered {
      _ = try await connection.endPull(reading: [])
      state.push.note(outcome, nil, newClient: UUID())
      state.cursor = nil
      mayHaveEdits = true
      try await connection.register(state.push.client)
      return true
    }
    // After a push is lost, its edits wait again.
    if outcome == .lost || outcome == .waiting { mayHaveEdits = true }
    let whole: Set<String>
    switch PullPlan(start.head, since: state.cursor) {
    case .refuse(let obstacle):
      _ = try await connection.endPull(reading: [])
      throw .cannotFollow(obstacle)
    case .resync:
      _ = try await connection.endPull(reading: [])
      // What the head says of a lost push is no longer known after the copy.
      if outcome == .lost { state.push.note(.lost, start.head.client, newClient: UUID()) }
      try await copy(connection, start.head)
      return true
    case .difference(let tables): whole = tables
    }
    var requests = start.changed.filter { !whole.contains($0.table.name) }
    requests += tables.filter { whole.contains($0.name) }.map { ChangedTable($0, nil) }
    let end = try await connection.endPull(reading: requests)
    guard let cursor = ReplicaCursor(start.head) else { return false }
    if requests.isEmpty && state.push.push == nil {
      // A crash takes back what is not on the disk, and others then get its numbers.
      if let written = start.head.written, written <= end.flushed { state.cursor = cursor }
      return false
    }
    if let written = start.head.written {
      try await waitUntilFlushed(written, connection, flushed: end.flushed)
    }
    try await apply(end.rows, cursor, start.head.client)
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
        let page = try await connection.page(
          of: table, after: last, limit: pageSize, by: state.push.client)
        let through = page.rows.count < pageSize ? nil : page.rows.last?.key
        let records = Dictionary(page.rows.map { ($0.key, $0.record) }) { $1 }
        // Until all pages are there, the store has no state that the server had.
        let part = ServerRows(table, .range(after: last, through: through), records)
        try await apply([part], nil, page.client)
        rows += page.rows.count
        last = through
      } while last != nil
    }
    // A crash of the server may take commits back that the last page shows.
    let (written, flushed) = try await connection.logPositions()
    try await waitUntilFlushed(written, connection, flushed: flushed)
    try await apply([], ReplicaCursor(head), nil)
  }

  /// Waits until everything that was read is on the server's disk.
  ///
  /// A commit with `synchronous_commit = off` is visible before. A crash takes it back, and another
  /// transaction then gets its number.
  private func waitUntilFlushed(
    _ written: LogPosition, _ connection: any ServerConnection, flushed: LogPosition
  ) async throws(ReplicaError) {
    if flushed >= written { return }
    await pause(.milliseconds(1))
    if try await connection.logPositions().flushed >= written { return }
    try await connection.flushLog(by: state.push.client)
  }

  /// Brings the store to rows of the server.
  ///
  /// - Parameter client: what the server knew of the replica when the rows were read. If it had made
  ///   the last push, the rows show its edits, and these edits no longer wait.
  private func apply(
    _ rows: [ServerRows], _ cursor: ReplicaCursor?, _ client: ServerClient?
  ) async throws(ReplicaError) {
    var new = StoredState(cursor: cursor, push: state.push)
    var verdicts: [ServerVerdict]?
    if let client, state.push.push != nil {
      let outcome = state.push.outcome(client)
      if outcome == .confirmed {
        verdicts = client.verdicts
        settled = lookups
      }
      if outcome == .confirmed || outcome == .lost {
        new.push.note(outcome, client, newClient: new.push.client)
        mayHaveEdits = true
      }
    }
    do throws(StoreError) {
      try await stack.apply(rows, confirming: verdicts, state: new.data)
    } catch {
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
