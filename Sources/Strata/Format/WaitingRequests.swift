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

  private(set) var all: [Waiting] = []
  private(set) var refused: Set<PushOrder.Row> = []
  private(set) var steps: [PushOrder.Step] = []
  /// The entries of which nothing can be sent.
  private(set) var empty: [(table: Table, key: RecordKey, commit: Int64)] = []

  /// Reads the entries of the outbox and their rows.
  ///
  /// - Complexity: O(*n* log *n*) of the rows that wait, also in memory.
  init(
    _ model: Model, _ layout: HistoryLayout, _ builder: RecordBuilder, _ connection: Connection
  ) throws(StoreError) {
    var order = PushOrder(model)
    let store = try StoreIdentity.read(connection)
    all.reserveCapacity(Int(try OutboxTable.count(connection)))
    try OutboxTable.forEach(model, connection) { table, key, entry throws(StoreError) in
      func decode(_ bytes: [UInt8]) -> Record? {
        HistoryDecoder.record(bytes, of: table, layout, builder)
      }
      let stored = try connection.record(key, of: table, builder)
      let record = entry.aside.flatMap(decode) ?? stored
      guard
        let request = PushRequest(
          entry, key, table, model, record: record, store: store, decode: decode)
      else { return empty.append((table, key, entry.commit)) }
      let conflict = entry.conflict(key, local: stored, in: table, decode: decode)
      all.append(
        Waiting(request: request, entry: entry, conflict: conflict))
      if request.refusal != nil { refused.insert(PushOrder.Row(table: table.id, key: key)) }
      order.add(
        request, original: request.original, sent: entry.handedOver?.row.flatMap(decode),
        isHandedOver: entry.handedOver != nil, isFollowed: entry.repeatsDeletion)
    }
    steps = order.sorted()
  }

  subscript(step: PushOrder.Step) -> Waiting { all[step.number] }

  /// The requests in their order.
  var requests: [PushRequest] { steps.map { self[$0].request } }
}
