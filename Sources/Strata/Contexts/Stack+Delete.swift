extension Stack {
  /// Deletes every entity of a query in batches, without bringing the rows to a context, and returns
  /// or throws when the view context shows it.
  ///
  /// The rules of a save hold: delete rules run, rows that they change are validated, links go, and
  /// unpushed changes are noted for the outbox. Live queries and streams are told the exact rows. An
  /// unsaved edit of a deleted row becomes a conflict, as with any other commit.
  ///
  /// ```swift
  /// try await stack.delete(Song.where { $0.plays == 0 })
  /// ```
  ///
  /// The rows are those of the query when the call begins, also with a limit or an offset. A row
  /// that is inserted meanwhile stays. A row that is changed meanwhile is deleted if it still meets
  /// the query's conditions then; its place in the order no longer matters.
  ///
  /// Each batch is a commit. The batches come behind saves and among imports, so saves get in between
  /// and others see some of the rows deleted and some not yet. After an error, a cancellation or the
  /// end of the process, whole batches are deleted. Another call goes on with the rows that are left.
  ///
  /// A row that a delete rule or a validation keeps does not stop the batches. It is tried again after
  /// the others, because the rows that refer to it may be gone then. Rows that keep each other go
  /// together in the last batch, which other commits wait for. If a row must stay even then, all rows
  /// of the last batch stay, and the call throws.
  ///
  /// - Parameters:
  ///   - query: the entities, without the unsaved edits of any context. Sorts only matter with a
  ///     limit or an offset.
  ///   - author: the author of the commits; nil for ``StackOptions/author``. Commits of an author that an
  ///     ``Outbox`` ignores, such as ``evictionAuthor``, are not pushed.
  /// - Returns: the number of entities of the query that were deleted, without other entities that a
  ///   delete rule deleted with them.
  /// - Throws: ``StoreError`` with code `invalidQuery`, `deleteDenied`, `validationFailed`,
  ///   `readOnly`, `cancelled`, `closed`, `busy`, `diskFull` or one of SQLite's.
  /// - Complexity: O(*n* log *n*) time of the deleted rows, one look-up for each reference to their
  ///   entity, and memory for the keys of the query's rows and the rows of a batch. A batch takes about
  ///   100 ms, and 25 ms while the view context saves. The rows that a rule changes or deletes are in
  ///   the batch of the row to which they refer, however many there are.
  @discardableResult
  public nonisolated(nonsending) func delete<E: Entity>(
    _ query: Query<E>, author: String? = nil
  ) async throws -> Int {
    let plan = try QueryPlan(query, store.model)
    let rows = try await store.reading { snapshot throws(StoreError) in
      try await snapshot.versions(of: plan, isSorted: false)
    }
    var deletion = QueryDeletion(of: rows, plan)
    var size = BatchSize(fixed: store.writer.options.settings.bounds.deletedRows)
    // The batches keep their order among themselves.
    let context = ContextID()
    var newest: Int64?
    do throws(StoreError) {
      while let batch = deletion.next(size: size.rows) {
        let (commit, outcome, duration, hasHeldUp) = try await store.batch(
          of: context, author: author
        ) { transaction throws(StoreError) in
          try batch.delete(in: &transaction)
        }
        if outcome.deleted > 0 { newest = commit }
        deletion.note(outcome)
        size.adapt(
          to: batch.candidates.count, in: duration, hasHeldUp: hasHeldUp,
          longest: QueryDeletion.longestTransaction)
      }
    } catch {
      if let newest { await store.viewMerged(newest) }
      throw error
    }
    if let newest { await store.viewMerged(newest) }
    return deletion.deleted
  }
}
