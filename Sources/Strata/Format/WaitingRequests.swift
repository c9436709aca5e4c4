internal import StrataSQLite

/// The requests that an outbox could send, in the order in which a server can make the changes.
struct WaitingRequests: Sendable {
  /// A request and its entry.
  struct Waiting: Sendable {
    let request: PushRequest
    let entry: OutboxEntry
    /// The conflict with the server's newest row; nil if there is none.
    let conflict: Conflict?
  }

  /// The requests in the order of their reading; nil for those past the limit.
  private var kept: [Waiting?] = []
  private var sizes: [Int] = []
  private(set) var refused: Set<PushOrder.Row> = []
  private(set) var steps: [PushOrder.Step] = []
  /// The entries of which nothing can be sent.
  private(set) var empty: [(table: Table, key: RecordKey, commit: Int64)] = []

  /// Reads the entries of the outbox and their rows.
  ///
  /// - Parameter limit: the number of bytes of values past which only the order of the requests is
  ///   kept.
  /// - Complexity: O(*n* log *n*) of the rows that wait; in memory, their keys and the values within the
  ///   limit.
  init(_ store: StoreAccess, limit: Int = .max) throws(StoreError) {
    let (model, connection) = (store.model, store.connection)
    var order = PushOrder(model)
    var size = 0
    let identity = try StoreIdentity.read(connection)
    kept.reserveCapacity(Int(try OutboxTable.count(connection)))
    try OutboxTable.forEach(model, connection) { table, key, entry throws(StoreError) in
      let rows = store.coding(of: table)
      let stored = try store.record(key, of: table)
      let record = entry.aside.flatMap(rows.decode) ?? stored
      guard
        let request = PushRequest(
          entry, key, table, model, record: record, store: identity, rows)
      else { return empty.append((table, key, entry.commit)) }
      let conflict = entry.conflict(key, local: stored, in: table, rows)
      let waiting = Waiting(request: request, entry: entry, conflict: conflict)
      size += request.size
      sizes.append(request.size)
      kept.append(size <= limit ? waiting : nil)
      if request.refusal != nil { refused.insert(PushOrder.Row(table: table.id, key: key)) }
      order.add(
        request, original: request.original, sent: entry.handedOver?.row.flatMap(rows.decode),
        isHandedOver: entry.handedOver != nil, isFollowed: entry.repeatsDeletion,
        first: entry.first)
    }
    steps = order.sorted()
  }

  /// The requests, if there is no limit.
  var all: [Waiting] { kept.compactMap(\.self) }

  /// Returns the request of a step; nil if it is past the limit.
  func kept(_ step: PushOrder.Step) -> Waiting? { kept[step.number] }

  /// The number of bytes of the request of a step, about.
  func size(_ step: PushOrder.Step) -> Int { sizes[step.number] }

  subscript(step: PushOrder.Step) -> Waiting {
    guard let waiting = kept[step.number] else { fatalError("a request past the limit") }
    return waiting
  }

  /// The requests in their order.
  var requests: [PushRequest] { steps.map { self[$0].request } }
}
