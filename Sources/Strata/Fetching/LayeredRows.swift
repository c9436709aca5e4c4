/// A query's rows in order, as the layers show them, without ever having all of them in memory.
///
/// A cursor reads the store's rows, and the layers' rows are merged in. The type is an actor, so
/// that merging and decoding do not run on a caller's actor.
actor LayeredRows {
  private let plan: QueryPlan
  private let fetch: LayeredFetch
  private let cursor: Cursor?
  /// The keys whose stored rows are skipped.
  private let replaced: Set<RecordKey>
  /// The layers' rows in order.
  private let edited: [Record]
  private var nextEdited = 0
  /// The rows that were read from the cursor and are not merged yet.
  private var stored: ArraySlice<Record> = []
  private var isAtEnd: Bool
  private var offset: Int
  private var rest: Int

  /// The maximum number of stored rows that are held at once.
  private static let readAhead = 1_000

  init(
    _ fetch: LayeredFetch, _ plan: QueryPlan, cursor: Cursor?, replaced: Set<RecordKey>,
    edited: [Record]
  ) {
    self.fetch = fetch
    self.plan = plan
    self.cursor = cursor
    self.replaced = replaced
    self.edited = edited
    isAtEnd = cursor == nil
    offset = plan.offset
    rest = plan.limit ?? .max
  }

  /// Returns at most the next `count` entities; an empty array at the end.
  func entities<E: Entity>(_ count: Int, as _: E.Type) async throws(StoreError) -> [E] {
    var entities: [E] = []
    while entities.count < count && rest > 0 {
      while stored.isEmpty, !isAtEnd, let cursor { try await readOn(cursor) }
      guard let record = takeRow() else { break }
      if offset > 0 {
        offset -= 1
        continue
      }
      rest -= 1
      entities.append(try fetch.entity(record, plan.table))
    }
    return entities
  }

  private func readOn(_ cursor: Cursor) async throws(StoreError) {
    let rows = try await cursor.records(Self.readAhead, of: plan)
    isAtEnd = rows.count < Self.readAhead
    stored = rows.filter { !replaced.contains($0.key(Table.keyColumn)) }[...]
  }

  /// Returns the next row: a stored row that was read, or a row of the layers.
  private func takeRow() -> Record? {
    let theirs = stored.first
    let mine = nextEdited < edited.count ? edited[nextEdited] : nil
    if let mine, theirs.map({ plan.order.compare(mine, $0) < 0 }) ?? true {
      nextEdited += 1
      return mine
    }
    return stored.popFirst()
  }
}

/// The source of an iteration's rows.
enum BatchRows: Sendable {
  /// Rows straight from the store.
  case stored(Cursor, Table)
  /// Rows of the store with unsaved edits merged in.
  case layered(LayeredRows)

  /// Returns at most the next `count` entities; an empty array at the end.
  func entities<E: Entity>(_ count: Int, as type: E.Type) async throws(StoreError) -> [E] {
    switch self {
    case .stored(let cursor, let table):
      try await cursor.entities(count, of: table, as: type)
    case .layered(let rows): try await rows.entities(count, as: type)
    }
  }
}

extension LayeredFetch {
  /// Returns a query's rows, to be read a batch at a time.
  func batches<E: Entity>(_ query: Query<E>) async throws(StoreError) -> BatchRows {
    let plan = try QueryPlan(query, model)
    if !touches(plan) {
      let near = try await snapshot.narrowed(plan, to: plan.reach)
      let sql = near.select(limit: plan.limit, offset: plan.offset)
      return .stored(try await Cursor(snapshot, sql, for: .batches), plan.table)
    }
    switch try await answer(of: plan) {
    case .rows(let rows):
      return .layered(LayeredRows(self, plan, cursor: nil, replaced: [], edited: rows))
    case .corrected(let plan, let edited):
      let limit = plan.reach.map { $0 + edited.stored.count }
      let near = try await snapshot.narrowed(plan, to: limit)
      let cursor = try await Cursor(snapshot, near.select(limit: limit, offset: 0), for: .batches)
      return .layered(
        LayeredRows(
          self, plan, cursor: cursor, replaced: edited.keys,
          edited: edited.shown.sorted { plan.order.compare($0, $1) < 0 }))
    }
  }
}
