// An import that is all or nothing writes all staged rows in one transaction.

extension ImportWriter {
  /// The number of rows that are written between two reads of the ledger.
  private static let portion = 2000

  /// Writes the staged rows and links, and deletes the absent rows of some tables.
  ///
  /// The indexes of empty tables that get rows are made at the end. That is sequential work, unlike
  /// an insertion for each row. Unique indexes stay, because they tell which rows collide.
  mutating func apply(
    _ ledger: ImportLedger, absentIn tables: [Table], inUse: KeysInUse,
    in transaction: inout Transaction
  ) throws(StoreError) {
    for table in try ledger.tablesToFill.sorted() {
      try transaction.dropIndexes(of: transaction.model[table], having: 0)
    }
    try writeStaged(ledger, in: &transaction)
    // Delete rules look up referring rows by an index.
    try transaction.makeDeferredIndexes()
    try linkAll(ledger, in: &transaction)
    // A refused or waiting record may be a row that looks absent.
    if outcome.refused.isEmpty && outcome.waiting.isEmpty {
      try deleteAbsent(
        from: tables, notedIn: ledger, inUse: inUse, portion: Self.portion, in: &transaction)
    }
  }

  private mutating func writeStaged(
    _ ledger: ImportLedger, in transaction: inout Transaction
  ) throws(StoreError) {
    let rule = (waits: saving.waits, noted: saving.noted)
    defer { (saving.waits, saving.noted) = rule }
    (saving.waits, saving.noted) = (true, ledger)
    var last: Int64 = 0
    while true {
      let next = try ledger.stagedNow(after: last, limit: Self.portion)
      if next.count == 0 { break }
      last = next.last
      // Waiting rows are older than the rows of this portion.
      var batch = RecordBatch(next.layer)
      outcome.waiting.move(under: &batch)
      try write(batch.layer, in: &transaction)
    }
    // All rows are there, so a reference that still has no row never gets one.
    let waiting = outcome.waiting
    outcome.waiting = RecordBatch()
    saving.waits = saving.skipsRefused
    if !waiting.isEmpty { try write(waiting.layer, in: &transaction) }
  }

  private mutating func linkAll(
    _ ledger: ImportLedger, in transaction: inout Transaction
  ) throws(StoreError) {
    let rule = saving.links
    defer { saving.links = rule }
    if !outcome.refused.isEmpty || !outcome.waiting.isEmpty { saving.links = .add }
    var last: LinkSet?
    while true {
      let next = try ledger.linksNow(after: last, limit: Self.portion)
      guard let end = next.last else { return }
      try link(next, in: &transaction)
      last = end
    }
  }
}
