internal import Foundation
public import Strata

/// A store that follows the rows of a server.
///
/// The replica pulls rows that were committed on the server, and applies each pull in one commit of
/// the store. So live queries see states that the server had, each in one turn. It pushes what was
/// committed here, in one transaction of the server. The server's rows with the edits that wait are
/// the rows of the store.
///
/// ```swift
/// let replica = try await Replica.open(stack, from: .postgres("host=db dbname=app"))
/// try await replica.settled()
/// ```
///
/// Edits of the same row on two hosts are merged by attribute. If both edited an attribute, the rule
/// of the attribute decides (`MergeRule`), or the edit that reaches the server last. An edit
/// of a row that was deleted elsewhere goes. ``conflicts`` tells of both.
///
/// No call of a replica runs on the main actor, and no save waits for the server.
public actor Replica {
  package typealias Connect = ReplicaServer.Connect
  /// Waits for some time, or until the task is cancelled.
  package typealias Pause = @Sendable (Duration) async -> Void

  let stack: Stack
  let followed: FollowedTables
  let options: ReplicaOptions
  private let connect: Connect
  let pageSize: Int
  let pause: Pause
  private var run: Task<Void, Never>?
  private(set) var connection: (any ServerConnection)?
  var wakeUp = WakeUp()
  /// The number of next pulls that look for everything, also for what no trigger saw.
  var thoroughPulls = 0
  /// Whether the replica comes from a sleep.
  private var wasAsleep = false
  var state: StoredState
  private(set) var isClosed = false
  private var listening: Task<Void, Never>?
  /// Whether edits may wait that were not looked for yet.
  var mayHaveEdits = true
  /// The number of times that edits were looked for, and the number of the last time whose edits the
  /// server has.
  var (lookups, settledLookups) = (0, 0)
  /// The wait before the next attempt to reach the server.
  private(set) var resting: Task<Void, Never>?
  /// Whether all rows have to be compared, because the app asked for it.
  var needsCopy = false
  /// The rows whose edits were given up. Without the edits, they may not meet the filter.
  var reverted: [String: Set<RecordKey>] = [:]
  /// The comparison of all rows with the server's, while somebody waits for it.
  var verification: Verification?
  private var prunedAt: ContinuousClock.Instant?
  /// Resumed at each pull that was applied, with the state after it.
  var waiters: [DirectContinuation<Void>] = []
  let outbox: Outbox
  var hasOldCounts = true
  /// The last commit that a pull made, and the last commit that was heard of.
  var (ownCommit, seenCommit) = (Int64(0), Int64(0))
  let found: NewestStreams<Conflict>
  /// The stream of the conflicts since the opening, until somebody takes it.
  private nonisolated let firstConflicts: Lock<AsyncStream<Conflict>?>
  /// The observable state of the replica.
  public nonisolated let monitor: ReplicaMonitor
  /// The number of pulls that found rows.
  package private(set) var pulls = 0
  /// The number of pushes that the server committed.
  package var pushes = 0
  /// The number of times that the reading of all rows began.
  package var copies = 0
  private(set) var connections = 0
  private(set) var lastPull: Date?
  private(set) var lastError: (error: ReplicaError, date: Date)?

  var tables: [Table] { followed.tables }

  /// Whether the store has a state that the server had.
  package var isLive: Bool { state.cursor != nil }

  private init(
    _ stack: Stack, _ followed: FollowedTables, _ options: ReplicaOptions,
    _ connect: @escaping Connect, pageSize: Int, _ pause: @escaping Pause
  ) {
    self.stack = stack
    self.options = options
    self.followed = followed
    self.connect = connect
    self.pageSize = pageSize
    self.pause = pause
    outbox = stack.replicaOutbox
    monitor = ReplicaMonitor(stack)
    found = NewestStreams(limit: 1_000)
    firstConflicts = Lock(found.add(nil))
    state = StoredState(push: PushState(client: UUID()))
  }

  // MARK: - Opening

  /// Opens a replica and starts to follow the server.
  ///
  /// The call does not wait for the server: a replica also opens where there is no network. Rows that
  /// the store has before the first opening are pushed like insertions. Use only a single replica of
  /// a store at a time. The replica runs until ``close()``.
  ///
  /// - Parameters:
  ///   - stack: the stack of the store. Close the replica before it.
  ///   - server: the server, prepared for these entities.
  ///   - entities: the entities to follow, with all entities to which they refer. The default is all
  ///     entities of the stack. The links between them are followed, too.
  ///   - options: whether the store may be edited.
  /// - Throws: ``ReplicaError`` with code `unknownEntity`, or `store` if the store fails.
  public static func open(
    _ stack: Stack, from server: ReplicaServer, of entities: [any Entity.Type]? = nil,
    options: ReplicaOptions = ReplicaOptions()
  ) async throws(ReplicaError) -> Replica {
    let chosen = try entities?.map { entity throws(ReplicaError) in
      guard let table = stack.replicableTable(of: entity) else { throw .unknown(entity) }
      return (table: table, filter: RowFilter?.none)
    }
    let followed = FollowedTables(
      chosen.map { stack.withLinks($0).map(\.table) } ?? stack.replicableTables)
    return try await open(stack, of: followed, options, server.connecting(followed))
  }

  /// Opens a replica of some rows and starts to follow the server.
  ///
  /// The call does not wait for the server, and the replica runs until ``close()``, like one of whole
  /// entities.
  ///
  /// - Parameters:
  ///   - stack: the stack of the store. Close the replica before it.
  ///   - server: the server, prepared for these entities.
  ///   - rows: the rows to follow. References to rows that are not followed lead nowhere. Links are
  ///     followed with the rows at their ends.
  ///   - options: whether the store may be edited.
  /// - Throws: ``ReplicaError`` with code `unknownEntity`, or `store` if a filter reads other rows than
  ///   the one, if it refers to an entity that is not followed, or if the store fails.
  public static func open(
    _ stack: Stack, from server: ReplicaServer, of rows: [ReplicatedRows],
    options: ReplicaOptions = ReplicaOptions()
  ) async throws(ReplicaError) -> Replica {
    let followed = try FollowedTables(rows, stack)
    return try await open(stack, of: followed, options, server.connecting(followed))
  }

  /// Opens a replica of some tables.
  ///
  /// - Parameters:
  ///   - pageSize: the number of rows that a copy reads and writes at a time.
  ///   - pause: how the replica waits between two attempts; tests do not wait.
  package static func open(
    _ stack: Stack, of followed: FollowedTables, _ options: ReplicaOptions = ReplicaOptions(),
    _ connect: @escaping Connect, pageSize: Int = 5_000,
    pausing pause: @escaping Pause = { try? await Task.sleep(for: $0) }
  ) async throws(ReplicaError) -> Replica {
    let replica = Replica(stack, followed, options, connect, pageSize: pageSize, pause)
    try await replica.begin()
    return replica
  }

  private func begin() async throws(ReplicaError) {
    let stored: Data
    do throws(StoreError) {
      stored = try await stack.openReplica(
        of: tables, isReadOnly: options.isReadOnly, first: state.data)
    } catch {
      throw ReplicaError(error)
    }
    state = try StoredState(stored)
    monitor.onFirstStatus { [weak self] in
      Task { await self?.refreshMonitor(nil) }
    }
    run = Task { await self.follow() }
    listening = Task { [changes = stack.changes, weak self] in
      for await change in changes { await self?.storeDidChange(change.commit) }
    }
  }

  private func storeDidChange(_ commit: Int64) async {
    defer { seenCommit = commit }
    // Changes of several commits come together if they are not taken in time.
    if commit == ownCommit && commit == seenCommit + 1 { return }
    storeDidChange()
    // Nothing else tells of the edit for some time.
    if connection == nil { await refreshMonitor(nil) }
  }

  func storeDidChange() {
    (mayHaveEdits, hasOldCounts) = (true, true)
    connection?.wake()
  }

  /// Ends the replica; the store stays open, and its edits go on to wait.
  ///
  /// The call waits for what is under way on the server, 30 s at most.
  public func close() async {
    isClosed = true
    listening?.cancel()
    run?.cancel()
    connection?.wake()
    resting?.cancel()
    await run?.value
    run = nil
    resumeWaiters()
    monitor.finish()
    found.finish()
  }

  // MARK: - Conflicts

  /// The edits of this store that conflicted with edits of others, as soon as they are found.
  ///
  /// In a conflict, both sides changed an attribute that has no rule, or one side deleted the row or
  /// both inserted it. It is decided already: the edit of this store has replaced the other, or is
  /// about to. The edit of a row that was deleted elsewhere is gone with the row. The conflict has
  /// both sides, so an app can show them, and edit the row again.
  ///
  /// The first stream has the conflicts since the opening, and a later stream those from its making on.
  /// A slow consumer gets the newest 1,000. A conflict is missing if the connection breaks, or the
  /// program ends, at the moment in which it is found.
  ///
  /// ```swift
  /// for await conflict in replica.conflicts {
  ///   guard let sides = conflict.sides(of: Song.self) else { continue }
  ///   print(sides.mine?.title ?? "deleted", "in place of", sides.theirs?.title ?? "deleted")
  /// }
  /// ```
  public nonisolated var conflicts: AsyncStream<Conflict> {
    let first = firstConflicts.withLock { first in
      defer { first = nil }
      return first
    }
    return first ?? found.add(nil)
  }

  // MARK: - The state

  func tell(_ phase: ReplicaState.Phase) async {
    let isSame =
      switch (monitor.state.phase, phase) {
      case (.live, .live): true
      default: false
      }
    if !isSame || hasOldCounts { await refreshMonitor(phase) }
    if case .copying = phase { return }
    resumeWaiters()
  }

  /// Shows what waits, and what the replica does from here on, if that is new.
  private func refreshMonitor(_ phase: ReplicaState.Phase?) async {
    hasOldCounts = false
    if monitor.showsRows, let rows = try? await stack.waitingRows(of: tables) { monitor.set(rows) }
    let counts = try? await stack.outboxCounts()
    monitor.change { state in
      if let phase { state.phase = phase }
      if let counts { (state.waiting, state.refused) = (counts.waiting, counts.refused) }
    }
  }

  // MARK: - Following

  private func follow() async {
    var backoff = Backoff(seed: UInt64.random(in: 0...UInt64.max))
    while !isClosed {
      var failure: ReplicaError?
      do throws(ReplicaError) {
        let new = try await connect()
        connection = new
        connections += 1
        wakeUp = WakeUp()
        try await new.listen()
        while !isClosed {
          try await step(new)
          backoff.reset()
        }
      } catch {
        failure = error
        lastError = (error, Date())
      }
      await connection?.close()
      connection = nil
      if let failure {
        await tell(.offline(since: Self.offlineSince(monitor.state.phase), failure))
        await rest(backoff.next())
      }
    }
  }

  /// Waits before another attempt to reach the server, unless somebody waits for it.
  private func rest(_ duration: Duration) async {
    guard waiters.isEmpty, !isClosed else { return }
    let rest = Task { [pause] in await pause(duration) }
    resting = rest
    await rest.value
    resting = nil
  }

  private static func offlineSince(_ phase: ReplicaState.Phase) -> Date {
    if case .offline(let since, _) = phase { since } else { Date() }
  }

  /// Pushes what waits, pulls once, and waits as long as there is nothing to do.
  private func step(_ connection: any ServerConnection) async throws(ReplicaError) {
    try await push(connection)
    // This comes before the pull: a transaction that ends in between would be missed by both.
    // A replica that was woken will find something, so it does not look.
    let othersWrite = wakeUp.isArmed && !wasAsleep ? try await connection.othersWrite() : nil
    wasAsleep = false
    let found = try await pull(connection)
    lastPull = Date()
    // Without a state of the server, such as after the registration, the next pull reads all rows.
    if state.cursor == nil { return }
    pulls += found ? 1 : 0
    await tell(.live)
    if try await verifyNext(connection) { return }
    switch wakeUp.pulled(found: found, othersWrite: othersWrite) {
    case .nothing: break
    case .arm: try await connection.arm()
    case .disarm: try await connection.disarm()
    case .wait(let duration):
      try await pruneIfDue(connection)
      try await sleep(connection, duration)
    case .sleep(let duration):
      try await pruneIfDue(connection)
      try await sleep(connection, duration)
    }
  }

  /// Waits for commits of others or of this store, unless there is something to do.
  private func sleep(
    _ connection: any ServerConnection, _ duration: Duration
  ) async throws(ReplicaError) {
    if waiters.isEmpty && !mayHaveEdits && !isClosed {
      try await connection.sleep(atMost: duration)
      wasAsleep = true
    }
  }

  /// Prunes the server's log once an hour, after a pull that found nothing.
  private func pruneIfDue(_ connection: any ServerConnection) async throws(ReplicaError) {
    if let prunedAt, .now - prunedAt < .seconds(3600) { return }
    prunedAt = .now
    try await connection.prune(by: state.push.client)
  }
}
