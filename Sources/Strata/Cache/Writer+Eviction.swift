internal import StrataSQLite

/// A row that is to go, as it was when that was decided.
struct EvictionCandidate: Sendable {
  /// Rows a transaction: a save of the view context that comes in between waits no longer than for
  /// a batch of an import.
  static let batchSize = 500

  let key: RecordKey
  /// Tells whether the row has changed since, without keeping it.
  let hash: Int

  init(_ record: Record) {
    key = record.key(Table.keyColumn)
    hash = Self.hash(record)
  }

  init(key: RecordKey, hash: Int) {
    self.key = key
    self.hash = hash
  }

  func isUnchanged(_ record: Record) -> Bool { Self.hash(record) == hash }

  private static func hash(_ record: Record) -> Int {
    var hasher = Hasher()
    record.withBytes { hasher.combine(bytes: $0) }
    return hasher.finalize()
  }
}

/// Some candidates, and why some of them may have to stay.
struct EvictionBatch: Sendable {
  let table: Table
  let candidates: ArraySlice<EvictionCandidate>
  /// The keys that are edited or referred to by an edit, by table.
  private(set) var inUse: [TableID: Set<RecordKey>]
  let followsRules: Bool

  /// Keeps what waits to be pushed.
  mutating func keep(_ unpushed: UnpushedRows) {
    inUse.merge(unpushed.keys) { $0.union($1) }
    if unpushed.unknown.isEmpty { return }
    // Nobody knows which rows of these tables: all that might go stay.
    inUse[table.id, default: []].formUnion(candidates.map(\.key))
  }
}

extension Snapshot {
  /// The rows of a query, in its order, without keeping them.
  func evictionCandidates(_ plan: QueryPlan) async throws(StoreError) -> [EvictionCandidate] {
    try await read { reader, connection throws(StoreError) in
      let rows = try connection.prepared(
        plan.select(limit: nil, offset: plan.offset), reader.model)
      defer { rows.reset() }
      var candidates: [EvictionCandidate] = []
      while try translatingErrors({ () throws(SQLiteError) in try rows.step() }) {
        let record = try reader.builder.record(rows, of: plan.table)
        candidates.append(EvictionCandidate(record))
      }
      return candidates
    }
  }
}

extension Writer {
  /// Deletes those of a batch that may go, as one commit.
  func evict(
    _ batch: EvictionBatch, author: String? = nil, marking marks: FreshnessMarks = FreshnessMarks(),
    keepsUnpushed: Bool = false, forgetsValidators: Bool = false
  ) throws(StoreError) -> (report: EvictionReport, referenced: [EvictionCandidate]) {
    var report = EvictionReport()
    var referenced: [EvictionCandidate] = []
    let (commit, _) = try transaction(author: author, isCounted: !marks.isEmpty) {
      connection throws(StoreError) in
      try marks.write(at: options.now(), connection)
      var batch = batch
      if keepsUnpushed, let unpushed = try unpushedRows(connection) { batch.keep(unpushed) }
      var run = EvictionRun(batch, connection, model, builder)
      let rows = try run.choose()
      (report, referenced) = (run.report, run.referenced)
      if rows.isEmpty { return [:] }
      // A server that is asked whether something is new would say no, and the rows stay away.
      if forgetsValidators { try ValidatorTable.forget(nil, connection) }
      var working = try run.consequences(of: rows[...])
      let writer = RowWriter(connection, model, builder)
      return try writer.write(&working)
    }
    if report.evicted > 0 || !marks.isEmpty { report.commit = commit }
    return (report, referenced)
  }
}
