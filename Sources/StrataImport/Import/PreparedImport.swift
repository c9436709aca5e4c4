internal import Strata

/// An import whose parameters are checked.
struct PreparedImport: Sendable {
  let session: ImportSession
  /// Makes a reader. Every worker has a reader of its own.
  let makeReader: @Sendable () throws(ImportError) -> RecordReader
  /// Whether records may get their position as the key, which allows only a single source.
  let hasPositionKeys: Bool

  init<E: Entity>(
    _ scratch: ScratchContext, _ type: E.Type, _ format: JSONFormat, _ mapping: JSONMapping<E>,
    _ absent: AbsentRows, _ marksFresh: [CacheEntry], _ options: ImportOptions,
    _ monitor: ImportMonitor?, _ claim: FeedClaim? = nil
  ) throws(ImportError) {
    let model = scratch.model
    if options.checkpoint != nil && format != .lines {
      throw .mapping("only an import of lines can go on at a checkpoint")
    }
    try self.init(scratch, absent, marksFresh, options, monitor, claim) { () throws(ImportError) in
      let mapper = try RecordMapper(
        mapping.definition, in: model, recordsAreMembers: format.hasMembers)
      return RecordReader(
        mapper, format, longestRecord: options.longestRecord,
        after: options.checkpoint?.records ?? 0)
    }
  }

  init(
    _ scratch: ScratchContext, _ document: JSONDocument, _ absent: AbsentRows,
    _ marksFresh: [CacheEntry], _ options: ImportOptions, _ monitor: ImportMonitor?,
    _ claim: FeedClaim? = nil
  ) throws(ImportError) {
    let model = scratch.model
    if options.checkpoint != nil { throw .mapping("a document has no checkpoint to go on at") }
    try self.init(scratch, absent, marksFresh, options, monitor, claim) { () throws(ImportError) in
      RecordReader(
        try RecordPath.paths(of: document, in: model), isLines: document.isLines,
        longestRecord: options.longestRecord)
    }
  }

  private init(
    _ scratch: ScratchContext, _ absent: AbsentRows, _ marksFresh: [CacheEntry],
    _ options: ImportOptions, _ monitor: ImportMonitor?, _ claim: FeedClaim?,
    _ makeReader: @escaping @Sendable () throws(ImportError) -> RecordReader
  ) throws(ImportError) {
    self.makeReader = makeReader
    // A mapping that does not fit is refused before any input is read.
    let reader = try makeReader()
    hasPositionKeys = reader.hasPositionKeys
    let tables = reader.tables
    let scopes: [ImportScope]
    do throws(StoreError) {
      scopes = ImportScope.ordered(try absent.scopes(tables, scratch.model), scratch.model)
      session = ImportSession(
        scratch.batchTarget(author: options.author), scratch.beginImport(), options,
        reader.matches, scopes, reader.writtenTables, try scratch.marks(marksFresh, claim: claim),
        monitor)
    } catch {
      throw .store(error)
    }
    if reader.hasLinks && session.target == nil {
      throw .mapping("links are made in the store, not in a child of the view context")
    }
    if reader.hasLinks && options.checkpoint != nil {
      throw .mapping(
        "links are made when everything was read, so an import with links has no checkpoint")
    }
    if !scopes.isEmpty && options.checkpoint != nil {
      throw .mapping(
        "an import that goes on at a checkpoint does not see the whole feed, so no row is absent")
    }
    if let scope = scopes.first(where: { scope in !tables.contains { $0 === scope.table } }) {
      throw .mapping("the feed has no \(scope.table.entity), so none of them is absent")
    }
  }
}

extension AbsentRows {
  /// - Throws: ``StoreError`` with code `invalidQuery`.
  fileprivate func scopes(
    _ tables: [Table], _ model: Model
  ) throws(StoreError) -> [ImportScope] {
    switch rule {
    case .keep: return []
    case .deleteEveryRow: return tables.map(ImportScope.init(everyRowOf:))
    case .delete(let scopes):
      var rows: [ImportScope] = []
      for scope in scopes { rows.append(try scope.rows(model)) }
      return rows
    }
  }
}
