internal import Foundation
public import Strata

/// A store that follows the rows of a server.
///
/// The replica pulls rows that were committed on the server, and applies each pull in one commit of
/// the store. So live queries see states that the server had, each in one turn. It pushes the commits of
/// this store, a push in one transaction of the server. The server's rows with the edits that wait are
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

  /// The longest wait between two pulls, if the server does not end it before.
  private static let longestWait = Duration.seconds(60)

  let stack: Stack
  let followed: FollowedTables
  let outbox: Outbox
  private let options: ReplicaOptions
  private let connect: Connect
  private let pageSize: Int
  private let pushLimit: Int
  private let pause: Pause
  private let found = ToldStreams<Conflict>()
  private let replaced = ToldStreams<ReplacedRow>()
  /// The observable state of the replica.
  public nonisolated let monitor: ReplicaMonitor

  // The whole state: each part is a value with events, and only this file writes it.
  private(set) var state: StoredState
  private(set) var counters = ReplicaCounters()
  private var edits: EditLookups
  private var demands = Demands()
  private var line = ServerLine()
  private var tasks: [Task<Void, Never>] = []

  var tables: [Table] { followed.tables }

  /// Whether the store has a state that the server had.
  package var isLive: Bool { state.cursor != nil }

  init(
    _ stack: Stack, _ followed: FollowedTables, _ options: ReplicaOptions,
    _ connect: @escaping Connect, pageSize: Int, pushLimit: Int, _ pause: @escaping Pause
  ) {
    self.stack = stack
    self.options = options
    self.followed = followed
    self.connect = connect
    self.pageSize = pageSize
    self.pushLimit = pushLimit
    self.pause = pause
    outbox = stack.replicaOutbox
    monitor = ReplicaMonitor(stack)
    state = StoredState(push: PushState(client: UUID()))
    edits = EditLookups(seed: UInt64.random(in: 0...UInt64.max))
  }

  // MARK: - The beginning and the end

  func begin() async throws(ReplicaError) {
    let first = state.data
    state = try StoredState(
      await storing { () throws(StoreError) in
        try await stack.openReplica(of: tables, isReadOnly: options.isReadOnly, first: first)
      })
    monitor.onFirstStatus { [weak self] in
      Task { await self?.refreshMonitor(nil) }
    }
    tasks = [
      Task { await self.follow() },
      Task { [changes = stack.changes, weak self] in
        for await change in changes where change.author != Stack.replicaAuthor {
          await self?.didHear()
        }
      },
    ]
  }

  /// Notes a commit of another author, which may have edits.
  private func didHear() async {
    noteEdits()
    // Without a connection, no step shows the edits for some time.
    if !line.isUp { await refreshMonitor(nil) }
  }

  /// Notes that edits may wait, and wakes the replica.
  func noteEdits() {
    edits.noteCommit()
    monitor.noteChange()
    line.wake()
  }

  /// Ends the replica; the store stays open, and its edits go on to wait.
  ///
  /// The call waits for a push or a pull that is under way on the server, 2 s at most. The outcome of a push
  /// that takes longer is known after the next opening.
  public func close() async {
    line.close()
    for task in tasks { task.cancel() }
    await tasks.first?.value
    tasks = []
    demands.beginStep()
    resumeWaiters()
    monitor.finish()
    found.finish()
    replaced.finish()
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
  public nonisolated var conflicts: AsyncStream<Conflict> { found.next() }

  /// The rows of this store that have lost a conflict to an edit of another host, as soon as a pull brings the row.
  ///
  /// The other host is told of the same conflict by its ``conflicts``. Its edit stays, and this store has it
  /// already. An app can show both values, and edit the row again. Every host that had the replaced value is told,
  /// and not only the one that wrote it.
  ///
  /// The first stream has the rows since the opening, and a later stream those from its making on. A slow consumer
  /// gets the newest 1,000. A row is missing if the other host was relaunched between finding the conflict and
  /// pushing its edit, if this replica compared all rows, as after a long time without the server, or if the
  /// server was prepared by an earlier version: `StrataPostgres.prepare` mends that.
  public nonisolated var replacedRows: AsyncStream<ReplacedRow> { replaced.next() }

  // MARK: - The shown state

  private func tell(_ phase: ReplicaState.Phase) async {
    let isSame =
      switch (monitor.state.phase, phase) {
      case (.live, .live): true
      default: false
      }
    if !isSame || monitor.isOld { await refreshMonitor(phase) }
    if case .copying = phase { return }
    resumeWaiters()
  }

  /// Shows the numbers of waiting edits, and the phase if it is not nil.
  private func refreshMonitor(_ phase: ReplicaState.Phase?) async {
    monitor.willRefresh()
    if monitor.showsRows, let rows = try? await stack.waitingRows(of: tables) { monitor.set(rows) }
    let counts = try? await stack.outboxCounts()
    let withheld = try? await stack.withheldCount()
    let failure = edits.failure
    monitor.change { state in
      if let phase { state.phase = phase }
      if let counts { (state.waiting, state.refused) = (counts.waiting, counts.refused) }
      if let withheld { state.withheld = withheld }
      state.pushFailure = failure
    }
  }

  private func resumeWaiters() { for waiter in demands.takeWaiters() { waiter.resume() } }

  // MARK: - Following

  private func follow() async {
    var backoff = Backoff(seed: UInt64.random(in: 0...UInt64.max))
    while !line.isClosed {
      demands.beginStep()
      var (server, failure) = ((any ServerFollower)?.none, ReplicaError?.none)
      do throws(ReplicaError) {
        let new = try await connect()
        server = new
        line.connected(new)
        counters.connected()
        while !line.isClosed {
          try await step(new)
          backoff.reset()
        }
      } catch {
        failure = error
        counters.failed(error)
      }
      await server?.close()
      line.lost()
      if let failure {
        await tell(.offline(since: Self.offlineSince(monitor.state.phase), failure))
        await rest(backoff.next())
      }
    }
  }

  /// Waits before another attempt to reach the server, unless a caller waits for it.
  private func rest(_ duration: Duration) async {
    guard !demands.hasWaiters, !line.isClosed else { return }
    let rest = Task { [pause] in await pause(duration) }
    line.rest(rest)
    await rest.value
    line.rested()
  }

  private static func offlineSince(_ phase: ReplicaState.Phase) -> Date {
    if case .offline(let since, _) = phase { since } else { Date() }
  }

  /// Pushes the edits that wait, pulls once, and waits as long as there is nothing to do.
  private func step(_ server: any ServerFollower) async throws(ReplicaError) {
    demands.beginStep()
    let context = PullContext(
      server: server, stack: stack, followed: followed, pageSize: pageSize)
    if let copy = state.copy, let known = line.known, demands.copy != .asked,
      !tables.allSatisfy(copy.isFinished)
    {
      await tell(.copying(rows: copy.rowCount))
      let outcome = try await context.copyPage(state, copy, known.client)
      demands.appliedPage(hasWithheld: outcome.hasWithheld)
      return take(outcome)
    }
    try await push(server)
    let order = demands.beginPull()
    var pull = Pull(context, state, order)
    let outcome = try await pull.run()
    line.pulled(outcome.client)
    demands.pulled(order)
    take(outcome)
    if outcome.isApplied { demands.applied(order, hasWithheld: outcome.hasWithheld) }
    if let suspects = outcome.suspects { try await check(suspects, context) }
    // Without a state of the server, such as after the registration, the next pull reads all rows.
    if state.cursor == nil { return }
    counters.pulled(found: outcome.found)
    await tell(.live)
    if try await verifyNext(context) { return }
    // A wake that comes from here on ends the wait, too.
    let isBusy = demands.hasWaiters || edits.isDue || line.isClosed
    try await server.wait(atMost: isBusy ? .zero : Self.longestWait)
  }

  /// Notes the outcome of a pull, or of a page of a copy.
  private func take(_ outcome: PullOutcome) {
    let isNoted = outcome.isApplied && state.push.push != nil && outcome.state.push.push == nil
    state = outcome.state
    if outcome.beginsCopy {
      counters.beganCopy()
      demands.beganCopy()
    }
    if let copy = state.copy, tables.allSatisfy(copy.isFinished) { demands.endedCopy() }
    if outcome.isApplied { monitor.noteChange() }
    outcome.conflicts.forEach(found.yield)
    outcome.replaced.forEach(replaced.yield)
    // The edit of a row that is gone does not reach the server.
    edits.replacing.found(outcome.conflicts.filter { $0.theirs != nil }.map(\.row))
    guard let push = outcome.push, !(push == .waiting && options.isReadOnly) else { return }
    if let wait = edits.pulled(push, isNoted: isNoted) { restPushes(wait) }
  }

  // MARK: - Pushing

  /// Pushes the edits that wait, unless a push waits for its confirmation. The next pull confirms it.
  ///
  /// A server that takes no push still gives rows. So its refusal is noted, and only an error of the
  /// connection or of the store is thrown.
  private func push(_ server: any ServerFollower) async throws(ReplicaError) {
    // Before the copy ends, no edit is known to be one.
    guard edits.isDue, state.cursor != nil else { return }
    if edits.failure != nil { monitor.noteChange() }
    edits.begin()
    if options.isReadOnly {
      edits.look()
      return edits.settle()
    }
    let (push, body): (PushID, PushBody)
    if let sent = state.push.push {
      (push, body) = (
        sent, .again { [self] () async throws(ReplicaError) in try await handOverAgain() }
      )
    } else {
      var next = state
      push = next.push.begin(token: UUID())
      let edited = try await handOver(next)
      if edited.handed.edits.isEmpty { return edits.settle() }
      state = next
      body = .new(edited)
    }
    switch try await server.push(push, by: state.push.client, body) {
    case .made(let conflicts, let left):
      conflicts.forEach(found.yield)
      edits.pushed(left)
      counters.pushed()
      monitor.noteChange()
    case .notTaken: break
    case .empty:
      state.push.giveUp()
      edits.settle()
    case .refused(let error, let isPassing):
      restPushes(edits.fail(isPassing ? nil : error))
      counters.failed(error)
      monitor.noteChange()
    }
  }

  private func handOverAgain() async throws(ReplicaError) -> PushedEdits {
    try await handOver(state)
  }

  private func handOver(_ next: StoredState) async throws(ReplicaError) -> PushedEdits {
    let data = next.data
    edits.look()
    let handed = try await storing { () throws(StoreError) in
      try await stack.handOver(of: tables, limit: pushLimit, state: data)
    }
    return PushedEdits(
      handed, replacing: edits.replacing.handOver(handed.edits.map(\.step.row)))
  }

  /// Lets the next push wait.
  private func restPushes(_ duration: Duration) {
    Task { [pause, weak self] in
      await pause(duration)
      await self?.endRest()
    }
  }

  private func endRest() {
    edits.rested()
    if edits.isDue { line.wake() }
  }

  // MARK: - Verification

  /// Reads the next page of a verification.
  ///
  /// - Returns: whether there is more to do at once.
  private func verifyNext(_ context: PullContext) async throws(ReplicaError) -> Bool {
    if let cursor = state.cursor { demands.verify { $0.begin(cursor) } }
    switch demands.verification {
    case .reading(let progress, _):
      guard let table = tables.first(where: { !progress.isFinished($0) }) else { return true }
      let page = try await context.page(of: table, after: progress)
      let differing = Set(try await context.differences(from: [page.rows]).map(\.key))
      demands.verify {
        $0.read(
          page.count, of: table, through: page.through, differing: differing,
          tables: context.tables)
      }
      return true
    case .checking: return true
    case .requested, .done, nil: return false
    }
  }

  /// Ends a verification with the rows that a pull has read again.
  private func check(
    _ rows: [ServerRows], _ context: PullContext
  ) async throws(ReplicaError) {
    guard case .checking = demands.verification else { return }
    let found = try await context.differences(from: rows).map(RowDifference.init)
    demands.verify { $0.end(found) }
  }

  // MARK: - Callers

  /// Waits for the end of a step that begins after the call.
  private func nextStep() async throws(ReplicaError) {
    if line.isClosed { throw .closed }
    line.hurry()
    let waiter = DirectContinuation<Void>()
    demands.add(waiter)
    await waiter.value
    if line.isClosed { throw .closed }
    if case .offline(_, let error) = monitor.state.phase { throw error }
  }

  /// Returns once the store has everything that the server had committed before the call.
  ///
  /// A replica that is offline tries at once to reach the server.
  ///
  /// - Throws: ``ReplicaError`` with code `closed`, or why the server cannot be reached or followed.
  public func caughtUp() async throws(ReplicaError) { try await nextStep() }

  /// Returns once the server has everything that was committed here before the call, and a pull has
  /// confirmed it.
  ///
  /// Edits that the server refused do not count, nor those that depend on them. A replica that is
  /// offline tries at once to reach the server.
  ///
  /// - Throws: ``ReplicaError`` with code `closed`, or why the server cannot be reached or followed, or
  ///   why it takes no edits.
  public func settled() async throws(ReplicaError) {
    let ticket = edits.ticket
    while !edits.hasSettled(ticket) {
      edits.need(ticket)
      try await nextStep()
      if let failure = edits.failure(of: ticket) { throw failure }
    }
  }

  /// Compares all rows with the server's, and returns once the store has the server's rows.
  ///
  /// Equal rows are neither written nor announced, and edits that wait stay.
  ///
  /// - Throws: ``ReplicaError`` with code `closed`, or why the server cannot be reached or followed.
  /// - Complexity: O(*n*) of all rows.
  public func resync() async throws(ReplicaError) {
    demands.resync()
    while demands.copy != .none { try await nextStep() }
  }

  /// Compares all rows with the server's, and returns the rows that differ.
  ///
  /// Nothing is written. The server's rows count with the edits that wait. Pulls and pushes go on
  /// meanwhile. ``resync()`` mends what differs. No row should differ. A row that does was changed on the
  /// server unseen, such as by a partition that was attached since the server was prepared, or here
  /// by another program.
  ///
  /// - Throws: ``ReplicaError`` with code `closed`, or why the server cannot be reached or followed.
  /// - Complexity: O(*n*) of all rows, a page at a time.
  public func verify() async throws(ReplicaError) -> [RowDifference] {
    while !demands.beginVerification() { try await nextStep() }
    defer { demands.endVerification() }
    while true {
      try await nextStep()
      if let found = demands.verification?.result { return found }
    }
  }

  /// Lets the next pull follow whatever database the server has.
  func adoptAnyDatabase() { demands.adoptDatabase() }

  /// The rules of the entities that the server does not enforce.
  var missingConstraints: [MissingConstraint] { line.missingConstraints }

  /// Whether an earlier version of Strata has prepared the server.
  var isOnEarlierVersion: Bool { line.isOfEarlierVersion }

  /// Notes that the edits of a row were given up.
  func didRevert(_ key: RecordKey, of table: Table) {
    demands.revert(key, of: table)
    edits.replacing.giveUp(.init(table: table.id, key: key))
  }
}
