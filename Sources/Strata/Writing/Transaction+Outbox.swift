internal import StrataSQLite

/// A request that a server may have received, and the commit that notes it.
struct HandedOverRequest: Sendable {
  let request: PushRequest
  let commit: Int64
}

/// The next step of a push with a row.
enum PushTurn: Sendable {
  case send(HandedOverRequest)
  /// The row was edited after the requests were put in order.
  case otherOrder
  /// No edit of the row waits.
  case nothing
}

extension Transaction {
  // MARK: - Pushing

  /// Notes a request as handed over to the server.
  mutating func handOver(_ planned: PushRequest) throws(StoreError) -> PushTurn {
    isCounted = true
    let (table, key) = (planned.table, planned.key)
    guard var entry = try entry(table, key) else { return .nothing }
    if entry.commit != planned.commit { return .otherOrder }
    let request = PushRequest(
      entry, key, table, model, record: try connection.record(key, of: table, builder)
    ) { decode($0, of: table) }
    guard let request else {
      try set(nil, table, key)
      return .nothing
    }
    entry.handOver(at: number)
    try set(entry, table, key)
    return .send(HandedOverRequest(request: request, commit: number))
  }

  /// Notes the server's verdict on a request.
  ///
  /// If imports have brought newer rows of the server meanwhile, the edits are moved onto them.
  ///
  /// - Parameter imports: the running imports, which are notified of a pushed row.
  mutating func noteVerdict(
    _ sent: HandedOverRequest, _ verdict: PushVerdict, _ imports: ImportsUnderWay
  ) throws(StoreError) {
    isCounted = true
    let (request, table) = (sent.request, sent.request.table)
    guard var entry = try entry(table, request.key) else { return }
    let isAnswered = entry.handedOver?.isAnswered == true
    let isLeft: Bool
    switch verdict {
    case .later: isLeft = entry.postpone(at: sent.commit)
    case .refused(let reason): isLeft = entry.refuse(reason, at: sent.commit)
    case .done:
      imports.notePushed(entry.attributesKnownHere(of: table), table.id, request.key)
      isLeft = entry.acknowledge(at: sent.commit)
      if !isLeft && isAnswered && request.kind != .delete {
        try set(nil, table, request.key)
        return try take(entry.server { decode($0, of: table) }, for: request)
      }
    }
    if isLeft {
      try settle(entry, request)
    } else {
      try set(nil, table, request.key)
    }
  }

  /// Moves an entry's edits onto the row that an import brought during the request, if one did.
  private mutating func settle(
    _ waiting: OutboxEntry, _ request: PushRequest
  ) throws(StoreError) {
    let (table, key) = (request.table, request.key)
    let local = try connection.record(key, of: table, builder)
    var entry = waiting
    let rebased = entry.settle(local: local, in: table) {
      encode($0, of: table)
    } decode: {
      decode($0, of: table)
    }
    try set(rebased?.isLeft == false ? nil : entry, table, key)
    if let rebased, rebased.row != local { try take(rebased.row, for: request) }
  }

  /// Gives the row of a request the server's values, if no rule forbids them.
  ///
  /// The verdict is noted in any case. A row that breaks a rule stays as it is, as in an import that
  /// leaves it out.
  private mutating func take(
    _ row: Record?, for request: PushRequest
  ) throws(StoreError) {
    guard let row else { return }
    do throws(StoreError) {
      let connection = connection
      try connection.atomically { () throws(StoreError) in
        try writeRow(row, request.table, request.key)
      }
    } catch {
      let rules: [StoreError.Code] = [
        .uniquenessViolated, .missingReference, .validationFailed, .deleteDenied,
      ]
      guard rules.contains(error.code), connection.isInTransaction else { throw error }
    }
  }

  /// Removes entries of which nothing can be sent, unless their rows were edited since.
  ///
  /// A migration may have removed the only edited attribute, or a commit that the outbox ignores
  /// may have deleted the row.
  mutating func removeEmpty(
    _ entries: [(table: Table, key: RecordKey, commit: Int64)]
  ) throws(StoreError) {
    for (table, key, commit) in entries where try entry(table, key)?.commit == commit {
      try set(nil, table, key)
      isCounted = true
    }
  }

  // MARK: - Refused requests

  /// Lets the next push send a refused request again. A row that was set aside returns.
  ///
  /// - Returns: false if the row was edited since, or the refusal has ended.
  mutating func retry(_ request: PushRequest) throws(StoreError) -> Bool {
    guard var entry = try refused(request) else { return false }
    if entry.aside != nil, let row = request.record {
      let change: BlindChange =
        entry.isKnown ? .patching(entry.editedAttributes, onInsert: row) : .set(row)
      var working = try resolve(change, request.table, request.key)
      try write(&working, isPushed: false)
    }
    entry.retry()
    try set(entry, request.table, request.key)
    isCounted = true
    return true
  }

  /// Gives a refused edit up.
  ///
  /// The row gets the server's values, and the request is forgotten.
  ///
  /// - Returns: whether that was possible; if not, nothing is written.
  mutating func revert(_ request: PushRequest) throws(StoreError) -> Bool {
    guard let entry = try refused(request), let change = reversal(of: entry, request) else {
      return false
    }
    var working = try resolve(change, request.table, request.key)
    _ = try runRules(on: &working)
    guard let unsent = try unsentRows(working, besides: request) else { return false }
    if model.hasRules { try SaveValidation.check(working, model) }
    try write(&working, isPushed: false)
    try set(nil, request.table, request.key)
    for (table, key) in unsent { try set(nil, model[table], key) }
    // A link or a row that the server does not have any more may be back.
    try ValidatorTable.note(.reversal, connection)
    isCounted = true
    return true
  }

  // MARK: - Conflicts

  /// Resolves a conflict with the server.
  ///
  /// - Returns: false if the row, the edit or the server's row differs from the conflict's.
  mutating func resolve(
    _ conflict: Conflict, by policy: SavePolicy
  ) throws(StoreError) -> Bool {
    let (table, key) = (conflict.table, conflict.key)
    guard policy != .error, var entry = try entry(table, key) else { return false }
    let local = try connection.record(key, of: table, builder)
    let current = entry.conflict(key, local: local, in: table) { decode($0, of: table) }
    guard let current, current.hasSides(of: conflict) else { return false }
    // The edit now starts from another row, so its request is another one, too.
    entry.retry()
    let rebased = entry.rebase(onto: current.theirs, local: local, in: table, policy: policy) {
      encode($0, of: table)
    } decode: {
      decode($0, of: table)
    }
    if rebased.row != local {
      try writeRow(rebased.row, table, key)
      try ValidatorTable.note(.reversal, connection)
    }
    try set(rebased.isLeft ? entry : nil, table, key)
    isCounted = true
    return true
  }

  // MARK: -

  /// Writes a row of the server, by the rules of the schema; nil deletes the row.
  private mutating func writeRow(
    _ row: Record?, _ table: Table, _ key: RecordKey
  ) throws(StoreError) {
    var working = try resolve(.set(row), table, key)
    _ = try runRules(on: &working)
    if model.hasRules { try SaveValidation.check(working, model) }
    try write(&working, isPushed: false)
  }

  /// Returns a stored row with a change.
  private func resolve(
    _ change: BlindChange, _ table: Table, _ key: RecordKey
  ) throws(StoreError) -> WorkingSet {
    var layer = Layer()
    layer[table.id, key] = .blind(change)
    var resolver = LayerResolver(
      connection: connection, model: model, policy: .overwrite, builder: builder, presumes: false)
    return try resolver.resolve(layer)
  }

  /// Returns the entry of a refused request; nil if the row was edited since, or the refusal has
  /// ended.
  private func refused(_ request: PushRequest) throws(StoreError) -> OutboxEntry? {
    guard let entry = try entry(request.table, request.key), entry.refusal != nil,
      entry.commit == request.commit
    else { return nil }
    return entry
  }

  /// Returns the change that gives an edit up; nil if the server's values are not known.
  private func reversal(of entry: OutboxEntry, _ request: PushRequest) -> BlindChange? {
    if request.kind == .insert || entry.newest == .gone { return .set(nil) }
    guard let server = entry.server({ decode($0, of: request.table) }) else { return nil }
    return request.kind == .delete
      ? .set(server) : .patching(entry.editedAttributes, onInsert: server)
  }

  /// Finds the waiting rows that delete rules delete and that no server knows.
  ///
  /// - Returns: nil if a server may know such a row, because the server would never hear of its
  ///   deletion.
  private func unsentRows(
    _ working: WorkingSet, besides request: PushRequest
  ) throws(StoreError) -> [(TableID, RecordKey)]? {
    var unsent: [(TableID, RecordKey)] = []
    for (table, rows) in working.tables {
      for row in rows.all where row.before != nil && row.after == nil {
        if table == request.table.id && row.key == request.key { continue }
        guard let entry = try entry(model[table], row.key) else { continue }
        if entry.isKnown || entry.handedOver != nil { return nil }
        unsent.append((table, row.key))
      }
    }
    return unsent
  }

  // MARK: -

  private func entry(_ table: Table, _ key: RecordKey) throws(StoreError) -> OutboxEntry? {
    try OutboxTable.entry(table, key, connection)
  }

  private func set(
    _ entry: OutboxEntry?, _ table: Table, _ key: RecordKey
  ) throws(StoreError) {
    try OutboxTable.set(entry, table, key, connection)
  }
}
