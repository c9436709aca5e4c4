internal import Strata

/// An import: the state that its workers share, and the steps after all of them.
final class ImportSession: Sendable {
  private struct State: Sendable {
    var progress = ImportProgress()
    var batchSize: BatchSize
    /// The parts of the feed that the import may lack.
    var gaps = FeedGaps()
    /// Whether the pages of the feed are read one after the other; nil for sources of the caller.
    var readsPages: Bool?
    var responses = 0
    /// The members that the mappings read in the sources so far, each once.
    var members: [String] = []
    /// The members that a record had.
    var found: Set<String> = []
  }

  /// The target of batches; nil for a child of another context, where records become edits.
  let target: ImportTarget?
  let options: ImportOptions
  private let matches: [RowMatch]
  /// The rows that may be absent, in the order in which they are deleted.
  let scopes: [ImportScope]
  let ledger = ImportLedger()
  /// The rows that were pushed since the import began.
  let pushed: PushedRows
  /// The tables of which the import may write rows or links.
  private let tables: Set<TableID>
  private let load = BulkLoad()
  private let marks: FreshnessMarks
  private let monitor: ImportMonitor?
  private let start = ContinuousClock.now
  private let state: Lock<State>

  init(
    _ target: ImportTarget?, _ pushed: PushedRows, _ options: ImportOptions,
    _ matches: [RowMatch], _ scopes: [ImportScope], _ tables: Set<TableID>,
    _ marks: FreshnessMarks, _ monitor: ImportMonitor?
  ) {
    self.target = target
    self.pushed = pushed
    self.options = options
    self.matches = matches
    self.scopes = scopes
    self.tables = tables
    self.marks = marks
    self.monitor = monitor
    state = Lock(State(batchSize: BatchSize(fixed: options.batchSize)))
  }

  /// Whether refused records are left out.
  var skipsRefused: Bool {
    if case .skip = options.refusedRecords { true } else { false }
  }

  /// Whether absent rows are deleted.
  var looksForAbsentRows: Bool { !scopes.isEmpty }

  /// The options by which batches are saved.
  var saving: ImportTarget.Saving {
    var saving = ImportTarget.Saving()
    saving.skipsRefused = skipsRefused
    saving.policy = options.conflicts.policy
    saving.matches = matches
    saving.noted = looksForAbsentRows ? ledger : nil
    if options.commits == .batched { saving.load = load }
    saving.pushed = pushed
    saving.marks = marks
    saving.marks.wholeTables = Set(scopes.filter(\.isWholeTable).map(\.table.id))
    saving.tables = tables
    saving.marks.losses = gaps.losses
    return saving
  }

  private var gaps: FeedGaps { state.withLock { $0.gaps } }

  /// Notes something that no batch has.
  func noteLoss(_ loss: FeedLoss) { state.withLock { _ = $0.gaps.losses.insert(loss) } }

  // MARK: - Batches

  /// The number of records of a batch whose transaction takes about half of the longest, or an eighth
  /// while saves of the view context come.
  var batchSize: Int { state.withLock { $0.batchSize.rows } }

  /// The number of absent rows that are deleted together.
  private var pageSize: Int { options.batchSize ?? BatchSize.first }

  /// Adapts the size of batches to the duration of the last batch.
  private func adapt(to outcome: BatchOutcome) {
    state.withLock { state in
      state.batchSize.adapt(
        to: outcome.count, in: outcome.duration, hasHeldUp: outcome.hasHeldUp,
        longest: options.longestTransaction)
    }
  }

  // MARK: - Progress

  var result: ImportResult { state.withLock { $0.progress.result } }

  private func change(_ body: (inout ImportProgress) -> Void) -> ImportProgress {
    let elapsed = start.duration(to: .now)
    return state.withLock { state in
      body(&state.progress)
      state.progress.number += 1
      state.progress.elapsed = elapsed
      return state.progress
    }
  }

  /// Adds the sizes of all sources. A source of unknown size makes the total unknown.
  func noteSources(_ sources: [JSONSource]) {
    let total = sources.reduce(Int?.some(0)) { sum, source in
      guard let sum, let size = source.byteCount else { return nil }
      // A server may claim any size.
      let (total, overflows) = sum.addingReportingOverflow(size)
      return overflows ? nil : total
    }
    _ = change { $0.totalBytes = total }
  }

  /// Keeps the values that a document has beside its records.
  func noteMembers(_ members: JSONMembers) { _ = change { $0.result.members = members } }

  /// Notes the completeness of an answer, or of its parts for some tables.
  func note(_ completeness: AnswerCompleteness, of tables: [Table]? = nil) {
    guard case .keeps(let reason) = completeness.verdict else { return }
    let absent = scopes.map(\.table)
    let incomplete = tables?.filter { table in absent.contains { $0 === table } } ?? absent
    state.withLock { state in
      for table in state.gaps.note(incomplete) {
        state.progress.result.incompleteEntities.append(
          IncompleteEntity(name: table.entity, reason: reason))
      }
    }
    // The same version of an answer lacks the same parts again.
    if tables != nil { return }
    if looksForAbsentRows || completeness.mayLackRecords { noteLoss(.doubtfulAnswer) }
  }

  /// Notes that a walk over a feed's pages gives the sources.
  ///
  /// - Parameter readsPages: whether the walk follows a page's link to the next one.
  func noteWalk(readsPages: Bool) { state.withLock { $0.readsPages = readsPages } }

  /// Notes the completeness of a response that was read to its end.
  func note(_ head: ResponseHead, isLines: Bool) {
    note(head.completeness(ofLines: isLines))
    let (readsPages, responses) = state.withLock { state in
      if head.value != nil { state.responses += 1 }
      return (state.readsPages, state.responses)
    }
    if readsPages != true && head.namesNextPage { note(.unreadNextPage) }
    // Rows may move between the responses.
    if readsPages == nil && responses > 1 { note(.unversionedPages) }
  }

  func noteRead(bytes: Int) { _ = change { $0.bytes += bytes } }
  func noteRead(records: Int, duplicates: Int) {
    _ = change {
      $0.result.records += records
      $0.result.duplicates += duplicates
    }
  }

  /// Notes the members that the mappings read in a source.
  func noteMembers(_ members: [(name: String, isFound: Bool)]) {
    state.withLock { state in
      for (name, isFound) in members {
        if !state.members.contains(name) { state.members.append(name) }
        if isFound { state.found.insert(name) }
      }
      state.progress.result.missingMembers = state.members.filter { !state.found.contains($0) }
    }
  }

  func noteRefused(_ record: RefusedRecord) {
    noteLoss(.refusedRecord)
    _ = change { $0.refuse(record, options) }
  }

  /// Counts the outcome of a batch.
  func note(_ outcome: BatchOutcome, upTo checkpoint: ImportCheckpoint? = nil) {
    adapt(to: outcome)
    if !outcome.refused.isEmpty { noteLoss(.refusedRecord) }
    let progress = change { progress in
      progress.result.inserted += outcome.inserted
      progress.result.updated += outcome.updated
      progress.result.unchanged += outcome.unchanged
      progress.result.deleted += outcome.deleted
      progress.result.kept += outcome.kept + outcome.keptLocal
      progress.result.unsent += outcome.keptLocal
      progress.result.duplicates += outcome.replaced
      progress.result.waitingLinks += outcome.waitingLinks
      progress.result.commit = max(progress.result.commit, outcome.commit)
      progress.checkpoint = checkpoint ?? progress.checkpoint
      for failure in outcome.refused { progress.refuse(RefusedRecord("\(failure)"), options) }
    }
    monitor?.publish(progress)
  }

  /// Publishes the last progress and finishes the monitor.
  func end() {
    monitor?.publish(change { _ in })
    monitor?.finish()
  }

  // MARK: - The end

  /// Saves the remaining records after everything was read, and deletes absent rows.
  ///
  /// - Parameters:
  ///   - tail: the last records, which are neither saved nor crossed off.
  ///   - waiting: the waiting rows.
  ///   - edits: the context whose edits the records become if the session has no target.
  nonisolated(nonsending) func finish(
    _ tail: RecordBatch, waiting: RecordBatch, edits: ScratchContext?
  ) async throws(ImportError) {
    try await saveRest(tail, waiting: waiting, edits: edits)
    if result.skipped > 0 { note(.refusedRecord) }
  }

  private nonisolated(nonsending) func saveRest(
    _ tail: RecordBatch, waiting: RecordBatch, edits: ScratchContext?
  ) async throws(ImportError) {
    if Task.isCancelled { throw .cancelled }
    try await crossOff(tail)
    guard let target else {
      if let edits { try await finish(tail, in: edits) }
      return
    }
    var end = try await storing { () throws(StoreError) in try await importEnd(tail, waiting) }
    while end.hasRows { try await write(&end, to: target) }
    if end.isDone { return }
    // Delete rules look up referring rows by an index.
    try await makeDeferredIndexes()
    while !end.isDone { try await write(&end, to: target) }
  }

  /// Returns the end of the import, after everything was read.
  private nonisolated(nonsending) func importEnd(
    _ tail: RecordBatch, _ waiting: RecordBatch
  ) async throws(StoreError) -> ImportEnd {
    var rows: RecordBatch?
    if options.commits == .atomic {
      try await ledger.stage(tail)
    } else {
      var rest = waiting
      rest.compose(tail)
      rows = rest
    }
    return try await ImportEnd(
      rows, ledger, gaps, absentIn: scopes.map(\.table), pageSize: pageSize,
      hasMarks: !marks.isEmpty)
  }

  /// Writes the next commit of the import's end, and counts it.
  private nonisolated(nonsending) func write(
    _ end: inout ImportEnd, to target: ImportTarget
  ) async throws(ImportError) {
    if Task.isCancelled { throw .cancelled }
    let (rest, outcome) = try await storing { [end] () throws(StoreError) in
      try await target.write(end, batchSize: batchSize, saving)
    }
    end = rest
    note(outcome)
    for complaint in outcome.waiting.complaints { noteRefused(RefusedRecord(complaint)) }
  }

  /// Makes the indexes that batches have deferred.
  nonisolated(nonsending) func makeDeferredIndexes() async throws(ImportError) {
    guard let target, load.defersIndexes else { return }
    try await storing { () throws(StoreError) in try await target.makeDeferredIndexes() }
  }

  /// Makes the deferred indexes of an import that failed, so that queries are as fast as before.
  nonisolated(nonsending) func makeDeferredIndexesAfterFailure() async {
    if load.defersIndexes { await target?.makeDeferredIndexesAfterFailure() }
  }

  private nonisolated(nonsending) func finish(
    _ tail: RecordBatch, in edits: ScratchContext
  ) async throws(ImportError) {
    try await compose(tail, in: edits)
    let tables = gaps.absentTables(of: scopes.map(\.table))
    var page: AbsentPage?
    while true {
      if Task.isCancelled { throw .cancelled }
      page = try await storing { [page] () throws(StoreError) in
        try await ledger.absentPage(after: page, in: tables, limit: pageSize)
      }
      guard let page else { return }
      try await storing { () throws(StoreError) in
        note(try await edits.delete(page, keeping: pushed))
      }
    }
  }

  /// Makes a batch part of a context's edits.
  nonisolated(nonsending) func compose(
    _ batch: RecordBatch, in edits: ScratchContext
  ) async throws(ImportError) {
    try await storing { () throws(StoreError) in
      note(try await edits.compose(batch, keeping: pushed))
    }
  }

  /// Notes in the ledger that the feed has the rows of a batch, and notes the batch's links.
  nonisolated(nonsending) func crossOff(_ batch: RecordBatch) async throws(ImportError) {
    try await storing { () throws(StoreError) in
      if !batch.links.isEmpty { try await ledger.add(batch.links) }
      if looksForAbsentRows && !batch.isEmpty { try await ledger.remove(batch.keys) }
    }
  }
}

nonisolated(nonsending) func storing<R>(
  _ body: nonisolated(nonsending) () async throws(StoreError) -> R
) async throws(ImportError) -> R {
  do throws(StoreError) { return try await body() } catch { throw .store(error) }
}

extension ImportProgress {
  fileprivate mutating func refuse(_ record: RefusedRecord, _ options: ImportOptions) {
    result.skipped += 1
    guard case .skip(let limit) = options.refusedRecords, result.refused.count < limit else {
      return
    }
    result.refused.append(record)
  }
}
