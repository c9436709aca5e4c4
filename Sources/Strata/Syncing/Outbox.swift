internal import StrataSQLite

/// What was changed here, on its way to a server.
///
/// ```swift
/// let outbox = try await stack.outbox()
/// try await outbox.push { request in
///   switch request.kind {
///   case .insert: try await server.create(request.value(as: Song.self))
///   case .update: try await server.patch(request.key, request.attributes, …)
///   case .delete: try await server.delete(request.key)
///   }
///   return .done
/// }
/// ```
///
/// What waits is written down in the transaction that edits it, so that nothing is lost or invented
/// by a crash, and kept until a server has it, whatever else becomes of the store's history. As
/// long as a row waits, no import and no eviction overwrites what was edited of it, deletes it, or
/// brings it back. Nor does an import that began before the row was acknowledged, which may read
/// what the server said earlier; only one of another process does not know of that.
///
/// A request is sent at least once: one that is under way when the process ends, or that fails, may
/// have reached the server and is sent again. Give the server the client's key.
///
/// A request that the server refuses is set aside and blocks nothing but what depends on it:
/// ``refusals()`` lists such requests, ``retry(_:)`` and ``revert(_:)`` end them, and so does an edit
/// of the row. The row stays protected from imports until then.
public actor Outbox {
  private let store: Store
  private let pushes = Turnstile()
  /// How many pushes in a row the server wanted requests of later.
  private var delays = 0
  private nonisolated let watchers = OutboxWatchers()
  private var lastCount = 0

  init(_ store: Store) { self.store = store }

  deinit { watchers.finish() }

  /// Sends what was changed, request by request, and returns when nothing more can be sent.
  ///
  /// Several edits of one row are one request, and a row that was made and deleted before anything
  /// of it was sent is none. Requests come in the order of the commits, but for what a server needs
  /// otherwise: a row is inserted before those that refer to it, deleted after those that let go of
  /// it, and gets a unique value of the schema after the row that gives it away.
  ///
  /// `send` says what the server made of its request. A request that the server wants later, or
  /// refuses, holds up what depends on it in that sense; all others are sent. When `send` throws, so
  /// does this, and the next call sends that request again: for failures such as a lost connection,
  /// which the next request would meet, too.
  ///
  /// The verdict is noted also if the task is cancelled meanwhile. What is edited while it is sent
  /// waits for the next request. One call runs at a time; others wait for it.
  ///
  /// - Parameter send: sends one request.
  /// - Returns: what was sent, refused and left.
  /// - Throws: what `send` throws, `CancellationError`, or ``StoreError`` with code `cancelled`,
  ///   `closed`, `diskFull` or another of SQLite's.
  /// - Complexity: O(*n* log *n*) of the rows that wait, again whenever one of them is edited
  ///   meanwhile; one transaction for each request.
  @discardableResult
  public func push(
    _ send: @Sendable (PushRequest) async throws -> PushVerdict
  ) async throws -> PushResult {
    try await pushes.enter()
    defer { pushes.leave() }
    var result = PushResult()
    var later: Set<PushOrder.Place> = []
    while true {
      let waiting = try await waiting()
      var plan = PushPlan(waiting.steps, refused: waiting.refused, later: later)
      let count = try await push(&plan, waiting.requests, &later, &result, send)
      result.left = plan.left
      if count == 0 { break }
    }
    delays = later.isEmpty ? 0 : delays + 1
    if !later.isEmpty { result.retryAfter = .seconds(min(300, 1 << min(delays - 1, 9))) }
    return result
  }

  /// Sends requests until one of their rows was edited meanwhile, which may change the order.
  ///
  /// - Returns: how many requests were sent or had to be put in another order.
  private func push(
    _ plan: inout PushPlan, _ requests: [PushOrder.Place: PushRequest],
    _ later: inout Set<PushOrder.Place>, _ result: inout PushResult,
    _ send: @Sendable (PushRequest) async throws -> PushVerdict
  ) async throws -> Int {
    var count = 0
    var sent: Sent?
    while true {
      let step = Task.isCancelled ? nil : plan.nextStep()
      let turn = try await turn(settling: sent, step.flatMap { requests[$0.place] })
      sent = nil
      try Task.checkCancellation()
      guard let step else { return count }
      switch turn {
      case .nothing: continue
      case .otherOrder: return count + 1
      case .send(let next):
        let verdict = try await send(next.request)
        sent = Sent(next, verdict)
        plan.note(verdict, of: step)
        count += 1
        switch verdict {
        case .done: result.sent += 1
        case .later: later.insert(step.place)
        case .refused: result.refused += 1
        }
      }
    }
  }

  /// The requests that wait, in the order in which they would be sent; without refused ones.
  ///
  /// - Throws: ``StoreError`` with code `cancelled`, `closed` or one of SQLite's.
  /// - Complexity: O(*n* log *n*) of the rows that wait, also in memory.
  public func requests() async throws(StoreError) -> [PushRequest] {
    let waiting = try await waiting()
    return waiting.steps.compactMap { waiting.requests[$0.place] }.filter { $0.refusal == nil }
  }

  private struct Waiting: Sendable {
    var requests: [PushOrder.Place: PushRequest] = [:]
    var refused: Set<PushOrder.Place> = []
    var steps: [PushOrder.Step] = []
  }

  private func waiting() async throws(StoreError) -> Waiting {
    let layout = store.historyLayout
    return try await store.reading { snapshot throws(StoreError) in
      try await snapshot.read { reader, connection throws(StoreError) in
        var waiting = Waiting()
        var order = PushOrder(reader.model)
        try OutboxTable.forEach(reader.model, connection) { table, key, entry throws(StoreError) in
          let original = entry.original.flatMap {
            HistoryDecoder.record($0, of: table, layout, reader.builder)
          }
          let record = try connection.record(key, of: table, reader.builder)
          guard
            let request = PushRequest(
              entry, key, table, reader.model, record: record, original: original)
          else { return }
          let place = PushOrder.Place(table: table.id, key: key)
          waiting.requests[place] = request
          if request.refusal != nil { waiting.refused.insert(place) }
          order.add(request, original: original, isHandedOver: entry.handedOver != nil)
        }
        waiting.steps = order.sorted()
        return waiting
      }
    }
  }

  // MARK: - What was refused

  /// The requests that the server refused, in the order of their commits.
  ///
  /// - Throws: ``StoreError`` with code `cancelled`, `closed` or one of SQLite's.
  /// - Complexity: O(*n* log *n*) of the rows that wait, also in memory.
  public func refusals() async throws(StoreError) -> [PushRefusal] {
    let waiting = try await waiting()
    return waiting.steps.compactMap { waiting.requests[$0.place] }.compactMap { request in
      request.refusal.map { PushRefusal(request: request, reason: $0) }
    }
  }

  /// Lets the next push send a refused request again, as it is.
  ///
  /// - Returns: false if the row was edited since, or the refusal has ended otherwise.
  /// - Throws: ``StoreError`` with code `cancelled`, `closed`, `diskFull` or another of SQLite's.
  @discardableResult
  public func retry(_ refusal: PushRefusal) async throws(StoreError) -> Bool {
    let request = refusal.request
    let isRetried = try await store.writer.submit(.normal) { writer throws(StoreError) in
      var isRetried = false
      _ = try writer.transaction(isCounted: true) { connection throws(StoreError) in
        if var entry = try writer.refused(request, connection) {
          entry.retry()
          try translatingErrors { () throws(SQLiteError) in
            try OutboxTable.set(entry, request.table, request.key, connection)
          }
          isRetried = true
        }
        return [:]
      }
      return isRetried
    }
    await recount()
    return isRetried
  }

  /// Gives a refused edit up: what was edited becomes what the server has, as far as that is known
  /// here.
  ///
  /// An inserted row is deleted, with what delete rules take along; a deleted one comes back; the
  /// edited attributes of an updated one are those of the server. It is one commit, which the outbox
  /// does not send.
  ///
  /// - Returns: false if the row was edited since, the refusal has ended otherwise, a migration has
  ///   changed the row so much that the server's values are not known any more, or delete rules would
  ///   take a row along that the server knows and that waits to be sent. Then nothing is changed.
  /// - Throws: ``StoreError`` with code `deleteDenied`, `uniquenessViolated`, `missingReference`,
  ///   `validationFailed`, `cancelled`, `closed`, `diskFull` or another of SQLite's; then the request
  ///   stays refused.
  @discardableResult
  public func revert(_ refusal: PushRefusal) async throws(StoreError) -> Bool {
    let request = refusal.request
    let isReverted = try await store.writer.submit(.normal) { writer throws(StoreError) in
      try writer.revert(request)
    }
    await recount()
    return isReverted
  }

  // MARK: - Counts

  /// How many changes wait and how many were refused: now, and whenever that is otherwise.
  ///
  /// A consumer that is slow gets the newest counts and misses those before. The sequence ends with
  /// the stack, or when the outbox is let go of.
  public nonisolated var counts: AsyncStream<OutboxCounts> {
    let (stream, isFirst) = watchers.add()
    if isFirst {
      let changes = ChangeStream(store.publisher.subscribe(to: nil)) { $0 }
      Task { [weak self, watchers] in
        for await _ in changes {
          guard let self else { break }
          await recount()
        }
        watchers.finish()
      }
    }
    Task { await recount() }
    return stream
  }

  private func recount() async {
    guard watchers.isWatched else { return }
    lastCount += 1
    let number = lastCount
    let counts = try? await store.reading { snapshot throws(StoreError) in
      try await snapshot.read { _, connection throws(StoreError) in
        try translatingErrors { () throws(SQLiteError) in try OutboxTable.counts(connection) }
      }
    }
    if let counts { watchers.yield(counts, number) }
  }

  /// Forgets everything that waits, as if it had been pushed: for an app that sent its state in
  /// another way, or whose user signed out.
  ///
  /// From now on imports overwrite and delete what was edited here. A request that is being sent is
  /// not waited for.
  ///
  /// - Throws: ``StoreError`` with code `cancelled`, `closed` or one of SQLite's.
  public func acknowledgeEverything() async throws(StoreError) {
    try await store.writer.submit(.normal) { writer throws(StoreError) in
      _ = try writer.transaction(isCounted: true) { connection throws(StoreError) in
        try translatingErrors { () throws(SQLiteError) in try OutboxTable.removeAll(connection) }
        return [:]
      }
    }
    await recount()
  }

  // MARK: - The store's side

  /// A request that a server may know of, and the commit that says so.
  fileprivate struct HandedOver: Sendable {
    let request: PushRequest
    let commit: Int64
  }

  /// A request that was sent, and what the server made of it.
  fileprivate struct Sent: Sendable {
    let handedOver: HandedOver
    let verdict: PushVerdict

    init(_ handedOver: HandedOver, _ verdict: PushVerdict) {
      self.handedOver = handedOver
      self.verdict = verdict
    }
  }

  fileprivate enum Turn: Sendable {
    case send(HandedOver)
    /// The row was edited since the requests were put in order.
    case otherOrder
    /// Nothing of the row waits any more.
    case nothing
  }

  /// Notes what became of one request and hands over the next one, in one transaction, which
  /// cancelling the task does not stop.
  private func turn(
    settling sent: Sent?, _ next: PushRequest?
  ) async throws(StoreError) -> Turn {
    if sent == nil && next == nil { return .nothing }
    let turn = try await store.writer.enqueue(.normal) {
      [imports = store.imports] writer throws(StoreError) in
      var turn = Turn.nothing
      _ = try writer.transaction(isCounted: true) { connection throws(StoreError) in
        if let sent { try writer.settle(sent, imports, connection) }
        if let next { turn = try writer.handOver(next, connection) }
        return [:]
      }
      return turn
    }.settled
    await recount()
    return turn
  }
}

extension Writer {
  fileprivate func settle(
    _ sent: Outbox.Sent, _ imports: ImportsUnderWay, _ connection: Connection
  ) throws(StoreError) {
    let (request, commit) = (sent.handedOver.request, sent.handedOver.commit)
    let table = request.table
    var encoder = HistoryEncoder(historyLayout)
    let record = request.record.map { encoder.encode($0, of: table.id) }
    try translatingErrors { () throws(SQLiteError) in
      guard var entry = try OutboxTable.entry(table, request.key, connection) else { return }
      switch sent.verdict {
      case .later: return
      case .refused(let reason):
        let isLeft = entry.refuse(request.kind, reason, at: commit)
        try OutboxTable.set(isLeft ? entry : nil, table, request.key, connection)
      case .done:
        imports.notePushed(entry.attributesKnownHere(of: table), table.id, request.key)
        let isLeft = entry.acknowledge(request.kind, at: commit, sent: record)
        try OutboxTable.set(isLeft ? entry : nil, table, request.key, connection)
      }
    }
  }

  fileprivate func handOver(
    _ planned: PushRequest, _ connection: Connection
  ) throws(StoreError) -> Outbox.Turn {
    let (table, key) = (planned.table, planned.key)
    let entry = try translatingErrors { () throws(SQLiteError) in
      try OutboxTable.entry(table, key, connection)
    }
    guard var entry else { return .nothing }
    if entry.commit != planned.commit { return .otherOrder }
    let request = PushRequest(
      entry, key, table, model, record: try connection.record(key, of: table, builder),
      original: planned.record)
    if request != nil { entry.handOver(at: commit + 1) }
    try translatingErrors { () throws(SQLiteError) in
      try OutboxTable.set(request == nil ? nil : entry, table, key, connection)
    }
    return request.map { .send(Outbox.HandedOver(request: $0, commit: commit + 1)) } ?? .nothing
  }
}

extension Stack {
  /// The outbox of the store: what is committed from now on, or since this was first called, waits
  /// in it to be pushed.
  ///
  /// Use one outbox of a store at a time.
  ///
  /// - Parameter authors: whose commits a server knows already, from now on: imports are made by
  ///   ``importAuthor`` unless their scratch context has another author. Evictions never wait.
  /// - Throws: ``StoreError`` with code `cancelled`, `closed` or one of SQLite's.
  public nonisolated(nonsending) func outbox(
    ignoring authors: Set<String> = [importAuthor]
  ) async throws(StoreError) -> Outbox {
    let ignored = authors.union([Stack.evictionAuthor])
    try await store.writer.submit(.normal) { writer throws(StoreError) in
      let connection = try writer.connection
      let known = try translatingErrors { () throws(SQLiteError) in
        try OutboxTable.ignoredAuthors(connection)
      }
      if known == ignored { return }
      _ = try writer.transaction(isCounted: true) { connection throws(StoreError) in
        try translatingErrors { () throws(SQLiteError) in
          try OutboxTable.open(ignoring: ignored, connection)
        }
        return [:]
      }
    }
    return Outbox(store)
  }
}
