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
/// }
/// ```
///
/// Everything is in the store: what was changed offline is pushed after a relaunch, and what was
/// acknowledged is not sent again. A request that is sent right before the process ends may be sent
/// twice: give the server the client's key. As long as a row waits, no import overwrites what was
/// edited of it, deletes it, or brings it back.
///
/// The changes are read from the history, of which nothing is pruned before it is pushed.
public actor Outbox {
  private let store: Store
  private var isPushing = false
  private var waiting: [UnsafeContinuation<Void, Never>] = []

  init(_ store: Store) { self.store = store }

  /// Sends what was changed, request by request, and returns when nothing is left.
  ///
  /// Several edits of one row are one request, and a row that was made and deleted is none. When
  /// `send` returns, its request is acknowledged; when it throws, so does this, and the next call
  /// begins with that request. One call runs at a time; others wait for it.
  ///
  /// - Returns: how many requests were acknowledged.
  /// - Throws: what `send` throws, or ``StoreError`` with code `historyExpired`, `cancelled`, `closed`
  ///   or one of SQLite's.
  /// - Complexity: O(*n* log *n*) of the changes that wait, also in memory.
  @discardableResult
  public func push(_ send: @Sendable (PushRequest) async throws -> Void) async throws -> Int {
    while isPushing { await withUnsafeContinuation { waiting.append($0) } }
    isPushing = true
    defer {
      isPushing = false
      for waiter in waiting { waiter.resume() }
      waiting = []
    }
    var count = 0
    while let portion = try await nextPortion() {
      for (index, request) in portion.requests.enumerated().dropFirst(portion.state.done) {
        try Task.checkCancellation()
        try await send(request)
        var state = portion.state
        state.done = index + 1
        try await set(state)
        count += 1
      }
      var state = portion.state
      (state.acknowledged, state.done) = (state.portion, 0)
      try await set(state)
    }
    return count
  }

  /// The requests that wait, in the order in which they would be sent.
  public func requests() async throws(StoreError) -> [PushRequest] {
    try await store.writer.submit(.normal) { writer throws(StoreError) in
      guard let state = try writer.outboxState() else { return [] }
      let first = try writer.unpushed(after: state.acknowledged, upTo: state.portion, state)
      let later = try writer.unpushed(after: state.portion, upTo: writer.commit, state)
      return Array(first.requests(writer.model).dropFirst(state.done))
        + later.requests(writer.model)
    }
  }

  private struct Portion: Sendable {
    let state: OutboxTable.State
    let requests: [PushRequest]
  }

  /// What is to be pushed next: what was begun, or everything until now; nil if nothing is.
  private func nextPortion() async throws(StoreError) -> Portion? {
    try await store.writer.submit(.normal) { writer throws(StoreError) in
      guard var state = try writer.outboxState() else { return nil }
      let isNew = state.portion == state.acknowledged
      if isNew { state.portion = writer.commit }
      let requests = try writer.unpushed(
        after: state.acknowledged, upTo: state.portion, state
      ).requests(writer.model)
      if requests.isEmpty && isNew { return nil }
      // The portion ends where it did, however much is committed while it is pushed.
      if isNew { try writer.set(state) }
      return Portion(state: state, requests: requests)
    }
  }

  private func set(_ state: OutboxTable.State) async throws(StoreError) {
    try await store.writer.submit(.normal) { writer throws(StoreError) in try writer.set(state) }
  }
}

extension Stack {
  /// The outbox of the store: what is committed from now on, or since this was first called, waits
  /// in it to be pushed.
  ///
  /// Use one outbox of a store at a time.
  ///
  /// - Parameter authors: whose commits a server knows already: imports are made by `import` unless
  ///   their scratch context has another author.
  /// - Throws: ``StoreError`` with code `cancelled`, `closed` or one of SQLite's.
  /// - Precondition: the stack was opened with ``Options/history``.
  public nonisolated(nonsending) func outbox(
    ignoring authors: Set<String> = ["import"]
  ) async throws(StoreError) -> Outbox {
    try await store.writer.submit(.normal) { writer throws(StoreError) in
      if writer.options.history == nil {
        fatalError("an outbox reads the history: set Stack.Options.history when opening the stack")
      }
      var state =
        try writer.outboxState()
        ?? OutboxTable.State(
          acknowledged: writer.commit, portion: writer.commit, ignored: authors)
      let isKnown = try writer.outboxState() == state && state.ignored == authors
      state.ignored = authors
      if !isKnown { try writer.set(state) }
    }
    return Outbox(store)
  }
}

extension Writer {
  func outboxState() throws(StoreError) -> OutboxTable.State? {
    let connection = try connection
    return try translatingErrors { () throws(SQLiteError) in try OutboxTable.state(connection) }
  }

  func set(_ state: OutboxTable.State) throws(StoreError) {
    _ = try transaction(isCounted: true) { connection throws(StoreError) in
      try translatingErrors { () throws(SQLiteError) in try OutboxTable.set(state, connection) }
      return [:]
    }
  }

  /// What was changed here after one commit up to another.
  ///
  /// - Throws: ``StoreError`` with code `historyExpired` if the history does not say.
  func unpushed(
    after first: Int64, upTo last: Int64, _ state: OutboxTable.State
  ) throws(StoreError) -> UnpushedRows {
    var rows = UnpushedRows()
    if first >= last { return rows }
    let connection = try connection
    let reader = HistoryReader(connection, historyLayout, builder)
    let kept = try translatingErrors { () throws(SQLiteError) in
      try OutboxTable.add(
        after: first, upTo: last, ignoring: state.ignored, to: &rows, reader, model, connection)
      return try reader.bounds()
    }
    guard rows.unknown.isEmpty, let kept, kept.lowerBound <= first + 1, kept.upperBound >= last
    else {
      throw StoreError(
        .historyExpired, "what was changed here since commit \(first) is not all known any more",
        advice: "push everything that the server may not have")
    }
    return rows
  }
}
