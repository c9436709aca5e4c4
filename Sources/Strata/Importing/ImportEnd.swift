/// The end of an import: the rows that are left, the links and the absent rows, by portions.
///
/// An import that is all or nothing writes all portions in one transaction. Any other import
/// commits each portion.
package struct ImportEnd: Sendable {
  private enum Portion: Sendable {
    /// The staged rows after the row with a number.
    case staged(after: Int64)
    /// Rows in memory.
    case rows
    case links([LinkSet])
    /// A page of absent rows. The earlier pages of its pass may have deleted rows.
    case absent(AbsentPage, hasDeleted: Bool)
  }

  /// The number of rows, or of sets of links, in a portion of an import that is all or nothing.
  private static let atomicSize = 2000
  /// The number of sets of links in a portion of any other import.
  private static let linkCount = 500

  private let ledger: ImportLedger
  /// The tables whose absent rows are deleted, unless a row is left out.
  private let tables: [Table]
  private let isAtomic: Bool
  /// The number of absent rows in a portion.
  private let pageSize: Int
  /// The parts of the feed that the import lacks.
  private var gaps: FeedGaps
  private var rule: LinkRule
  private var next: Portion?
  /// The rows in memory, without the portions of the pass.
  private var rows: RecordBatch
  /// The updates that staged rows may take back.
  private var held = HeldUpdates()
  /// The portions that are left of a pass over the rows.
  private var pass: ArraySlice<RecordBatch> = []
  /// The number of rows before the pass. The last pass is the pass that resolves no row.
  private var countBefore = Int.max

  /// Creates the end of an import that has read everything.
  ///
  /// - Parameters:
  ///   - rows: the rows to write; nil if they are staged, and the import is all or nothing.
  ///   - hasMarks: whether a commit is needed even if nothing is left to write.
  package init(
    _ rows: RecordBatch?, _ ledger: isolated ImportLedger, _ gaps: FeedGaps,
    absentIn tables: [Table], pageSize: Int, hasMarks: Bool
  ) throws(StoreError) {
    self.ledger = ledger
    self.tables = gaps.absentTables(of: tables)
    self.gaps = gaps
    rule = gaps.linkRule
    self.rows = rows ?? RecordBatch()
    isAtomic = rows == nil
    self.pageSize = isAtomic ? Self.atomicSize : pageSize
    next = isAtomic ? .staged(after: 0) : .rows
    if isAtomic || !self.rows.isEmpty { return }
    next = try following(ledger) ?? (hasMarks ? .rows : nil)
  }

  /// Whether everything is written.
  package var isDone: Bool { next == nil }

  /// Whether the next portion has rows of the feed.
  package var hasRows: Bool {
    switch next {
    case .staged, .rows: true
    case .links, .absent, nil: false
    }
  }

  /// Whether the next commit may delete absent rows.
  var deletesNext: Bool {
    switch next {
    case .absent: true
    case .rows: !tables.isEmpty && !rows.isEmpty
    case .staged, .links, nil: isAtomic && !tables.isEmpty
    }
  }

  /// Writes the next portion, or all portions of an import that is all or nothing.
  ///
  /// - Parameter batchSize: the number of rows in a portion.
  mutating func write(
    with importing: inout ImportWriter, inUse: KeysInUse, batchSize: Int,
    in transaction: inout Transaction
  ) throws(StoreError) {
    // The indexes of empty tables that get rows are made at the end. That is sequential work,
    // unlike an insertion for each row. Unique indexes stay, because they tell which rows collide.
    if isAtomic {
      for table in try ledger.tablesToFill.sorted() {
        try transaction.dropIndexes(of: transaction.model[table], having: 0)
      }
    }
    repeat {
      try writeNext(&importing, inUse, batchSize, &transaction)
    } while isAtomic && !isDone
    importing.isLast = isDone
  }

  private mutating func writeNext(
    _ importing: inout ImportWriter, _ inUse: KeysInUse, _ batchSize: Int,
    _ transaction: inout Transaction
  ) throws(StoreError) {
    switch next {
    case .staged(let last):
      let staged = try ledger.now { ledger throws(StoreError) in
        try ledger.staged(after: last, limit: Self.atomicSize)
      }
      // Waiting rows are older than the rows of this portion.
      var batch = RecordBatch(staged.layer)
      rows.move(under: &batch)
      importing.outcome.replaced += held.move(under: &batch)
      let isLast = staged.count < Self.atomicSize
      importing.saving.holdsUpdates = held.isOpen && !isLast
      try writeWaiting(batch, &importing, &transaction)
      importing.outcome.replaced += held.hold(importing.outcome.held)
      importing.outcome.held = RecordBatch()
      importing.saving.holdsUpdates = false
      if isLast || !held.isOpen { try writeHeld(&importing, &transaction) }
      next = isLast ? .rows : .staged(after: staged.last)
      return
    case .rows:
      try writeRows(&importing, inUse, batchSize, &transaction)
      if importing.outcome.lacksRows { gaps.losses.insert(.refusedRecord) }
      if !rows.isEmpty || !pass.isEmpty { return }
      rule = gaps.linkRule
      // Delete rules look up referring rows by an index.
      if isAtomic { try transaction.makeDeferredIndexes() }
    case .links(let sets):
      try importing.link(sets, rule, in: &transaction)
      if importing.outcome.lacksRows { gaps.losses.insert(.refusedRecord) }
    case .absent(let page, let hasDeleted):
      let before = importing.outcome.deleted
      try importing.delete(page, notedIn: ledger, inUse: inUse, in: &transaction)
      next = .absent(page, hasDeleted: hasDeleted || importing.outcome.deleted > before)
    case nil: return
    }
    next = try ledger.now { [self] ledger throws(StoreError) in try following(ledger) }
    if isDone && !gaps.lacksRows {
      importing.outcome.kept += try ledger.now { [tables] ledger throws(StoreError) in
        try ledger.heldCount(in: tables)
      }
    }
  }

  /// Writes a portion of a pass, or the last rows together.
  private mutating func writeRows(
    _ importing: inout ImportWriter, _ inUse: KeysInUse, _ batchSize: Int,
    _ transaction: inout Transaction
  ) throws(StoreError) {
    if pass.isEmpty && !isAtomic && rows.count > batchSize && rows.count < countBefore {
      (pass, countBefore) = (rows.portions(of: batchSize)[...], rows.count)
      rows = RecordBatch()
    }
    if let portion = pass.popFirst() {
      return try writeWaiting(portion, &importing, &transaction)
    }
    // No further row can resolve a reference. If refused records are skipped, rows still wait, so
    // that they are listed as refused.
    importing.saving.waits = importing.saving.skipsRefused
    importing.isFinal = true
    try deleteOwners(with: &importing, inUse, &transaction)
    try importing.write(rows, in: &transaction)
    rows = RecordBatch()
  }

  /// A row that has a unique value of an absent row.
  private struct WantedValue {
    let table: Table
    let key: RecordKey
    let unique: [Int]
    let owner: RowVersion
  }

  /// Deletes the absent rows that have unique values of the last rows.
  ///
  /// A server may give the value of a row that it has deleted to another row. An absent row may stay, with an
  /// edit that can be set aside. Such an edit may hold further absent rows, so the row to which it gives way
  /// is written first. A row whose value stays with an absent row is left out.
  private mutating func deleteOwners(
    with importing: inout ImportWriter, _ inUse: KeysInUse, _ transaction: inout Transaction
  ) throws(StoreError) {
    if gaps.lacksRows || importing.outcome.lacksRows { return }
    // A row that gets another key is not absent.
    try RowMatch.follow(
      importing.saving.matches, rows.layer, notedIn: importing.saving.noted, in: &transaction)
    var wanted = try wantedValues(transaction)
    while !wanted.isEmpty {
      for table in tables {
        let rows = wanted.filter { $0.table === table }.map { ($0.owner.key, $0.owner) }
        if rows.isEmpty { continue }
        let owners = Dictionary(rows) { first, _ in first }.values.sorted { $0.key < $1.key }
        let page = AbsentPage(table: table, rows: owners)
        try importing.delete(page, notedIn: ledger, inUse: inUse, in: &transaction)
      }
      let (free, held) = try divided(wanted, transaction)
      if free.isEmpty { return leaveOut(held, &importing) }
      // The last rows are written next.
      if held.isEmpty { return }
      for (id, keys) in free.layer.keys { for key in keys { rows.layer[id, key] = nil } }
      try writeWaiting(free, &importing, &transaction)
      wanted = held
    }
  }

  /// Returns the rows to which edits of absent rows give way, and the values that stay with absent rows.
  private func divided(
    _ wanted: [WantedValue], _ transaction: Transaction
  ) throws(StoreError) -> (free: RecordBatch, held: [WantedValue]) {
    var (free, held) = (RecordBatch(), [WantedValue]())
    for value in wanted {
      let (table, owner) = (value.table, value.owner.key)
      guard let change = rows.layer[table.id, value.key],
        let stays = try transaction.store.record(owner, of: table)
      else { continue }
      let entry = try transaction.entry(table, owner)
      if entry?.givesUp(value.unique, of: stays, in: table, transaction) == true {
        free.layer.compose(change, table.id, value.key)
      } else {
        held.append(value)
      }
    }
    return (free, held)
  }

  private mutating func leaveOut(_ held: [WantedValue], _ importing: inout ImportWriter) {
    for value in held where rows.layer[value.table.id, value.key] != nil {
      rows.layer[value.table.id, value.key] = nil
      importing.dropped.append((value.table.id, value.key))
      importing.outcome.kept += 1
    }
  }

  /// Returns the unique values of the last rows that absent rows have.
  private func wantedValues(_ transaction: Transaction) throws(StoreError) -> [WantedValue] {
    var wanted: [WantedValue] = []
    for table in tables where !table.uniques.isEmpty {
      guard let changes = rows.layer.tables[table.id] else { continue }
      for (key, change) in changes {
        guard let record = change.applied(to: nil) else { continue }
        for unique in table.uniques where !unique.contains(where: record.isNull) {
          let owner = try transaction.connection.owner(of: unique, in: record, table)
          guard let owner, owner != key else { continue }
          let row = try ledger.now { [table] ledger throws(StoreError) in
            try ledger.absentRow(owner, of: table)
          }
          if let row {
            wanted.append(WantedValue(table: table, key: key, unique: unique, owner: row))
          }
        }
      }
    }
    return wanted
  }

  /// Writes rows, and keeps the rows that wait.
  private mutating func writeWaiting(
    _ batch: RecordBatch, _ importing: inout ImportWriter, _ transaction: inout Transaction
  ) throws(StoreError) {
    importing.saving.waits = true
    try importing.write(batch, in: &transaction)
    rows.compose(importing.outcome.waiting)
    importing.outcome.waiting = RecordBatch()
  }

  /// Writes the updates that were held back.
  private mutating func writeHeld(
    _ importing: inout ImportWriter, _ transaction: inout Transaction
  ) throws(StoreError) {
    if held.isEmpty { return }
    importing.saving.insertsNothing = true
    try writeWaiting(held.take(), &importing, &transaction)
    importing.saving.insertsNothing = false
  }

  /// Returns the portion after the current portion; nil at the end.
  private func following(_ ledger: isolated ImportLedger) throws(StoreError) -> Portion? {
    if case .absent(let last, let hasDeleted) = next {
      if let page = try ledger.absentPage(after: last, in: tables, limit: pageSize) {
        return .absent(page, hasDeleted: hasDeleted)
      }
      // The row that held a row may be deleted by now.
      if !hasDeleted { return nil }
    } else {
      var last: LinkSet?
      if case .links(let sets) = next { last = sets.last }
      let sets = try ledger.links(after: last, limit: isAtomic ? Self.atomicSize : Self.linkCount)
      if !sets.isEmpty { return .links(sets) }
      if gaps.lacksRows { return nil }
    }
    let page = try ledger.absentPage(after: nil, in: tables, limit: pageSize)
    return page.map { .absent($0, hasDeleted: false) }
  }
}
