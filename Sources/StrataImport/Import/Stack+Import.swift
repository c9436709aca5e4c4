public import Strata

extension Stack {
  /// Imports JSON records, and returns when the view context shows them.
  ///
  /// The import runs off the main actor, in a scratch context of its own.
  ///
  /// - Throws: ``ImportError``, whose ``ImportError/result`` counts the changes committed before.
  @discardableResult
  @concurrent
  public func importJSON<E: Entity>(
    _ type: E.Type, from source: JSONSource, as format: JSONFormat = .array,
    mapping: JSONMapping<E> = .automatic, absent: AbsentRows = .keep,
    marksFresh: [CacheEntry] = [],
    options: ImportOptions = ImportOptions(), monitor: ImportMonitor? = nil
  ) async throws -> ImportResult {
    try await importJSON(
      type, from: [source], as: format, mapping: mapping, absent: absent, marksFresh: marksFresh,
      options: options, monitor: monitor)
  }

  /// Imports a document with several entities, and returns when the view context shows them.
  ///
  /// The import runs off the main actor, in a scratch context of its own.
  ///
  /// - Throws: ``ImportError``, whose ``ImportError/result`` counts the changes committed before.
  @discardableResult
  @concurrent
  public func importJSON(
    _ document: JSONDocument, from source: JSONSource, absent: AbsentRows = .keep,
    marksFresh: [CacheEntry] = [], options: ImportOptions = ImportOptions(),
    monitor: ImportMonitor? = nil
  ) async throws -> ImportResult {
    let result = try await makeScratch().importJSON(
      document, from: source, absent: absent, marksFresh: marksFresh, options: options,
      monitor: monitor)
    await store.viewMerged(result.commit)
    return result
  }

  /// Imports several sources as one feed, ``ImportOptions/workers`` of them at a time.
  ///
  /// If several sources have records with one key, any of these records may win.
  ///
  /// - Throws: ``ImportError``, whose ``ImportError/result`` counts the changes committed before.
  ///   The first error of a source stops all sources.
  @discardableResult
  @concurrent
  public func importJSON<E: Entity>(
    _ type: E.Type, from sources: [JSONSource], as format: JSONFormat = .array,
    mapping: JSONMapping<E> = .automatic, absent: AbsentRows = .keep,
    marksFresh: [CacheEntry] = [],
    options: ImportOptions = ImportOptions(), monitor: ImportMonitor? = nil
  ) async throws -> ImportResult {
    let result = try await makeScratch().importJSON(
      type, from: sources, as: format, mapping: mapping, absent: absent, marksFresh: marksFresh,
      options: options, monitor: monitor)
    await store.viewMerged(result.commit)
    return result
  }
}
