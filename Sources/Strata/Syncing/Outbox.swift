public import Observation
internal import StrataSQLite

/// The changes made in this store that are on their way to a server.
///
/// ```swift
/// let outbox = try await stack.outbox()
/// try await outbox.push { request in
///   switch request.change(of: Song.self) {
///   case .insert(let song): try await server.create(song)
///   case .update(let song, let attributes): try await server.patch(song, attributes)
///   case .delete(let id): try await server.delete("songs/\(id)")
///   case nil: return .refused("no song")
///   }
///   return .done
/// }
/// ```
///
/// A change is recorded in the transaction that makes it, so a crash neither loses nor invents a
/// change. The outbox keeps the change until a server has it, whatever happens to the store's
/// history. While a row waits, no import and no eviction overwrites its edited attributes, deletes
/// it, or brings it back. This also holds for an import that began before the row was acknowledged,
/// because such an import may read an older answer of the server. The only exception is an import
/// of another process, which does not know of the acknowledgement.
///
/// A request is sent at least once. A request that is under way when the process ends, or that
/// fails, may have reached the server, and is sent again. So give the server the client's key.
///
/// A request that the server refuses is set aside. It blocks only the requests that depend on it.
/// ``refusals()`` lists the refused requests. ``retry(_:)``, ``revert(_:)``, or an edit of the row
/// ends a refusal. Until then the row stays protected from imports.
///
/// <doc:OfflineFirst> has the whole path, from the first sync to log-out.
///
/// `Observable`: reading ``currentCounts`` in a SwiftUI body or in `withObservationTracking` is enough.
public actor Outbox: Observable {
  private let store: Store
  nonisolated let counter: OutboxCounter

  init(_ store: Store) {
    self.store = store
    counter = OutboxCounter(store)
  }

  /// Counts now and after each commit.
  func beginToCount() async throws(StoreError) {
    counter.follow()
    try await counter.countNow()
  }

  /// Sends the changes, request by request, and returns when no more can be sent.
  ///
  /// Several edits of one row are one request. A row that is inserted and deleted before any of it
  /// was sent is no request. A row that is inserted again after its deletion was sent, without an answer, is
  /// two requests. Requests are sent in the order of the commits, except where a server
  /// needs another order: a row is inserted before the rows that refer to it, it is deleted after
  /// the rows that stop referring to it, and it gets a unique value of the schema after the row
  /// that gives it up.
  ///
  /// `send` returns the server's verdict on its request. A request that the server postpones or
  /// refuses holds up the requests that depend on it in this sense. All other requests are sent. If
  /// `send` throws, this method throws as well, and the next call sends the request again. Throw
  /// for a failure that the next request would also meet, such as a lost connection.
  ///
  /// An import within `send` that brings the row of the request brings the server's answer. If the
  /// request is done, the row gets the answer's values, except where it was edited meanwhile. If it is
  /// refused or postponed, the answer also tells whether earlier requests of the row, whose answers were
  /// lost, have arrived.
  ///
  /// The verdict is recorded even if the task is cancelled meanwhile. Edits that are made while a
  /// request is sent wait for the next request. Only a single call for a store runs at a time, whatever
  /// stack of the process makes it. Other calls wait for it. Pushes of two processes do not wait for each
  /// other: let only a single process push.
  ///
  /// - Parameter send: sends one request.
  /// - Returns: the numbers of sent, refused and left requests.
  /// - Throws: the error that `send` throws, `CancellationError`, or ``StoreError`` with code
  ///   `nestedPush` within `send`, `cancelled`, `closed`, `diskFull` or another of SQLite's.
  /// - Complexity: O(*n* log *n*) of the rows that wait, again whenever one of them is edited
  ///   meanwhile; one transaction for each request.
  @discardableResult
  public func push(
    _ send: @Sendable (PushRequest) async throws -> PushVerdict
  ) async throws -> PushResult {
    let turns = store.pushTurns
    if AnsweredRequest.current?.isOf(turns) == true { throw StoreError.nestedPush }
    try await turns.enter()
    defer { turns.leave() }
    let result: Result<PushResult, any Error>
    do { result = .success(try await pushAll(send)) } catch { result = .failure(error) }
    await counter.count()
    return try result.get()
  }

  private func pushAll(
    _ send: @Sendable (PushRequest) async throws -> PushVerdict
  ) async throws -> PushResult {
    var result = PushResult()
    var later: Set<PushOrder.Row> = []
    while true {
      let waiting = try await waiting()
      if !waiting.empty.isEmpty { try await remove(waiting.empty) }
      var plan = PushPlan(waiting.steps, refused: waiting.refused, later: later)
      let count = try await push(&plan, waiting, &later, &result, send)
      result.left = plan.left
      if count == 0 { break }
    }
    let delays = store.pushTurns.noteEnd(isPostponed: !later.isEmpty)
    if !later.isEmpty {
      let delay = Duration.seconds(min(300, 1 << min(delays - 1, 9)))
      result.retryAfter = max(delay, result.retryAfter ?? .zero)
    }
    return result
  }

  /// Sends requests until one of their rows was edited meanwhile, because an edit may change the
  /// order.
  ///
  /// - Returns: the number of requests that were sent or have to be put in another order.
  private func push(
    _ plan: inout PushPlan, _ waiting: WaitingRequests,
    _ later: inout Set<PushOrder.Row>, _ result: inout PushResult,
    _ send: @Sendable (PushRequest) async throws -> PushVerdict
  ) async throws -> Int {
    var count = 0
    var sent: (request: HandedOverRequest, verdict: PushVerdict?)?
    while true {
      let step = Task.isCancelled ? nil : plan.nextStep()
      let (turn, problem) = try await turn(noting: sent, step.map { waiting[$0].request })
      sent = nil
      if let problem { throw problem }
      if Task.isCancelled, case .send(let next) = turn {
        // The request does not reach `send`, so the server cannot have it.
        _ = try await self.turn(noting: (next, .later), nil)
      }
      try Task.checkCancellation()
      guard let step else { return count }
      switch turn {
      case .nothing: continue
      case .otherOrder: return count + 1
      case .send(let next):
        let verdict: PushVerdict
        do {
          verdict = try await AnsweredRequest.$current.withValue(
            AnsweredRequest(next, store.pushTurns)
          ) {
            try await send(next.request)
          }
        } catch {
          _ = try? await self.turn(noting: (next, nil), nil)
          throw error
        }
        sent = (next, verdict)
        plan.note(verdict, of: step)
        count += 1
        switch verdict {
        case .done(key: _): result.sent += 1
        case .later(let asked):
          later.insert(step.row)
          // The longest time that the server asks for, until the end of the push.
          result.retryAfter = [result.retryAfter, asked].compactMap(\.self).max()
        case .refused: result.refused += 1
        }
      }
    }
  }

  /// Returns the waiting requests in the order in which they would be sent, without refused
  /// requests.
  ///
  /// - Throws: ``StoreError`` with code `cancelled`, `closed` or one of SQLite's.
  /// - Complexity: O(*n* log *n*) of the rows that wait, also in memory.
  public func requests() async throws -> [PushRequest] {
    let waiting = try await waiting()
    await counter.count()
    return waiting.requests.filter { $0.refusal == nil }
  }

  private func remove(
    _ empty: [(table: Table, key: RecordKey, commit: Int64)]
  ) async throws(StoreError) {
    try await store.transaction { transaction throws(StoreError) in
      try transaction.removeEmpty(empty)
    }
    await counter.countIfWatched()
  }

  private func waiting() async throws(StoreError) -> WaitingRequests {
    try await store.reading { snapshot throws(StoreError) in
      try await snapshot.read { reader, connection throws(StoreError) in
        try WaitingRequests(reader.access(connection))
      }
    }
  }

  // MARK: - Rows from before

  /// Adds rows that were made before the store had an outbox, so that they are pushed as insertions.
  ///
  /// Rows that an import has brought, and rows that wait already, are left alone. So are rows that an
  /// author of the outbox's ignored authors has written. A row's links to other rows are added with it,
  /// and the rows to which it refers are not: add them, too, or use ``addEverything()``.
  ///
  /// Call it before the first refresh. An import that deletes absent rows keeps rows that no server has
  /// sent (`ImportResult.unsent`), so it may also be called after it.
  ///
  /// - Parameter query: the rows.
  /// - Returns: the number of added rows and links.
  /// - Throws: ``StoreError`` with code `invalidQuery`, `cancelled`, `closed`, `diskFull` or another of
  ///   SQLite's. The rows are added in portions of 500 rows. A call after an error adds the others.
  /// - Complexity: O(*n* log *n*) of the rows, and memory for their keys.
  @discardableResult
  public func add<E: Entity>(_ query: Query<E>) async throws -> Int {
    try await add([QueryPlan(query, store.model)])
  }

  /// Adds all rows and links that were made before the store had an outbox, as ``add(_:)`` does.
  ///
  /// - Returns: the number of added rows and links.
  /// - Throws: the errors of ``add(_:)``.
  @discardableResult
  public func addEverything() async throws -> Int {
    try await add(store.model.tables.map { QueryPlan(everyRowOf: $0) })
  }

  private func add(_ plans: [QueryPlan]) async throws -> Int {
    var count = 0
    for plan in plans {
      let keys = try await store.reading { snapshot throws(StoreError) in
        try await snapshot.versions(of: plan)
      }.map(\.key)
      for start in stride(from: 0, to: keys.count, by: RowVersion.batchSize) {
        let portion = keys[start..<min(start + RowVersion.batchSize, keys.count)]
        count += try await store.transaction { transaction throws(StoreError) in
          try transaction.addToOutbox(portion, of: plan.table)
        }.result
      }
    }
    await counter.count()
    return count
  }

  // MARK: - Keys

  /// Gives a row the key that the server has given it, as ``PushRequest/done(as:id:)`` does.
  ///
  /// It is for a key that is known only after the push, such as from a message of the server.
  ///
  /// - Returns: false if the store has neither the row nor a request of it, or if another row with the
  ///   new key waits to be inserted. Then nothing is changed.
  /// - Throws: ``StoreError`` with code `invalidQuery`, `cancelled`, `closed`, `diskFull` or another of
  ///   SQLite's.
  /// - Complexity: O(*n* log *n*) of the rows and links that refer to the row.
  @discardableResult
  public func changeKey<E: Entity>(
    of type: E.Type, from id: E.ID, to newID: E.ID
  ) async throws -> Bool {
    let table = store.model.table(of: type)
    let (old, new) = (try table.key(id), try table.key(newID))
    let (commit, isChanged) = try await store.transaction { transaction throws(StoreError) in
      try transaction.changeKey(of: table, from: old, to: new) != nil
    }
    if isChanged { await store.viewMerged(commit) }
    await counter.count()
    return isChanged
  }

  // MARK: - Refusals

  /// Returns the requests that the server refused, in the order in which they would be sent.
  ///
  /// - Throws: ``StoreError`` with code `cancelled`, `closed` or one of SQLite's.
  /// - Complexity: O(*n* log *n*) of the rows that wait, also in memory.
  public func refusals() async throws -> [PushRefusal] {
    let waiting = try await waiting()
    await counter.count()
    return waiting.steps.compactMap { step in
      let (request, entry) = (waiting[step].request, waiting[step].entry)
      return request.refusal.map {
        PushRefusal(request: request, reason: $0, isSetAside: entry.aside != nil)
      }
    }
  }

  /// Lets the next push send a refused request again, unchanged. A row that was set aside returns.
  ///
  /// - Returns: false if the row was edited since, or if the refusal has ended in another way.
  /// - Throws: ``StoreError`` with code `uniquenessViolated`, `missingReference` or `validationFailed` if a
  ///   row that was set aside cannot return yet; `cancelled`, `closed`, `diskFull` or another of SQLite's.
  @discardableResult
  public func retry(_ refusal: PushRefusal) async throws -> Bool {
    let request = refusal.request
    let isRetried = try await store.transaction { transaction throws(StoreError) in
      try transaction.retry(request)
    }.result
    await counter.count()
    return isRetried
  }

  /// Gives up a refused edit: the row gets the newest values that the server is known to have.
  ///
  /// An inserted row is deleted, together with the rows that delete rules take along. A deleted row
  /// comes back, unless the server has deleted it, too. The edited attributes of an updated row get the
  /// server's values. If the row then refers to a row that is deleted here and whose deletion waits, that
  /// deletion is given up, too: the server cannot make it while it has the reference. So is an edit with
  /// which another row has taken a unique value of this row, such as in a swap of two values. A link comes back
  /// with its ends. The reversal is one commit, which the outbox does not send. The call returns when the
  /// view context shows it. The next refresh of each feed asks for all of it, because the server may lack
  /// a row or a link that is back.
  ///
  /// - Returns: false if the row was edited since, if the refusal has ended in another way, if a
  ///   migration changed the row so much that the server's values are no longer known, or if delete
  ///   rules would delete a row that the server knows and that waits to be sent. Then nothing is
  ///   changed.
  /// - Throws: ``StoreError`` with code `deleteDenied`, `uniquenessViolated`, `missingReference`,
  ///   `validationFailed`, `cancelled`, `closed`, `diskFull` or another of SQLite's. Then the
  ///   request stays refused. With `missingReference` also if an end of a link is deleted here for good.
  @discardableResult
  public func revert(_ refusal: PushRefusal) async throws -> Bool {
    let request = refusal.request
    let (commit, isReverted) = try await store.transaction { transaction throws(StoreError) in
      try transaction.revert(request)
    }
    if isReverted { await store.viewMerged(commit) }
    await counter.count()
    return isReverted
  }

  // MARK: - Conflicts

  /// The edits that wait and that the server has changed in another way since.
  ///
  /// An attribute conflicts if the server's newest value is neither the value before the edit nor the
  /// value after it, and its attribute has no merge rule. The store has the edit's value. A push sends the
  /// edit like any other, so look at the conflicts before, or send the version that was edited
  /// (``PushRequest/before(as:)``) and let the server refuse. While a request is under way, and while its
  /// answer is lost, its row is not listed.
  ///
  /// - Throws: ``StoreError`` with code `cancelled`, `closed` or one of SQLite's.
  /// - Complexity: O(*n* log *n*) of the rows that wait, also in memory.
  public func conflicts() async throws -> [Conflict] {
    let waiting = try await waiting()
    await counter.count()
    return waiting.all.compactMap { $0.conflict }
  }

  /// Resolves a conflict of ``conflicts()``.
  ///
  /// With `mergeMine` and `overwrite`, the edit stays and starts from the server's newest row. If the
  /// server has deleted the row, `overwrite` makes it an insertion, and all other policies delete the row here.
  /// With `mergeTheirs`, the conflicting attributes take the server's values. With `discard`, the whole
  /// edit of the row is given up. A row that comes back so brings back the rows to which it refers, as
  /// ``revert(_:)`` does. To take another value, edit the row after it was resolved.
  ///
  /// - Returns: false if the row, the edit or what the server has is no longer as in `conflict`, or if
  ///   the policy is `error`. Then nothing is changed.
  /// - Throws: ``StoreError`` with code `deleteDenied`, `uniquenessViolated`, `missingReference`,
  ///   `validationFailed`, `cancelled`, `closed`, `diskFull` or another of SQLite's. Then the
  ///   conflict stays.
  @discardableResult
  public func resolve(_ conflict: Conflict, _ policy: SavePolicy) async throws -> Bool {
    let (commit, isResolved) = try await store.transaction { transaction throws(StoreError) in
      try transaction.resolve(conflict, by: policy)
    }
    if isResolved { await store.viewMerged(commit) }
    await counter.count()
    return isResolved
  }

  // MARK: - Counts

  /// The numbers of waiting and of refused changes: the current numbers, then each change.
  ///
  /// A slow consumer gets the newest counts and misses the earlier counts. When a call of the outbox
  /// returns, the newest counts are on their way to the consumer. A stream goes on without its outbox.
  /// It ends with the stack, or when the consuming task is cancelled.
  public nonisolated var counts: AsyncStream<OutboxCounts> { counter.stream() }

  /// The numbers of waiting and of refused changes, for a badge.
  ///
  /// Reading it registers an observation. When a call of the outbox returns, such as ``push(_:)``, this
  /// has the numbers after it. The numbers after any other commit, also of another stack or process,
  /// follow in a turn of the main actor.
  @MainActor public var currentCounts: OutboxCounts { counter.current }

  /// Forgets all waiting changes, as if they had been pushed.
  ///
  /// This is for an app that sent its state in another way, or whose user signed out. After the
  /// call, imports overwrite and delete the rows that were edited here. The call does not wait for
  /// a request that is being sent. The next refresh of each feed asks for all of it.
  ///
  /// - Throws: ``StoreError`` with code `cancelled`, `closed` or one of SQLite's.
  public func acknowledgeEverything() async throws {
    try await store.transaction { transaction throws(StoreError) in
      try transaction.acknowledgeEverything()
    }
    await counter.count()
  }

  // MARK: - The store's side

  /// Records the verdict on one request and hands over the next request, in one transaction.
  ///
  /// Cancelling the task does not stop the transaction.
  ///
  /// - Parameter sent: the request, and its verdict; nil if its outcome is not known.
  /// - Returns: the next step, and the reason why a row did not get the server's key.
  private func turn(
    noting sent: (request: HandedOverRequest, verdict: PushVerdict?)?, _ next: PushRequest?
  ) async throws(StoreError) -> (turn: PushTurn, problem: StoreError?) {
    if sent == nil && next == nil { return (.nothing, nil) }
    let outcome = try await store.writer.enqueue(.normal) {
      [imports = store.imports] writer throws(StoreError) in
      try writer.transaction { transaction throws(StoreError) -> (PushTurn, StoreError?) in
        if let sent,
          let problem = try transaction.noteVerdict(sent.request, sent.verdict, imports)
        {
          return (.nothing, problem)
        }
        return (
          try next.map { next throws(StoreError) in try transaction.handOver(next) } ?? .nothing,
          nil
        )
      }.result
    }.valueDespiteCancellation
    await counter.countIfWatched()
    return outcome
  }
}

extension Store {
  /// Returns the numbers of rows that wait and that were refused.
  nonisolated(nonsending) func outboxCounts() async throws(StoreError) -> OutboxCounts {
    try await reading { snapshot throws(StoreError) in
      try await snapshot.read { _, connection throws(StoreError) in
        try OutboxTable.counts(connection)
      }
    }
  }
}

extension Stack {
  /// Returns the outbox of the store, where commits wait to be pushed.
  ///
  /// Commits wait in the outbox from the first call of this method on. All calls return the same outbox,
  /// as long as it has a user. The outboxes of two stacks with the same file open push one after the other.
  ///
  /// Rows from before that call do not wait. ``Outbox/add(_:)`` adds them.
  ///
  /// - Parameter authors: further authors whose commits a server already knows, from this call on, such
  ///   as a task that writes a server's rows without an import. A later call without an author ends
  ///   its ignoring, so give each call the same authors. Commits of ``importAuthor`` and
  ///   ``evictionAuthor`` never wait. To push the records of an import, such as those of a file, give
  ///   its scratch context another author.
  /// - Throws: ``StoreError`` with code `replicated`, `cancelled`, `closed` or one of SQLite's.
  public nonisolated(nonsending) func outbox(
    ignoring authors: Set<String> = []
  ) async throws -> Outbox {
    let ignored = authors.union(ServerAuthors.always)
    // A push holds the outbox. Without one, no request of this stack is under way.
    let mayHaveRequests = store.outbox.isHeld
    try await store.writer.submit(.normal) { writer throws(StoreError) in
      let connection = try writer.connection
      if try ReplicaTable.state(connection) != nil {
        throw StoreError(
          .replicated, "a replica pushes the edits of this store",
          advice: "ask the replica for what waits and for what was refused")
      }
      let isOpen = try OutboxTable.ignoredAuthors(connection) == ignored
      if isOpen && mayHaveRequests { return }
      _ = try writer.transaction { transaction throws(StoreError) in
        if !mayHaveRequests { try transaction.loseRequests() }
        if isOpen { return }
        try OutboxTable.open(ignoring: ignored, transaction.connection)
        transaction.isCounted = true
      }
    }
    let outbox = store.outbox.object { Outbox(store) }
    try await outbox.beginToCount()
    return outbox
  }
}
