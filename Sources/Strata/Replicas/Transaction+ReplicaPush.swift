internal import StrataSQLite

extension Transaction {
  /// Makes every stored row wait to be inserted on a server.
  mutating func offerAllRows(of tables: [Table]) throws(StoreError) {
    for table in tables {
      let coding = store.coding(of: table)
      let rows = try connection.prepared(table.sql.scanFromKey)
      defer { rows.reset() }
      Cell.integer(.min).bind(to: rows, at: 1)
      while try rows.next() {
        let record = try store.builder.record(rows, of: table)
        let entry = OutboxEntry(Change(before: nil, after: record), commit: number, coding)
        try OutboxTable.set(entry, table, RecordKey(record[Table.keyColumn]), connection)
      }
    }
    isCounted = true
  }

  /// Hands over edits that wait, if the server may make them.
  ///
  /// Edits that an earlier push handed over are handed over again: the server has not made them.
  ///
  /// - Parameters:
  ///   - tables: the tables that the server has.
  ///   - limit: the number of bytes of values that one push has at most. A greater row is alone.
  /// - Complexity: O(*n* log *n*) of the rows that wait; in memory, their keys and the values within the
  ///   limit.
  mutating func handOver(
    of tables: Set<TableID>, limit: Int
  ) throws(StoreError) -> HandedOverEdits {
    for (table, key, entry) in try handedOver() {
      var entry = entry
      try OutboxTable.set(entry.takeBack() ? entry : nil, table, key, connection)
      isCounted = true
    }
    let waiting = try WaitingRequests(store, limit: limit)
    try removeEmpty(waiting.empty)
    var ready = PushPlan(
      waiting.steps.filter { tables.contains($0.row.table) }, refused: waiting.refused, later: [])
    var steps: [PushOrder.Step] = []
    while let step = ready.nextStep() { steps.append(step) }
    // The edits of a commit are in one push, unless they alone are more than the limit.
    let first = CommitGroups(steps.map(\.commits))
      .first(within: limit, sizes: steps.map(waiting.size))
    var plan = PushPlan(steps)
    var handed = HandedOverEdits()
    var size = 0
    for (position, step) in steps.enumerated() where plan.admits(step) {
      size += first.contains(position) ? waiting.size(step) : 0
      guard first.contains(position), size <= limit || handed.edits.isEmpty else {
        handed.isCut = true
        plan.note(.later(after: nil), of: step)
        continue
      }
      let (table, key) = (model[step.row.table], step.row.key)
      let kept = waiting.kept(step).map { ($0.request, $0.entry) }
      let found = if let kept { kept } else { try request(table, key) }
      guard let (request, entry) = found else { continue }
      let local = request.kind == .delete ? nil : request.record
      var sent = entry
      sent.handOver(at: number)
      try OutboxTable.set(sent, table, key, connection)
      handed.edits.append(ServerEdit(table, step, sent, local: local, known: request.original))
    }
    isCounted = isCounted || !handed.edits.isEmpty
    return handed
  }

  /// Returns the request of a row that waits.
  private func request(
    _ table: Table, _ key: RecordKey
  ) throws(StoreError) -> (PushRequest, OutboxEntry)? {
    guard let entry = try entry(table, key) else { return nil }
    let stored = try store.record(key, of: table)
    return PushRequest(
      entry, key, table, model,
      record: entry.aside.flatMap(store.coding(of: table).decode) ?? stored,
      store: try StoreIdentity.read(connection), store.coding(of: table)
    ).map { ($0, entry) }
  }

  /// Notes that the server has made everything that was handed over, except for some edits.
  ///
  /// - Parameters:
  ///   - tables: the tables of which the verdicts tell. Edits of other tables wait again.
  ///   - imports: the running imports, which are notified of pushed rows.
  mutating func confirmPush(
    except verdicts: [ServerVerdict], of tables: Set<TableID>, _ imports: ImportsUnderWay
  ) throws(StoreError) {
    let reasons = Dictionary(
      verdicts.map { (PushOrder.Row(table: $0.table.id, key: $0.key), $0.refusal) }
    ) { $1 }
    for (table, key, entry) in try handedOver() {
      var entry = entry
      let verdict: PushVerdict =
        switch reasons[PushOrder.Row(table: table.id, key: key)] {
        case nil: tables.contains(table.id) ? .done : .later
        case .some(nil): .later
        case .some(let reason?): .refused(reason)
        }
      if verdict == .done {
        imports.notePushed(entry.attributesKnownHere(of: table), table.id, key)
      }
      // A replica hands edits over again only after it has taken them back, and nothing answers them.
      let isLeft = entry.note(
        verdict, handedOverAt: entry.handedOver?.commit ?? 0, local: nil, store.coding(of: table))
      try OutboxTable.set(isLeft ? entry : nil, table, key, connection)
    }
    isCounted = true
  }

  private func handedOver() throws(StoreError) -> [(Table, RecordKey, OutboxEntry)] {
    var found: [(Table, RecordKey, OutboxEntry)] = []
    try OutboxTable.forEach(model, connection, isHandedOver: true) { table, key, entry in
      found.append((table, key, entry))
    }
    return found
  }
}
