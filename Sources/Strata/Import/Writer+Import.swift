internal import StrataSQLite

// An import's rows are written by the phases of a save, with two differences: rows that refer to what
// is not there yet may wait for it, and rows that break rules may be left out, so that one bad record
// does not cost a whole batch.

extension Writer {
  /// Writes a batch as one commit.
  func save(
    _ layer: Layer, _ saving: ImportTarget.Saving, author: String
  ) throws(StoreError) -> BatchOutcome {
    let start = ContinuousClock.now
    var outcome = BatchOutcome()
    let marks = saving.marks
    (outcome.commit, _) = try transaction(author: author, isCounted: !marks.isEmpty) {
      connection throws(StoreError) in
      try marks.write(at: options.now(), connection)
      return try write(layer, saving, rowWriter(connection, author: author), &outcome)
    }
    outcome.duration = start.duration(to: .now)
    return outcome
  }

  /// Writes rows in an open transaction.
  private func write(
    _ layer: Layer, _ saving: ImportTarget.Saving, _ writer: RowWriter,
    _ outcome: inout BatchOutcome
  ) throws(StoreError) -> [TableID: TableChanges] {
    let connection = writer.connection
    var layer = layer
    if let unpushed = try unpushedRows(connection) {
      outcome.kept += try unpushed.shield(&layer, builder)
    }
    var resolver = LayerResolver(connection, model, .error, builder, presumes: false)
    var working = try resolver.resolve(layer)
    var skipped = 0
    if saving.skipsRefused && model.hasRules {
      let failures = SaveValidation.takeBackRefused(&working, model)
      skipped = Set(failures.map(\.key)).count
      outcome.refused += failures
    }
    let waiting = try checkRules(&working, connection, waits: saving.waits)
    if model.hasRules { try SaveValidation.check(working, model) }
    let changes = try writer.write(&working)
    for row in waiting {
      if let change = layer[row.table, row.key] {
        outcome.waiting.layer.compose(change, row.table, row.key)
      }
    }
    outcome.note(changes, of: layer.count - waiting.count - skipped, in: layer.tables.keys)
    return changes
  }

  // MARK: - All or nothing

  /// Rows that are written between two looks at the ledger.
  private static let portion = 2000

  /// Writes everything that was staged, and deletes what is absent, in one transaction.
  ///
  /// The indexes of tables that are empty and get rows are made after those: that is sequential work,
  /// where filling them row by row is not. Those of unique values stay, as they say which rows collide.
  func apply(
    _ ledger: ImportLedger, absentIn tables: [Table], inUse: KeysInUse,
    _ saving: ImportTarget.Saving, author: String
  ) throws(StoreError) -> BatchOutcome {
    let start = ContinuousClock.now
    var outcome = BatchOutcome()
    let marks = saving.marks
    var hasNewSchema = false
    (outcome.commit, _) = try transaction(author: author, isCounted: !marks.isEmpty) {
      connection throws(StoreError) in
      try marks.write(at: options.now(), connection)
      var collected = CollectedChanges()
      let indexes = try dropIndexes(of: try ledger.tablesToFill, connection)
      hasNewSchema = !indexes.isEmpty
      let writer = try rowWriter(connection, author: author)
      try writeStaged(ledger, saving, writer, &outcome, &collected)
      try translatingErrors { () throws(SQLiteError) in
        for index in indexes { try connection.execute(index.create) }
      }
      // Delete rules look for what refers to a row, by an index. And what was left out may be what
      // a row of the store is.
      if outcome.refused.isEmpty && outcome.waiting.isEmpty {
        try deleteAbsent(
          from: tables, notedIn: ledger, inUse: inUse, portion: Self.portion, writer, &outcome
        ) { collected.add($0) }
      }
      return collected.composed
    }
    if hasNewSchema { try adoptSchema() }
    outcome.duration = start.duration(to: .now)
    return outcome
  }

  private func writeStaged(
    _ ledger: ImportLedger, _ saving: ImportTarget.Saving, _ writer: RowWriter,
    _ outcome: inout BatchOutcome, _ collected: inout CollectedChanges
  ) throws(StoreError) {
    var saving = saving
    saving.waits = true
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

  private func dropIndexes(
    of tables: Set<TableID>, _ connection: Connection
  ) throws(StoreError) -> [TableIndex] {
    try translatingErrors { () throws(SQLiteError) in
      var dropped: [TableIndex] = []
      for table in model.tables where tables.contains(table.id) {
        let indexes = table.sql.indexes(uniques: table.uniques).filter { !$0.isUnique }
        guard !indexes.isEmpty,
          try connection.integer("SELECT 1 FROM \(table.name.quotedIdentifier) LIMIT 1") == nil
        else { continue }
        for index in indexes { try connection.execute("DROP INDEX \(index.name.quotedIdentifier)") }
        dropped += indexes
      }
      return dropped
    }
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
