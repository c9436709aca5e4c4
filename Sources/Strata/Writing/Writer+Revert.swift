internal import StrataSQLite

extension Writer {
  /// The entry of a refused request; nil if the row was edited since, or the refusal has ended.
  func refused(
    _ request: PushRequest, _ connection: Connection
  ) throws(StoreError) -> OutboxEntry? {
    let entry = try translatingErrors { () throws(SQLiteError) in
      try OutboxTable.entry(request.table, request.key, connection)
    }
    guard let entry, entry.refusal != nil, entry.commit == request.commit else { return nil }
    return entry
  }

  /// Makes of a refused row what the server has, and forgets the request, in one transaction.
  ///
  /// - Returns: whether that was possible.
  func revert(_ request: PushRequest) throws(StoreError) -> Bool {
    var isReverted = false
    _ = try transaction(isCounted: true) { connection throws(StoreError) in
      guard let entry = try refused(request, connection),
        let change = reversal(of: entry, request)
      else { return [:] }
      var layer = Layer()
      layer[request.table.id, request.key] = .blind(change)
      var resolver = LayerResolver(connection, model, .overwrite, builder, presumes: false)
      var working = try resolver.resolve(layer)
      _ = try runRules(on: &working, connection)
      guard let unsent = try unsentRows(working, besides: request, connection) else { return [:] }
      if model.hasRules { try SaveValidation.check(working, model) }
      let changes = try RowWriter(connection, model, builder, outbox: nil).write(&working)
      try translatingErrors { () throws(SQLiteError) in
        try OutboxTable.set(nil, request.table, request.key, connection)
        for (table, key) in unsent { try OutboxTable.set(nil, model[table], key, connection) }
      }
      isReverted = true
      return changes
    }
    return isReverted
  }

  /// What gives an edit up; nil if the server's values are not known.
  private func reversal(of entry: OutboxEntry, _ request: PushRequest) -> BlindChange? {
    if request.kind == .insert { return .set(nil) }
    let original = entry.original.flatMap {
      HistoryDecoder.record($0, of: request.table, historyLayout, builder)
    }
    guard let original else { return nil }
    return request.kind == .delete
      ? .set(original) : .patching(entry.editedAttributes, onInsert: original)
  }

  /// The waiting rows that delete rules take along and no server knows; nil if a server may know one
  /// of them, and would never be told.
  private func unsentRows(
    _ working: WorkingSet, besides request: PushRequest, _ connection: Connection
  ) throws(StoreError) -> [(TableID, RecordKey)]? {
    var unsent: [(TableID, RecordKey)] = []
    for (table, rows) in working.tables {
      for row in rows.all where row.before != nil && row.after == nil {
        if table == request.table.id && row.key == request.key { continue }
        let entry = try translatingErrors { () throws(SQLiteError) in
          try OutboxTable.entry(model[table], row.key, connection)
        }
        guard let entry else { continue }
        if entry.isKnown || entry.handedOver != nil { return nil }
        unsent.append((table, row.key))
      }
    }
    return unsent
  }
}
