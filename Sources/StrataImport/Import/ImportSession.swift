internal import Strata

/// One import: what its workers share, and what comes after all of them.
final class ImportSession: Sendable {
  private struct State: Sendable {
    var progress = ImportProgress()
    var batchSize: Int
    /// Sources of unknown size make the whole unknown.
    var hasUnknownSize = false
  }

  /// Where batches go; nil for a child of another context, whose edits they become.
  let target: ImportTarget?
  let options: ImportOptions
  /// The rows that the feed may not have any more.
  let scopes: [ImportScope]
  let ledger: ImportLedger?
  private let marks: FreshnessMarks
  private let monitor: ImportMonitor?
  private let start = ContinuousClock.now
  private let state: Lock<State>

  init(
    _ target: ImportTarget?, _ options: ImportOptions, _ scopes: [ImportScope],
    _ marks: FreshnessMarks, _ monitor: ImportMonitor?
  ) {
    self.target = target
    self.options = options
    self.scopes = scopes
    self.marks = marks
    self.monitor = monitor
    ledger = scopes.isEmpty && options.commits == .batched ? nil : ImportLedger()
    state = Lock(State(batchSize: options.batchSize ?? Self.firstBatch))
  }

  /// Whether records that are refused are left out.
  var skipsRefused: Bool {
    if case .skip = options.refusedRecords { true } else { false }
  }

  // MARK: - Batches

  private static let firstBatch = 500
  private static let sizes = 50...10_000

  /// Records that a batch should have, so that its transaction takes about half of what it may.
  var batchSize: Int { state.withLock { $0.batchSize } }

  /// Makes batches larger or smaller by how long the last one took.
  private func adapt(to count: Int, _ duration: Duration) {
    // What little there was at the end says nothing about a batch.
    guard options.batchSize == nil, count >= Self.sizes.lowerBound else { return }
    let wanted = Double(count) * (options.longestTransaction / 2 / max(duration, .microseconds(1)))
    state.withLock { state in
      // Smaller at once, larger by degrees: one quick batch does not make the next one slow.
      let next = min(wanted, Double(state.batchSize) * 1.5)
      state.batchSize = min(max(Int(next), Self.sizes.lowerBound), Self.sizes.upperBound)
    }
  }

  // MARK: - Progress

  var result: ImportResult { state.withLock { $0.progress.result } }

  private func change(_ body: (inout ImportProgress) -> Void) -> ImportProgress {
    let elapsed = start.duration(to: .now)
    return state.withLock { state in
      body(&state.progress)
      state.progress.elapsed = elapsed
      return state.progress
    }
  }

  /// Counts a source that is about to be read.
  func noteSource(bytes: Int?) {
    state.withLock { state in
      state.hasUnknownSize = state.hasUnknownSize || bytes == nil
      state.progress.totalBytes =
        state.hasUnknownSize ? nil : (state.progress.totalBytes ?? 0) + (bytes ?? 0)
    }
  }

  func noteRead(bytes: Int) { _ = change { $0.bytes += bytes } }
  func noteRead(records: Int) { _ = change { $0.result.records += records } }

  func noteRefused(_ record: RefusedRecord) { _ = change { $0.refuse(record, options) } }

  /// Counts what became of a batch.
  func note(_ outcome: BatchOutcome, of count: Int = 0, upTo checkpoint: ImportCheckpoint? = nil) {
    adapt(to: count, outcome.duration)
    let progress = change { progress in
      progress.result.inserted += outcome.inserted
      progress.result.updated += outcome.updated
      progress.result.unchanged += outcome.unchanged
      progress.result.deleted += outcome.deleted
      progress.result.kept += outcome.kept
      progress.result.commit = max(progress.result.commit, outcome.commit)
      progress.checkpoint = checkpoint ?? progress.checkpoint
      for failure in outcome.refused { progress.refuse(RefusedRecord("\(failure)"), options) }
    }
    monitor?.publish(progress)
  }

  /// Tells whoever watches that nothing more comes.
  func end() {
    monitor?.publish(change { _ in })
    monitor?.finish()
  }

  // MARK: - The end

  /// Saves what is left after everything was read, and deletes what the feed does not have.
  ///
  /// - Parameters:
  ///   - tail: the last records, of which nothing was said yet.
  ///   - waiting: records that refer to what was not there.
  ///   - edits: the context whose edits the records become, without a target.
  nonisolated(nonsending) func finish(
    _ tail: RecordBatch, waiting: RecordBatch, edits: ScratchContext?
  ) async throws(ImportError) {
    if Task.isCancelled { throw .cancelled }
    try await crossOff(tail)
    guard let target else {
      edits?.compose(tail)
      return try await deleteAbsent { page in edits?.compose(page.deletion) }
    }
    var saving = ImportTarget.Saving()
    saving.skipsRefused = skipsRefused
    if options.commits == .atomic, let ledger {
      saving.marks = marks
      let scopes = result.skipped == 0 ? scopes : []
      try await storing { () throws(StoreError) in
        try await ledger.stage(tail)
        noteLast(try await target.apply(ledger, absentIn: scopes, saving))
      }
      return
    }
    // What is missing now will not come any more.
    saving.waits = skipsRefused
    var last = waiting
    last.compose(tail)
    let deletes = !scopes.isEmpty && result.skipped == 0
    if !deletes { saving.marks = marks }
    if !last.isEmpty || !saving.marks.isEmpty {
      try await storing { () throws(StoreError) in
        noteLast(try await target.save(last, saving).outcome, of: last.count)
      }
    }
    if !deletes { return }
    try await deleteAbsent { [saving, marks] page throws(StoreError) in
      var saving = saving
      if page.isLast && page.isOfLastTable(scopes) { saving.marks = marks }
      if page.isEmpty && saving.marks.isEmpty { return }
      note(try await target.delete(page, saving))
    }
  }

  /// Counts the batch after which nothing comes that its rows may have waited for.
  private func noteLast(_ outcome: BatchOutcome, of count: Int = 0) {
    note(outcome, of: count)
    for name in outcome.waiting.rowNames {
      noteRefused(RefusedRecord("\(name) refers to what does not exist"))
    }
  }

  /// Notes that the feed has the rows of a batch.
  nonisolated(nonsending) func crossOff(_ batch: RecordBatch) async throws(ImportError) {
    guard let ledger, !scopes.isEmpty, !batch.isEmpty else { return }
    try await storing { () throws(StoreError) in try await ledger.remove(batch.keys) }
  }

  private nonisolated(nonsending) func deleteAbsent(
    _ body: nonisolated(nonsending) (AbsentPage) async throws(StoreError) -> Void
  ) async throws(ImportError) {
    guard let ledger, result.skipped == 0 else { return }
    for table in scopes.map(\.table) {
      var page: AbsentPage?
      repeat {
        if Task.isCancelled { throw .cancelled }
        try await storing { () throws(StoreError) in
          let next = try await ledger.absentRows(
            of: table, after: page, limit: options.batchSize ?? Self.firstBatch)
          try await body(next)
          page = next
        }
      } while page?.isLast == false
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
