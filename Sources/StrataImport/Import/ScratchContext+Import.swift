public import Strata

extension ScratchContext {
  /// Imports JSON records: inserts new rows and updates rows with the same keys.
  ///
  /// The caller's actor, usually a worker actor, reads, parses and makes records. Saves run beside
  /// it. Every batch is a commit of its own, as large as ``ImportOptions/longestTransaction``
  /// allows. A save of the view context overtakes batches that wait. In a child of the view context
  /// the records become unsaved edits instead, and an `Outbox` pushes them once they are saved. Memory is
  /// bounded, whatever the size of the input,
  /// except for waiting rows: a row that comes before the target of its required reference is held
  /// until the end.
  ///
  /// A second import of the same feed writes nothing and reports no change.
  ///
  /// - Parameters:
  ///   - type: the entity of the records.
  ///   - source: the input.
  ///   - format: the location of the records in the document.
  ///   - mapping: the mapping of a record's members to attributes. The default follows the names of
  ///     the schema.
  ///   - absent: the rule for absent rows.
  ///   - marksFresh: the entries that the last commit marks as imported. If the import fails, no
  ///     entry is marked. It must be empty in a child of the view context.
  ///   - options: further options.
  ///   - monitor: a monitor that publishes the progress.
  /// - Throws: ``ImportError``, whose ``ImportError/result`` counts the changes committed before.
  ///   Cancelling the task stops the import at the end of a batch.
  @discardableResult
  public nonisolated(nonsending) func importJSON<E: Entity>(
    _ type: E.Type, from source: JSONSource, as format: JSONFormat = .array,
    mapping: JSONMapping<E> = .automatic, absent: AbsentRows = .keep,
    marksFresh: [CacheEntry] = [],
    options: ImportOptions = ImportOptions(), monitor: ImportMonitor? = nil
  ) async throws -> ImportResult {
    let prepared = try monitor.ending { () throws(ImportError) in
      try PreparedImport(self, type, format, mapping, absent, marksFresh, options, monitor)
    }
    return try await importing(prepared, from: source, hasCheckpoints: format == .lines)
  }

  /// Imports the records of a document, of several entities at several paths.
  ///
  /// The import works like ``importJSON(_:from:as:mapping:absent:marksFresh:options:monitor:)``, but
  /// has no checkpoint to go on at. A row is absent if its entity has a part in the document, and
  /// the document has no record of the row.
  ///
  /// - Throws: ``ImportError``, whose ``ImportError/result`` counts the changes committed before.
  @discardableResult
  public nonisolated(nonsending) func importJSON(
    _ document: JSONDocument, from source: JSONSource, absent: AbsentRows = .keep,
    marksFresh: [CacheEntry] = [], options: ImportOptions = ImportOptions(),
    monitor: ImportMonitor? = nil
  ) async throws -> ImportResult {
    let prepared = try monitor.ending { () throws(ImportError) in
      try PreparedImport(self, document, absent, marksFresh, options, monitor)
    }
    return try await importing(prepared, from: source, hasCheckpoints: false)
  }

  private nonisolated(nonsending) func importing(
    _ prepared: PreparedImport, from source: JSONSource, hasCheckpoints: Bool
  ) async throws(ImportError) -> ImportResult {
    await willImport()
    return try await running(prepared.session) { () throws(ImportError) in
      let session = prepared.session
      let edits = session.target == nil ? self : nil
      session.noteSources([source])
      let unread = Lock<JSONSource?>(source)
      var run = try ImportRun(
        session, edits: edits, hasCheckpoints: hasCheckpoints, prepared.makeReader)
      let rest = try await run.run { () throws(ImportError) in unread.withLock { $0.take() } }
      try await session.finish(rest.tail, waiting: rest.waiting, edits: edits)
    }
  }

  /// Runs an import to its result.
  ///
  /// If absent rows are deleted, it notes the rows of the pinned snapshot, or of the newest commit.
  private nonisolated(nonsending) func running(
    _ session: ImportSession, _ body: nonisolated(nonsending) () async throws(ImportError) -> Void
  ) async throws(ImportError) -> ImportResult {
    let activity = activityLedger
    activity.begin(.importing)
    defer {
      activity.end(.importing)
      session.end()
      unpin()
      let (skipped, refused) = (session.result.skipped, session.result.refused)
      if skipped > 0 { log(.importRefused(records: skipped, first: refused.map(\.message))) }
    }
    do throws(ImportError) {
      if session.looksForAbsentRows {
        try await storing { () throws(StoreError) in
          try await noteRows(of: session.scopes, in: session.ledger)
        }
      }
      // A pin during the import would keep the log from starting again.
      unpin()
      try await body()
      try await session.makeDeferredIndexes()
      return session.result
    } catch {
      await session.makeDeferredIndexesAfterFailure()
      var error = error
      error.result = session.result
      throw error
    }
  }

  /// Imports several sources, ``ImportOptions/workers`` at a time.
  nonisolated(nonsending) func importJSON<E: Entity>(
    _ type: E.Type, from sources: [JSONSource], as format: JSONFormat, mapping: JSONMapping<E>,
    absent: AbsentRows, marksFresh: [CacheEntry], options: ImportOptions, monitor: ImportMonitor?
  ) async throws(ImportError) -> ImportResult {
    let prepared = try monitor.ending { () throws(ImportError) in
      if sources.count != 1 && options.checkpoint != nil {
        throw .mapping("only an import of one source can go on at a checkpoint")
      }
      let prepared = try PreparedImport(
        self, type, format, mapping, absent, marksFresh, options, monitor)
      if sources.isEmpty && prepared.session.looksForAbsentRows { throw .emptyInput }
      if sources.count > 1 && prepared.hasPositionKeys { throw .positionKeys }
      return prepared
    }
    prepared.session.noteSources(sources)
    let rest = Lock(sources[...])
    return try await importing(
      prepared, workers: min(options.workers, sources.count),
      hasCheckpoints: sources.count == 1 && format == .lines
    ) { _ in rest.withLock { $0.popFirst() } }
  }

  /// Imports sources as they become known, `workers` at a time.
  ///
  /// - Parameter next: returns a worker's next source. Its argument is the result so far.
  nonisolated(nonsending) func importing(
    _ prepared: PreparedImport, workers: Int, hasCheckpoints: Bool,
    _ next: @escaping @Sendable (ImportResult) async throws(ImportError) -> JSONSource?
  ) async throws(ImportError) -> ImportResult {
    try await running(prepared.session) { () throws(ImportError) in
      let session = prepared.session
      let rest = try await ImportRun.Rest(workers: max(1, workers)) {
        do throws(ImportError) {
          var run = try ImportRun(
            session, edits: nil, hasCheckpoints: hasCheckpoints, prepared.makeReader)
          return .success(
            try await run.run { () throws(ImportError) in try await next(session.result) })
        } catch {
          return .failure(error)
        }
      }
      try await session.finish(rest.tail, waiting: rest.waiting, edits: nil)
    }
  }
}

extension ImportMonitor? {
  /// Ends the monitor if an import cannot begin.
  fileprivate func ending<R>(
    _ body: () throws(ImportError) -> R
  ) throws(ImportError) -> R {
    do throws(ImportError) { return try body() } catch {
      self?.finish()
      throw error
    }
  }
}

extension ImportRun.Rest {
  /// Runs several workers and joins the records that they leave. The first error stops all workers.
  fileprivate init(
    workers: Int,
    _ work: @escaping @Sendable @concurrent () async -> Result<Self, ImportError>
  ) async throws(ImportError) {
    let result = await withTaskGroup(
      of: Result<Self, ImportError>.self, returning: Result<Self, ImportError>.self
    ) { group in
      var all = Self(tail: RecordBatch(), waiting: RecordBatch())
      var failure: ImportError?
      for _ in 0..<workers { group.addTask { await work() } }
      while let result = await group.next() {
        switch result {
        case .success(let next):
          all.waiting.compose(next.waiting)
          all.tail.compose(next.tail)
        case .failure(let error):
          failure = failure ?? error
          group.cancelAll()
        }
      }
      return failure.map { .failure($0) } ?? .success(all)
    }
    self = try result.get()
  }
}
