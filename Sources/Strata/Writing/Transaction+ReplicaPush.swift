internal import StrataSQLite

extension Transaction {
  /// Makes every stored row wait to be inserted on a server.
  mutating func offerAllRows(of tables: [Table]) throws(StoreError) {
    var encoder = HistoryEncoder(historyLayout)
    for table in tables {
      let rows = try connection.prepared(table.sql.scanFromKey)
      defer { rows.reset() }
      Cell.integer(.min).bind(to: rows, at: 1)
      while try rows.next() {
        let record = try builder.record(rows, of: table)
        let entry = OutboxEntry(Change(before: nil, after: record), commit: number) {
          encoder.encode($0, of: table.id)
        }
        try OutboxTable.set(entry, table, RecordKey(record[Table.keyColumn]), connection)
      }
    }
    isCounted = true
  }

  /// Hands over all edits that wait, if the server may make them.
  ///
  /// Edits that an earlier push handed over are handed over again: the server has not made them.
  ///
  /// - Parameter tables: the tables that the server has.
  /// - Returns: the edits in the order in which the server can make them.
  /// - Complexity: O(*n* log *n*) of the rows that wait.
  mutating func handOver(of tables: Set<TableID>) throws(StoreError) -> [ServerEdit] {
    for (table, key, entry) in try handedOver() {
      var entry = entry
      try OutboxTable.set(entry.takeBack() ? entry : nil, table, key, connection)
      isCounted = true
    }
    let waiting = try WaitingRequests(model, historyLayout, builder, connection)
    try removeEmpty(waiting.empty)
    let steps = waiting.steps.filter { tables.contains($0.row.table) }
    var plan = PushPlan(steps, refused: waiting.refused, later: [])
    var edits: [ServerEdit] = []
    while let step = plan.nextStep() {
      let (table, key) = (model[step.row.table], step.row.key)
      let waits = waiting[step]
      let local = waits.request.kind == .delete ? nil : waits.request.record
      var entry = waits.entry
      entry.handOver(at: number)
      try OutboxTable.set(entry, table, key, connection)
      edits.append(ServerEdit(table, step, entry, local: local, known: waits.request.original))
    }
    isCounted = isCounted || !edits.isEmpty
    return edits
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
      let isLeft: Bool
      switch reasons[PushOrder.Row(table: table.id, key: key)] {
      case nil where !tables.contains(table.id): isLeft = entry.takeBack()
      case nil:
        imports.notePushed(entry.attributesKnownHere(of: table), table.id, key)
        isLeft = entry.confirm()
      case .some(nil): isLeft = entry.takeBack()
      case .some(let reason?): isLeft = entry.refuse(reason)
      }
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
