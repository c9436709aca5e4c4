public import Strata

extension ScratchContext {
  /// Imports JSON records: adds them, or updates those whose key is there.
  ///
  /// Reading, parsing and making records happen where the caller runs, usually a worker actor;
  /// saving runs beside them. Every batch is a commit of its own, as large as
  /// ``ImportOptions/longestTransaction`` allows; a save of the view context overtakes batches that
  /// wait. In a child of the view context the records become unsaved edits instead. Memory is
  /// bounded whatever the size of the input, except for rows that come before what their required
  /// references refer to: those are held until the end.
  ///
  /// Importing the same feed again writes nothing and tells nobody.
  ///
  /// - Parameters:
  ///   - source: where the bytes come from.
  ///   - format: where the records are in the document.
  ///   - mapping: how attributes are found in a record; without one, by the names of the schema.
  ///   - absent: what happens to rows that the feed does not have.
  ///   - freshens: what the last commit marks as imported; nothing if the import fails. Not for a
  ///     child of the view context.
  ///   - options: what else.
  ///   - monitor: told of the progress.
  /// - Throws: ``ImportError``, which says what had been committed by then. Cancelling the task
  ///   stops at a batch's boundary.
  @discardableResult
  public nonisolated(nonsending) func importJSON<E: Entity>(
    _ type: E.Type, from source: JSONSource, as format: JSONFormat = .array,
    mapping: JSONMapping<E> = .automatic, absent: AbsentRows = .keep,
    freshens: [CacheEntry] = [],
    options: ImportOptions = ImportOptions(), monitor: ImportMonitor? = nil
  ) async throws(ImportError) -> ImportResult {
    let prepared = try monitor.ending { () throws(ImportError) in
      try PreparedImport(self, type, format, mapping, absent, freshens, options, monitor)
    }
    return try await importing(prepared, from: source, hasCheckpoints: format == .lines)
  }

  /// Imports the records of a document: of several entities, at several paths.
  ///
  /// Everything that ``importJSON(_:from:as:mapping:absent:freshens:options:monitor:)`` says, but
  /// there is no checkpoint to go on at. Rows are absent if their entity has a part in the
  /// document, and no record of the document is theirs.
  ///
  /// - Throws: ``ImportError``, which says what had been committed by then.
  @discardableResult
  public nonisolated(nonsending) func importJSON(
    _ document: JSONDocument, from source: JSONSource, absent: AbsentRows = .keep,
    freshens: [CacheEntry] = [], options: ImportOptions = ImportOptions(),
    monitor: ImportMonitor? = nil
  ) async throws(ImportError) -> ImportResult {
    let prepared = try monitor.ending { () throws(ImportError) in
      try PreparedImport(self, document, absent, freshens, options, monitor)
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
        session, edits: edits, hasCheckpoints: hasCheckpoints, prepared.makeFeed)
      let rest = try await run.run { () throws(ImportError) in unread.withLock { $0.take() } }
      try await session.finish(rest.tail, waiting: rest.waiting, edits: edits)
    }
  }

  /// Runs an import from what was pinned before, or what the store has now, to its result.
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
      // A pin that is kept keeps the log from starting again.
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

  /// Imports several sources, some at a time.
  nonisolated(nonsending) func importJSON<E: Entity>(
    _ type: E.Type, from sources: [JSONSource], as format: JSONFormat, mapping: JSONMapping<E>,
    absent: AbsentRows, freshens: [CacheEntry], options: ImportOptions, monitor: ImportMonitor?
  ) async throws(ImportError) -> ImportResult {
    let prepared = try monitor.ending { () throws(ImportError) in
      if sources.count != 1 && options.checkpoint != nil {
        throw .mapping("only an import of one source can go on at a checkpoint")
      }
      let prepared = try PreparedImport(
        self, type, format, mapping, absent, freshens, options, monitor)
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

  /// Imports sources as they become known, some at a time.
  ///
  /// - Parameter next: gives a worker its next source, told what was read of those before.
  nonisolated(nonsending) func importing(
    _ prepared: PreparedImport, workers: Int, hasCheckpoints: Bool,
    _ next: @escaping @Sendable (ImportResult) async throws(ImportError) -> JSONSource?
  ) async throws(ImportError) -> ImportResult {
    try await running(prepared.session) { () throws(ImportError) in
      let session = prepared.session
      let rest = try await ImportRun.Rest(workers: max(1, workers)) {
        do throws(ImportError) {
          var run = try ImportRun(
            session, edits: nil, hasCheckpoints: hasCheckpoints, prepared.makeFeed)
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
  /// What is left of several workers. The first error stops all of them.
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
