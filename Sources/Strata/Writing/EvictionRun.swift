internal import StrataSQLite

/// The choice of the rows of a batch to delete, inside the transaction that deletes them.
struct EvictionRun {
  struct Row {
    let candidate: RowVersion
    let record: Record
  }

  private let batch: EvictionBatch
  private let protected: ProtectedRows?
  /// The rows that stay, because no server has sent them.
  private let local: LocalRows?
  /// The number of such rows.
  private(set) var keptLocal = 0
  /// Returns whether the rules would delete a spared row with the given rows; nil if none is spared.
  private let spares: ((WorkingSet, ArraySlice<Row>) throws(StoreError) -> Bool)?
  private let store: StoreAccess
  private(set) var report = EvictionReport()
  /// The rows that stay because other rows refer to them.
  private(set) var referenced: [RowVersion] = []
  /// The rows that stay because of other rows, which a rule would change or which deny the deletion.
  private(set) var held: [RowVersion] = []

  init(
    _ batch: EvictionBatch, keeping protected: ProtectedRows?, _ local: LocalRows?,
    _ transaction: Transaction,
    sparing spares: ((WorkingSet, ArraySlice<Row>) throws(StoreError) -> Bool)? = nil
  ) {
    self.batch = batch
    self.protected = protected
    self.local = local
    self.spares = spares
    store = transaction.store
  }

  /// Returns the rows to delete; the report says why the other rows stay.
  mutating func choose() throws(StoreError) -> [Row] {
    var rows: [Row] = []
    var going: Set<RecordKey> = []
    for candidate in batch.candidates {
      guard let record = try store.record(candidate.key, of: batch.table) else { continue }
      if !candidate.isUnchanged(record) {
        report.keptChanged += 1
      } else if batch.inUse[batch.table.id]?.contains(candidate.key) == true {
        report.keptEdited += 1
      } else if try protected?.attributes(batch.table.id, candidate.key) != nil {
        report.keptUnpushed += 1
      } else if try local?.contains(candidate.key, of: batch.table) == true {
        keptLocal += 1
      } else if !batch.followsRules, try isReferenced(candidate.key, going) {
        keepReferenced(candidate)
      } else {
        rows.append(Row(candidate: candidate, record: record))
        going.insert(candidate.key)
      }
    }
    if batch.followsRules { rows = try permitted(of: rows) }
    report.evicted = rows.count
    return rows
  }

  /// Returns the rows that may be deleted together by the delete rules; the others stay.
  mutating func permitted(of rows: [Row]) throws(StoreError) -> [Row] {
    let found = try DeleteRules.permitted(of: rows) { rows throws(StoreError) in
      try refusal(of: rows)
    }
    for (row, reason) in found.refused { keep(row, reason) }
    return found.going
  }

  private mutating func keepReferenced(_ candidate: RowVersion) {
    report.keptReferenced += 1
    referenced.append(candidate)
  }

  /// Returns whether a stored row refers to the key, other than the row itself and the rows in
  /// `going`.
  private func isReferenced(
    _ key: RecordKey, _ going: Set<RecordKey>
  ) throws(StoreError) -> Bool {
    for referrer in batch.table.referrers {
      let rows = try store.connection.prepared(
        store.model[referrer.table].sql.selectByReference(referrer.column), key.cell)
      defer { rows.reset() }
      while try rows.next() {
        if referrer.table != batch.table.id { return true }
        let other = RecordKey(rows, Int32(Table.keyColumn))
        if other != key && !going.contains(other) { return true }
      }
    }
    return false
  }

  // MARK: Following the delete rules

  private enum Refusal { case rule, edit, unpushed }

  /// Returns the reason why rows must stay; nil if they may be deleted.
  ///
  /// They stay if a rule forbids their deletion, if the rules would also delete an edited row or a
  /// spared row, or if they would delete or overwrite an unpushed edit.
  private func refusal(of rows: ArraySlice<Row>) throws(StoreError) -> Refusal? {
    do throws(StoreError) {
      let working = try consequences(of: rows)
      if deletesWhatIsInUse(working) { return .edit }
      if try spares?(working, rows) == true { return .edit }
      if try local?.areHit(by: working) == true { return .edit }
      return try protected?.areHit(by: working) == true ? .unpushed : nil
    } catch {
      guard Self.isRefusal(error) else { throw error }
      return .rule
    }
  }

  /// Returns whether an error says that a rule forbids a deletion.
  static func isRefusal(_ error: StoreError) -> Bool {
    [.deleteDenied, .validationFailed].contains(error.code)
  }

  private mutating func keep(_ row: Row, _ refusal: Refusal) {
    held.append(row.candidate)
    switch refusal {
    case .rule: keepReferenced(row.candidate)
    case .edit: report.keptEdited += 1
    case .unpushed: report.keptUnpushed += 1
    }
  }

  private func deletesWhatIsInUse(_ working: WorkingSet) -> Bool {
    working.tables.contains { table, rows in
      guard let inUse = batch.inUse[table] else { return false }
      return rows.all.contains { $0.after == nil && inUse.contains($0.key) }
    }
  }

  /// Returns all rows that change if the given rows are deleted.
  ///
  /// - Throws: ``StoreError`` with code `deleteDenied` or `validationFailed` if a rule forbids it.
  func consequences(of rows: ArraySlice<Row>) throws(StoreError) -> WorkingSet {
    var deletions = WorkingSet.Rows()
    for row in rows {
      deletions.append(.init(key: row.candidate.key, before: row.record, after: nil))
    }
    var working = WorkingSet()
    working.tables[batch.table.id] = deletions
    var rules = DeleteRules(store)
    try rules.run(on: &working)
    try SaveValidation.check(working, store.model)
    return working
  }
}
