public import Strata

/// What happens to rows that a feed does not have.
public enum AbsentRows: Sendable {
  /// They stay.
  case keep
  /// They are deleted after the whole feed was read without an error, but only if they existed
  /// when the import began and nobody has changed them since.
  case delete
}

extension ScratchContext {
  /// Imports JSON records: adds them, or updates those whose key is there.
  ///
  /// Reading, parsing and making records happen where the caller runs, usually a worker actor;
  /// saving runs beside them. Every batch of 2,000 records is a commit of its own; a save of the
  /// view context overtakes batches that wait. In a child of the view context the records become
  /// unsaved edits instead. Memory is bounded whatever the size of the input.
  ///
  /// - Parameters:
  ///   - source: where the bytes come from.
  ///   - format: where the records are in the document.
  ///   - mapping: how attributes are found in a record.
  ///   - absent: what happens to rows that the feed does not have.
  ///   - freshens: what is marked as imported, right after the last batch; nothing if the import
  ///     fails. Not for a child of the view context.
  ///   - progress: called after every batch, where the caller runs.
  /// - Throws: ``ImportError``, which says what had been committed by then. Cancelling the task
  ///   stops at a batch's boundary.
  @discardableResult
  public nonisolated(nonsending) func importJSON<E: Entity>(
    _ type: E.Type, from source: JSONSource, as format: JSONFormat = .array,
    mapping: JSONMapping<E>, absent: AbsentRows = .keep,
    freshens: [CacheEntry] = [], progress: (@Sendable (ImportProgress) -> Void)? = nil
  ) async throws(ImportError) -> ImportResult {
    let (table, defaults): (Table, Record)
    do throws(StoreError) { (table, defaults) = try importTarget(type) } catch {
      throw .store(error)
    }
    let mapper = try RecordMapper(mapping, table, defaults: defaults)
    var run = ImportRun(
      self, RecordFeed(mapper, format), deletesAbsent: absent == .delete, progress)
    var result = try await run.run(source)
    if freshens.isEmpty { return result }
    do throws(StoreError) { result.commit = try await markImported(freshens) } catch {
      throw .store(error, result)
    }
    return result
  }
}

extension Stack {
  /// Imports JSON records through a scratch context of its own, off the main actor, and returns
  /// when the view context shows them.
  ///
  /// - Throws: ``ImportError``, which says what had been committed by then.
  @discardableResult
  @concurrent
  public func importJSON<E: Entity>(
    _ type: E.Type, from source: JSONSource, as format: JSONFormat = .array,
    mapping: JSONMapping<E>, absent: AbsentRows = .keep,
    freshens: [CacheEntry] = [], progress: (@Sendable (ImportProgress) -> Void)? = nil
  ) async throws(ImportError) -> ImportResult {
    let result = try await scratch().importJSON(
      type, from: source, as: format, mapping: mapping, absent: absent, freshens: freshens,
      progress: progress)
    do throws(StoreError) { try await view.mergedOwn(result.commit) } catch { throw .store(error) }
    return result
  }
}
