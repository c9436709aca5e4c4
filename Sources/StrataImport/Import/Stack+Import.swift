public import Strata

extension Stack {
  /// Imports JSON records through a scratch context of its own, off the main actor, and returns
  /// when the view context shows them.
  ///
  /// - Throws: ``ImportError``, which says what had been committed by then.
  @discardableResult
  @concurrent
  public func importJSON<E: Entity>(
    _ type: E.Type, from source: JSONSource, as format: JSONFormat = .array,
    mapping: JSONMapping<E> = .automatic, absent: AbsentRows = .keep,
    freshens: [CacheEntry] = [],
    options: ImportOptions = ImportOptions(), monitor: ImportMonitor? = nil
  ) async throws(ImportError) -> ImportResult {
    try await importJSON(
      type, from: [source], as: format, mapping: mapping, absent: absent, freshens: freshens,
      options: options, monitor: monitor)
  }

  /// Imports the records of a document, of several entities, through a scratch context of its own,
  /// off the main actor, and returns when the view context shows them.
  ///
  /// - Throws: ``ImportError``, which says what had been committed by then.
  @discardableResult
  @concurrent
  public func importJSON(
    _ document: JSONDocument, from source: JSONSource, absent: AbsentRows = .keep,
    freshens: [CacheEntry] = [], options: ImportOptions = ImportOptions(),
    monitor: ImportMonitor? = nil
  ) async throws(ImportError) -> ImportResult {
    let result = try await scratch().importJSON(
      document, from: source, absent: absent, freshens: freshens, options: options,
      monitor: monitor)
    await view.mergedOwn(result.commit)
    return result
  }

  /// Imports the records of several sources as one feed, ``ImportOptions/workers`` of them at a
  /// time.
  ///
  /// Which record wins if a key is in several sources is not said.
  ///
  /// - Throws: ``ImportError``, which says what had been committed by then; the first error of one
  ///   source stops all of them.
  @discardableResult
  @concurrent
  public func importJSON<E: Entity>(
    _ type: E.Type, from sources: [JSONSource], as format: JSONFormat = .array,
    mapping: JSONMapping<E> = .automatic, absent: AbsentRows = .keep,
    freshens: [CacheEntry] = [],
    options: ImportOptions = ImportOptions(), monitor: ImportMonitor? = nil
  ) async throws(ImportError) -> ImportResult {
    let result = try await scratch().importJSON(
      type, from: sources, as: format, mapping: mapping, absent: absent, freshens: freshens,
      options: options, monitor: monitor)
    await view.mergedOwn(result.commit)
    return result
  }
}
