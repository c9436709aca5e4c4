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
/// What waits is written down in the transaction that edits it, so that nothing is lost or invented
/// by a crash, and kept until a server has it, whatever else becomes of the store's history. As
/// long as a row waits, no import and no eviction overwrites what was edited of it, deletes it, or
/// brings it back. Nor does an import that began before the row was acknowledged, which may read
/// what the server said earlier; only one of another process does not know of that.
///
/// A request is sent at least once: one that is under way when the process ends, or that fails, may
/// have reached the server and is sent again. Give the server the client's key.
public actor Outbox {
  private let store: Store
  private let pushes = Turnstile()

  init(_ store: Store) { self.store = store }

  /// Sends what was changed, request by request, and returns when nothing is left.
  ///
  /// Several edits of one row are one request, and a row that was made and deleted before anything
  /// of it was sent is none. Requests come in the order of the commits, but for what a server needs
  /// otherwise: a row is inserted before those that refer to it, deleted after those that let go of
  /// it, and gets a unique value of the schema after the row that gives it away.
  ///
  /// When `send` returns, its request is acknowledged, also if the task is cancelled meanwhile;
  /// when it throws, so does this, and the next call sends that request again. What is edited while
  /// it is sent waits for the next request. One call runs at a time; others wait for it.
  ///
  /// - Returns: how many requests were acknowledged.
  /// - Throws: what `send` throws, `CancellationError`, or ``StoreError`` with code `cancelled`,
  ///   `closed`, `diskFull` or another of SQLite's.
  /// - Complexity: O(*n* log *n*) of the rows that wait, again whenever one of them is edited
  ///   meanwhile; one transaction for each request.
  @discardableResult
  public func push(_ send: @Sendable (PushRequest) async throws -> Void) async throws -> Int {
    try await pushes.enter()
    defer { pushes.leave() }
    var count = 0
    while true {
      let requests = try await requests()
      if requests.isEmpty { return count }
      count += try await push(requests, send)
    }
  }

  /// Sends requests until one of their rows was edited meanwhile, which may change the order.
  private func push(
    _ requests: [PushRequest], _ send: @Sendable (PushRequest) async throws -> Void
  ) async throws -> Int {
    var count = 0
    var sent: HandedOver?
    for request in requests {
      let turn = try await turn(acknowledging: sent, Task.isCancelled ? nil : request)
      sent = nil
      try Task.checkCancellation()
      switch turn {
      case .nothing: continue
      case .otherOrder: return count
      case .send(let next):
        try await send(next.request)
        sent = next
        count += 1
      }
    }
    _ = try await turn(acknowledging: sent, nil)
    return count
  }

  /// The requests that wait, in the order in which they would be sent.
  ///
  /// - Throws: ``StoreError`` with code `cancelled`, `closed` or one of SQLite's.
  /// - Complexity: O(*n* log *n*) of the rows that wait, also in memory.
  public func requests() async throws(StoreError) -> [PushRequest] {
    let layout = store.historyLayout
    return try await store.reading { snapshot throws(StoreError) in
      try await snapshot.read { reader, connection throws(StoreError) in
        var requests: [PushOrder.Place: PushRequest] = [:]
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
          requests[PushOrder.Place(table: table.id, key: key)] = request
          order.add(request, original: original, isHandedOver: entry.handedOver != nil)
        }
        return order.sorted().compactMap { requests[$0] }
      }
    }
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
  }

  // MARK: - The store's side

  /// A request that a server may know of, and the commit that says so.
  fileprivate struct HandedOver: Sendable {
    let request: PushRequest
    let commit: Int64
  }

  fileprivate enum Turn: Sendable {
    case send(HandedOver)
    /// The row was edited since the requests were put in order.
    case otherOrder
    /// Nothing of the row waits any more.
    case nothing
  }

  /// Acknowledges one request and hands over the next one, in one transaction, which cancelling the
  /// task does not stop.
  private func turn(
    acknowledging sent: HandedOver?, _ next: PushRequest?
  ) async throws(StoreError) -> Turn {
    if sent == nil && next == nil { return .nothing }
    return try await store.writer.enqueue(.normal) {
      [imports = store.imports] writer throws(StoreError) in
      var turn = Turn.nothing
      _ = try writer.transaction(isCounted: true) { connection throws(StoreError) in
        if let sent { try writer.acknowledge(sent, imports, connection) }
        if let next { turn = try writer.handOver(next, connection) }
        return [:]
      }
      return turn
    }.settled
  }
}

extension Writer {
  fileprivate func acknowledge(
    _ sent: Outbox.HandedOver, _ imports: ImportsUnderWay, _ connection: Connection
  ) throws(StoreError) {
    let (request, table) = (sent.request, sent.request.table)
    var encoder = HistoryEncoder(historyLayout)
    let record = request.record.map { encoder.encode($0, of: table.id) }
    try translatingErrors { () throws(SQLiteError) in
      guard var entry = try OutboxTable.entry(table, request.key, connection) else { return }
      imports.notePushed(entry.attributesKnownHere(of: table), table.id, request.key)
      let isLeft = entry.acknowledge(request.kind, at: sent.commit, sent: record)
      try OutboxTable.set(isLeft ? entry : nil, table, request.key, connection)
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
