internal import StrataSQLite

// An import's rows are written by the phases of a save, with two differences: rows that refer to
// what is not there yet may wait for it, and rows that break rules may be left out, so that one bad
// record does not cost a whole batch.

extension Writer {
  /// Writes a batch as one commit.
  func save(
    _ layer: Layer, _ saving: ImportTarget.Saving, author: String
  ) throws(StoreError) -> BatchOutcome {
    let start = ContinuousClock.now
    var outcome = BatchOutcome()
    (outcome.commit, _) = try transaction(author: author, isCounted: saving.hasMarks) {
      connection throws(StoreError) in
      let changes = try write(layer, saving, rowWriter(connection, author: author), &outcome)
      if let load = saving.load { try deferIndexes(load, after: changes, connection) }
      try note(&outcome, saving, connection)
      return changes
    }
    outcome.duration = start.duration(to: .now)
    return outcome
  }

  /// Notes what a commit means for feeds, in its transaction.
  func note(
    _ outcome: inout BatchOutcome, _ saving: ImportTarget.Saving, _ connection: Connection
  ) throws(StoreError) {
    // What went may be what other feeds brought, or refer to it: a server that is asked whether
    // something is new would say no.
    if outcome.deleted > 0 {
      try ValidatorTable.forget(but: saving.marks.claim?.entry, connection)
    }
    guard saving.hasMarks else { return }
    let isComplete = saving.marks.isComplete && outcome.isComplete && outcome.waiting.isEmpty
    try saving.marks.write(at: options.now(), isComplete: isComplete, connection)
    outcome.isMarked = true
  }

  /// Writes rows in an open transaction.
  func write(
    _ layer: Layer, _ saving: ImportTarget.Saving, _ writer: RowWriter,
    _ outcome: inout BatchOutcome
  ) throws(StoreError) -> [TableID: TableChanges] {
    let connection = writer.connection
    var layer = layer
    if let unpushed = try UnpushedRows(connection, model, pushed: saving.pushed) {
      outcome.note(try unpushed.shield(&layer, builder))
    }
    var resolver = LayerResolver(connection, model, .error, builder, presumes: false)
    var working = try resolver.resolve(layer)
    var skipped = 0
    if saving.skipsRefused && model.hasRules {
      let failures = SaveValidation.takeBackRefused(&working, model)
      skipped = Set(failures.map(\.key)).count
      outcome.refused += failures
    }
    var waiting = try runRules(on: &working, saving, connection)
    while saving.skipsRefused {
      let failures = try UniqueValues(connection: connection, model: model)
        .takeBackRefused(&working)
      if failures.isEmpty { break }
      skipped += failures.count
      outcome.refused += failures
      // What needs a row that is left out is left out, too.
      waiting += try runRules(on: &working, connection, waits: saving.waits).waiting
    }
    if model.hasRules { try SaveValidation.check(working, model) }
    let changes = try writer.write(&working)
    if let noted = saving.noted, changes.values.contains(where: { $0.deletions ?? 0 > 0 }) {
      try noted.followNow(changes)
    }
    for row in waiting {
      if let change = layer[row.table, row.key] {
        outcome.waiting.layer.compose(change, row.table, row.key)
      }
    }
    outcome.note(changes, of: layer.count - waiting.count - skipped, in: layer.tables.keys)
    return changes
  }

  /// Runs the delete rules and looks for required references. If rows may wait, so does a deletion
  /// that a rule forbids: what holds the row may be deleted later.
  private func runRules(
    on working: inout WorkingSet, _ saving: ImportTarget.Saving, _ connection: Connection
  ) throws(StoreError) -> [DeleteRules.WaitingRow] {
    guard saving.waits, model.hasReferences else {
      return try runRules(on: &working, connection, waits: saving.waits).waiting
    }
    let deletions = working.deletions
    if deletions.isEmpty { return try runRules(on: &working, connection, waits: true).waiting }
    var allowed = working
    for deletion in deletions { allowed.takeBack(deletion) }
    var denied: [WorkingSet.Place] = []
    /// Adds deletions to those that are allowed, by halves if some of them are not.
    func add(_ deletions: ArraySlice<WorkingSet.Place>) throws(StoreError) {
      var attempt = allowed
      for deletion in deletions { attempt.tables[deletion.table]?.set(nil, at: deletion.position) }
      do throws(StoreError) {
        var checked = attempt
        _ = try runRules(on: &checked, connection, waits: true).waiting
        allowed = attempt
      } catch {
        guard error.code == .deleteDenied else { throw error }
        if deletions.count == 1 {
          denied += deletions
          return
        }
        let middle = deletions.startIndex + deletions.count / 2
        try add(deletions[..<middle])
        try add(deletions[middle...])
      }
    }
    try add(deletions[...])
    working = allowed
    return try runRules(on: &working, connection, waits: true).waiting
      + denied.map { DeleteRules.WaitingRow(table: $0.table, key: $0.key) }
  }

  // MARK: - All or nothing

  /// Rows that are written between two looks at the ledger.
  private static let portion = 2000

  /// Writes everything that was staged, and deletes what is absent, in one transaction.
  ///
  /// The indexes of tables that are empty and get rows are made after those: that is sequential
  /// work, where filling them row by row is not. Those of unique values stay, as they say which
  /// rows collide.
  func apply(
    _ ledger: ImportLedger, absentIn tables: [Table], inUse: KeysInUse,
    _ saving: ImportTarget.Saving, author: String
  ) throws(StoreError) -> BatchOutcome {
    let start = ContinuousClock.now
    var outcome = BatchOutcome()
    (outcome.commit, _) = try transaction(author: author, isCounted: saving.hasMarks) {
      connection throws(StoreError) in
      var collected = CollectedChanges()
      for table in try ledger.tablesToFill.sorted() {
        try deferIndexes(of: model[table], having: 0, connection)
      }
      let writer = try rowWriter(connection, author: author)
      try writeStaged(ledger, saving, writer, &outcome, &collected)
      try makeDeferredIndexes(connection)
      try linkAll(ledger, saving, writer, &outcome, &collected)
      // Delete rules look for what refers to a row, by an index. And what was left out may be what
      // a row of the store is.
      if outcome.refused.isEmpty && outcome.waiting.isEmpty {
        try deleteAbsent(
          from: tables, notedIn: ledger, inUse: inUse, portion: Self.portion, saving, writer,
          &outcome
        ) { collected.add($0) }
      }
      try note(&outcome, saving, connection)
      return collected.composed
    }
    outcome.duration = start.duration(to: .now)
    return outcome
  }

  private func writeStaged(
    _ ledger: ImportLedger, _ saving: ImportTarget.Saving, _ writer: RowWriter,
    _ outcome: inout BatchOutcome, _ collected: inout CollectedChanges
  ) throws(StoreError) {
    var saving = saving
    saving.waits = true
    saving.noted = ledger
    var last: Int64 = 0
    while true {
      let next = try ledger.stagedNow(after: last, limit: Self.portion)
      if next.count == 0 { break }
      last = next.last
      // What waits is older than what comes.
      var batch = RecordBatch(next.layer)
      outcome.waiting.move(under: &batch)
      collected.add(try write(batch.layer, saving, writer, &outcome))
    }
    // All rows are there now; what a row lacks still, it lacks for good.
    let waiting = outcome.waiting
    outcome.waiting = RecordBatch()
    saving.waits = saving.skipsRefused
    if !waiting.isEmpty { collected.add(try write(waiting.layer, saving, writer, &outcome)) }
  }

  private func linkAll(
    _ ledger: ImportLedger, _ saving: ImportTarget.Saving, _ writer: RowWriter,
    _ outcome: inout BatchOutcome, _ collected: inout CollectedChanges
  ) throws(StoreError) {
    var last: LinkSet?
    while true {
      let next = try ledger.linksNow(after: last, limit: Self.portion)
      guard let end = next.last else { return }
      collected.add(try link(next, saving, writer, &outcome))
      last = end
    }
  }
}

extension WorkingSet {
  /// Where a row is.
  fileprivate struct Place {
    let table: TableID
    let position: Int
    let key: RecordKey
  }

  /// The rows that are to be deleted.
  fileprivate var deletions: [Place] {
    tableIDs.flatMap { table in
      (tables[table]?.all ?? []).enumerated().compactMap { position, row in
        row.before != nil && row.after == nil
          ? Place(table: table, position: position, key: row.key) : nil
      }
    }
  }

  fileprivate mutating func takeBack(_ place: Place) {
    let before = tables[place.table]?.all[place.position].before
    tables[place.table]?.set(before, at: place.position)
  }
}

extension TableChanges {
  /// The number of deleted rows; nil if there are too many changes to have them.
  var deletions: Int? {
    guard case .rows(let rows) = self else { return nil }
    return rows.count { $0.change.after == nil }
  }
}

/// The changes of many portions of one transaction.
private struct CollectedChanges {
  private var parts: [TableID: [TableChanges]] = [:]
  private var counts: [TableID: Int] = [:]

  mutating func add(_ changes: [TableID: TableChanges]) {
    for (table, changes) in changes {
      counts[table, default: 0] += changes.count
      if counts[table, default: 0] > TableChanges.limit {
        parts[table] = [.reset]
      } else {
        parts[table, default: []].append(changes)
      }
    }
  }

  /// One change for every key, in O(*n* log *k*) of all rows and portions.
  var composed: [TableID: TableChanges] {
    parts.compactMapValues { Self.composed($0[...]) }.filter { !$0.value.isEmpty }
  }

  private static func composed(_ parts: ArraySlice<TableChanges>) -> TableChanges? {
    if parts.count <= 1 { return parts.first }
    let middle = parts.startIndex + parts.count / 2
    guard let first = composed(parts[..<middle]), let second = composed(parts[middle...]) else {
      return nil
    }
    return first.composed(with: second)
  }
}
