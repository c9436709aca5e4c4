internal import StrataSQLite

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
    // An import may have set the row aside since the requests were put in order.
    if entry.commit != planned.commit || entry.refusal != nil { return .otherOrder }
    let request = PushRequest(
      entry, key, table, model, record: try store.record(key, of: table),
      store: try StoreIdentity.read(connection), store.coding(of: table))
    guard let request else {
      try set(nil, table, key)
      return .nothing
    }
    entry.handOver(at: number)
    try set(entry, table, key)
    return .send(HandedOverRequest(request: request, commit: number))
  }

  /// Notes that the requests which were handed over are under way no longer.
  mutating func loseRequests() throws(StoreError) {
    var lost: [(Table, RecordKey, OutboxEntry)] = []
    try OutboxTable.forEach(model, connection, isHandedOver: true) { table, key, entry in
      var entry = entry
      if entry.lose() { lost.append((table, key, entry)) }
    }
    for (table, key, entry) in lost {
      try settle(entry, table, key)
      isCounted = true
    }
  }

  /// Notes the server's verdict on a request.
  ///
  /// If imports have brought newer rows of the server meanwhile, the edits are moved onto them.
  ///
  /// - Parameters:
  ///   - verdict: nil if the outcome of the request is not known.
  ///   - imports: the running imports, which are notified of a pushed row.
  /// - Returns: the reason why the row did not get the server's key; nil if it did, or if it keeps its
  ///   own.
  mutating func noteVerdict(
    _ sent: HandedOverRequest, _ verdict: PushVerdict?, _ imports: ImportsUnderWay
  ) throws(StoreError) -> StoreError? {
    isCounted = true
    let table = sent.request.table
    let found = try handedOver(sent)
    let key = found?.key ?? sent.request.key
    if let found { try noteVerdict(on: found.entry, key, sent, verdict, imports) }
    guard case .done(let newKey?) = verdict, newKey != key else { return nil }
    imports.notePushed(.all(table.columns.count), table.id, newKey)
    if found == nil {
      guard try store.record(key, of: table) != nil else { return nil }
    }
    return try changeKey(of: table, from: key, to: newKey) == nil
      ? .keyIsTaken(newKey, of: table) : nil
  }

  /// Returns the entry of a request; the row may have got another key since.
  private func handedOver(
    _ sent: HandedOverRequest
  ) throws(StoreError) -> (key: RecordKey, entry: OutboxEntry)? {
    let request = sent.request
    if let entry = try entry(request.table, request.key) { return (request.key, entry) }
    var found: (key: RecordKey, entry: OutboxEntry)?
    try OutboxTable.forEach(model, connection, isHandedOver: true) { table, key, entry in
      if table === request.table && entry.handedOver?.commit == sent.commit { found = (key, entry) }
    }
    return found
  }

  private mutating func noteVerdict(
    on waiting: OutboxEntry, _ key: RecordKey, _ sent: HandedOverRequest, _ verdict: PushVerdict?,
    _ imports: ImportsUnderWay
  ) throws(StoreError) {
    let (request, table) = (sent.request, sent.request.table)
    var entry = waiting
    let isAnswered = entry.handedOver?.isAnswered == true
    let local = try store.record(key, of: table)
    let coding = store.coding(of: table)
    if case .done(key: let newKey) = verdict {
      if request.kind == .insert {
        try LocalRowsTable.noteServerRows([key], of: table, connection)
      }
      try ValidatorTable.note(.push, in: CollectionOfOne(table), connection)
      // The server's row with the new key has set its own request aside.
      if entry.aside != nil, let newKey, newKey != key { return }
      imports.notePushed(entry.attributesKnownHere(of: table), table.id, key)
    }
    let isLeft = entry.note(verdict, handedOverAt: sent.commit, local: local, coding)
    // The server has taken a row that was set aside.
    let aside = entry.aside.flatMap(coding.decode)
    if case .done = verdict, !isLeft, isAnswered || aside != nil, request.kind != .delete {
      try set(nil, table, key)
      return try take(isAnswered ? entry.server(coding) : aside, table, key)
    }
    if isLeft {
      try settle(entry, table, key)
    } else {
      try set(nil, table, key)
    }
  }

  /// Moves an entry's edits onto the row that an import brought during the request, if one did.
  private mutating func settle(
    _ waiting: OutboxEntry, _ table: Table, _ key: RecordKey
  ) throws(StoreError) {
    let local = try store.record(key, of: table)
    var entry = waiting
    let rebased = entry.settle(local: local, in: table, store.coding(of: table))
    try set(rebased?.isLeft == false ? nil : entry, table, key)
    if let rebased, rebased.row != local { try take(rebased.row, table, key) }
  }

  /// Gives the row of a request the server's values, if no rule forbids them.
  ///
  /// The verdict is noted in any case. A row that breaks a rule stays as it is, as in an import that
  /// leaves it out.
  private mutating func take(
    _ row: Record?, _ table: Table, _ key: RecordKey
  ) throws(StoreError) {
    guard let row else { return }
    do throws(StoreError) {
      let connection = connection
      try connection.atomically { () throws(StoreError) in
        _ = try writeRow(row, table, key)
      }
    } catch {
      let rules: [StoreError.Code] = [
        .uniquenessViolated, .missingReference, .validationFailed, .deleteDenied,
      ]
      guard rules.contains(error.code), connection.isInTransaction else { throw error }
    }
  }

  /// Forgets all entries, as if the server had done their requests.
  mutating func acknowledgeEverything() throws(StoreError) {
    var inserted: [TableID: [RecordKey]] = [:]
    try OutboxTable.forEach(model, connection) { table, key, entry in
      if !entry.isKnown { inserted[table.id, default: []].append(key) }
    }
    for (table, keys) in inserted {
      try LocalRowsTable.noteServerRows(keys, of: model[table], connection)
    }
    try OutboxTable.removeAll(connection)
    try ValidatorTable.note(.reversal, connection)
    isCounted = true
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

  // MARK: - Rows that no server has

  /// Adds rows that no server has to the outbox, with the links of these rows.
  ///
  /// - Returns: the number of rows and links that wait now and did not wait to be inserted before.
  mutating func addToOutbox(
    _ keys: some Sequence<RecordKey>, of table: Table
  ) throws(StoreError) -> Int {
    guard let local = try LocalRows(store) else { return 0 }
    var count = 0
    for key in keys {
      guard try local.contains(key, of: table),
        let row = try store.record(key, of: table)
      else { continue }
      if try entry(table, key) != nil {
        if try makeInsertion(key, of: table) { count += 1 }
      } else {
        let insertion = OutboxEntry(
          Change(before: nil, after: row), commit: number, store.coding(of: table))
        try set(insertion, table, key)
        try LocalRowsTable.remove(key, of: table, connection)
        isCounted = true
        count += 1
      }
      for reference in table.referrers where model[reference.table].isJoin {
        let join = model[reference.table]
        let links = try store.records(
          of: join, referringTo: key, in: reference.column)
        count += try addToOutbox(links.map { $0.key(Table.keyColumn) }, of: join)
      }
    }
    return count
  }

  /// Makes the edits of a row that no server has an insertion.
  ///
  /// - Returns: false if no such edits of the row wait.
  @discardableResult
  mutating func makeInsertion(
    _ key: RecordKey, of table: Table
  ) throws(StoreError) -> Bool {
    guard var waiting = try entry(table, key), waiting.becomeInsertion(table.columns.count) else {
      return false
    }
    try set(waiting, table, key)
    try LocalRowsTable.remove(key, of: table, connection)
    isCounted = true
    return true
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
      try applyRules(to: &working)
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
    var layer = Layer()
    layer[request.table.id, request.key] = .blind(change)
    let (id, key) = (request.table.id, request.key)
    var effects =
      request.kind == .delete ? try giveUpEffects(of: entry, key, request.table, &layer) : []
    let stored = try store.record(key, of: request.table)
    let reverted = change.applied(to: stored)
    try restoreTargets(of: reverted, request.table, &layer)
    effects += try restoreOwners(of: reverted, request.table, &layer)
    let restored = layer.keys
    var working = try resolve(layer)
    // The rules of a row that was set aside run as if it were there.
    if stored == nil, reverted == nil,
      let aside = entry.aside.flatMap(store.coding(of: request.table).decode)
    {
      working.take(from: id) { $0.key == key }
      working.add([(id, .init(key: key, before: aside, after: nil))])
      _ = try runRules(on: &working)
      working.take(from: id) { $0.key == key }
    } else {
      _ = try runRules(on: &working)
    }
    guard let unsent = try unsentRows(working, besides: request) else { return false }
    try SaveValidation.check(working, model)
    try write(&working, isPushed: false)
    try removeEntries(of: restored)
    for (table, key, entry) in effects { try set(entry, table, key) }
    // No server may have the row, because the answer to its insertion was lost.
    if request.kind == .delete, !entry.isKnown, let reverted {
      try set(
        OutboxEntry(
          Change(before: nil, after: reverted), commit: number, store.coding(of: request.table)),
        request.table, key)
    }
    for (table, key) in unsent { try set(nil, model[table], key) }
    // A link or a row that the server does not have any more may be back.
    try ValidatorTable.note(.reversal, connection)
    isCounted = true
    return true
  }

  /// Gives up the edits with which other rows have taken the unique values of a row of the server.
  ///
  /// Other edits of these rows stay.
  ///
  /// - Returns: the entries of the rows of which other edits are left.
  private func restoreOwners(
    of row: Record?, _ table: Table, _ layer: inout Layer
  ) throws(StoreError) -> [(Table, RecordKey, OutboxEntry)] {
    guard let row else { return [] }
    var left: [(Table, RecordKey, OutboxEntry)] = []
    for unique in table.uniques where !unique.contains(where: row.isNull) {
      guard let owner = try connection.owner(of: unique, in: row, table),
        layer[table.id, owner] == nil, var entry = try entry(table, owner),
        entry.handedOver == nil, let server = entry.server(store.coding(of: table)),
        let stored = try store.record(owner, of: table)
      else { continue }
      let given = AttributeSet(unique).intersection(entry.attributes)
      if given.isEmpty { continue }
      layer[table.id, owner] = .blind(.patching(given, onInsert: server))
      if entry.giveUp(given) { left.append((table, owner, entry)) }
      left += try restoreOwners(of: stored.replacing(given, from: server), table, &layer)
    }
    return left
  }

  /// Gives up the deletions of the rows to which a row of the server refers.
  ///
  /// The server cannot make such a deletion while it has the row.
  ///
  /// - Throws: `missingReference` if a row cannot be brought back.
  private func restoreTargets(
    of row: Record?, _ table: Table, _ layer: inout Layer
  ) throws(StoreError) {
    guard let row else { return }
    for reference in table.references where !row.isNull(reference.column) {
      let (target, key) = (model[reference.target], row.key(reference.column))
      if layer[target.id, key] != nil { continue }
      if try store.record(key, of: target) != nil { continue }
      let entry = try entry(target, key)
      let server = entry?.handedOver == nil ? entry?.server(store.coding(of: target)) : nil
      guard let server else {
        // Without an entry, the server may have ended the reference, too.
        if entry == nil && !table.isJoin { continue }
        throw .missingTarget(of: row, reference, table, target)
      }
      layer[target.id, key] = .blind(.set(server))
      try restoreTargets(of: server, target, &layer)
    }
  }

  /// Brings back the rows and the references that a deletion has taken along by its delete rules.
  ///
  /// - Returns: the entries of the rows of which other edits are left.
  private func giveUpEffects(
    of deletion: OutboxEntry, _ key: RecordKey, _ table: Table, _ layer: inout Layer
  ) throws(StoreError) -> [(Table, RecordKey, OutboxEntry)] {
    guard deletion.isDeleted else { return [] }
    var effects: [(table: Table, key: RecordKey, entry: OutboxEntry, row: Record)] = []
    try OutboxTable.forEach(model, connection) { other, otherKey, entry in
      guard entry.commit == deletion.commit, entry.handedOver == nil,
        layer[other.id, otherKey] == nil,
        let row = entry.original.flatMap(store.coding(of: other).decode),
        table.referrers.contains(where: { $0.table == other.id && row.key($0.column) == key })
      else { return }
      effects.append((other, otherKey, entry, row))
    }
    var left: [(Table, RecordKey, OutboxEntry)] = []
    for (other, otherKey, entry, row) in effects {
      if entry.isDeleted {
        let server = entry.server(store.coding(of: other))
        if entry.newest == .gone { continue }
        layer[other.id, otherKey] = .blind(.set(server ?? row))
        left += try giveUpEffects(of: entry, otherKey, other, &layer)
        continue
      }
      let columns = table.referrers.filter { $0.table == other.id && row.key($0.column) == key }
      let references = AttributeSet(columns.map(\.column)).intersection(entry.attributes)
      var others = entry
      if references.isEmpty { continue }
      layer[other.id, otherKey] = .blind(.patching(references, onInsert: row))
      if others.giveUp(references) { left.append((other, otherKey, others)) }
    }
    return left
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
    let local = try store.record(key, of: table)
    let current = entry.conflict(key, local: local, in: table, store.coding(of: table))
    guard let current, current.hasSides(of: conflict) else { return false }
    let deletion = entry
    // The edit now starts from another row, so its request is another one, too.
    entry.retry()
    let rebased = entry.rebase(
      onto: current.theirs, local: local, in: table, policy: policy, store.coding(of: table))
    if rebased.row != local {
      try writeRow(rebased.row, table, key, givingUp: deletion)
      try ValidatorTable.note(.reversal, connection)
    }
    try set(rebased.isLeft ? entry : nil, table, key)
    isCounted = true
    return true
  }

  // MARK: -

  /// Writes a row of the server, by the rules of the schema; nil deletes the row.
  ///
  /// - Parameter given: edits of the row that are given up, together with the effects of its deletion and with
  ///   the deletions of the rows to which it refers.
  /// - Returns: all changes of rows.
  @discardableResult
  mutating func writeRow(
    _ row: Record?, _ table: Table, _ key: RecordKey, givingUp given: OutboxEntry? = nil
  ) throws(StoreError) -> [TableID: TableChanges] {
    var layer = Layer()
    layer[table.id, key] = .blind(.set(row))
    var effects: [(Table, RecordKey, OutboxEntry)] = []
    if let given {
      if row != nil { effects = try giveUpEffects(of: given, key, table, &layer) }
      try restoreTargets(of: row, table, &layer)
    }
    let restored = layer.keys
    var working = try resolve(layer)
    try applyRules(to: &working)
    let changes = try write(&working, isPushed: false)
    if given == nil { return changes }
    try removeEntries(of: restored)
    for (table, key, entry) in effects { try set(entry, table, key) }
    return changes
  }

  private func removeEntries(of keys: [TableID: Set<RecordKey>]) throws(StoreError) {
    for (table, keys) in keys { for key in keys { try set(nil, model[table], key) } }
  }

  /// Returns a stored row with a change.
  private func resolve(
    _ change: BlindChange, _ table: Table, _ key: RecordKey
  ) throws(StoreError) -> WorkingSet {
    var layer = Layer()
    layer[table.id, key] = .blind(change)
    return try resolve(layer)
  }

  /// Returns the stored rows with the changes of a layer.
  private func resolve(_ layer: Layer) throws(StoreError) -> WorkingSet {
    var resolver = LayerResolver(
      store: store, policy: .overwrite, presumes: false)
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
    guard let server = entry.server(store.coding(of: request.table)) else { return nil }
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

  func entry(_ table: Table, _ key: RecordKey) throws(StoreError) -> OutboxEntry? {
    try OutboxTable.entry(table, key, connection)
  }

  func set(
    _ entry: OutboxEntry?, _ table: Table, _ key: RecordKey
  ) throws(StoreError) {
    try OutboxTable.set(entry, table, key, connection)
  }
}

extension StoreError {
  /// The error for a row of the server that refers to a row which is deleted here for good.
  fileprivate static func missingTarget(
    of row: Record, _ reference: Reference, _ table: Table, _ target: Table
  ) -> StoreError {
    let (key, other) = (row.key(Table.keyColumn), row.key(reference.column))
    return StoreError(
      .missingReference,
      "\(table.entity) \(key) refers to \(target.entity) \(other), which is deleted here and may "
        + "be deleted on the server",
      advice: "push, so that the outcome of that deletion is known, or send the refused request "
        + "again with retry", entity: table.entity,
      attributes: [table.columns[reference.column].name], keys: [key, other])
  }
}
