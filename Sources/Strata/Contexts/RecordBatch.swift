/// Records on their way into the store without having been read first: what an import saves.
///
/// The rows may be of any tables and come in any order: what they refer to is looked for when all of
/// them are there.
package struct RecordBatch: Sendable {
  private(set) var layer = Layer()

  package init() {}

  /// The number of distinct keys, over all tables.
  package var count: Int { layer.count }

  /// Adds a record that replaces the stored one with its key; a later one of a key wins.
  ///
  /// - Parameter attributes: what is written if the row is there; nil for all attributes. The
  ///   whole record is written if it is not.
  package mutating func add(_ record: Record, to table: Table, attributes: AttributeSet?) {
    let change: BlindChange
    if let attributes {
      change = .patching(attributes, onInsert: record)
    } else {
      change = .set(record)
    }
    layer.compose(.blind(change), table.id, record.key(Table.keyColumn))
  }

  /// Adds the deletion of a row, whether it is there or not.
  package mutating func delete(_ key: RecordKey, from table: Table) {
    layer.compose(.blind(.set(nil)), table.id, key)
  }

  /// Adds the deletion of a record as it was read.
  package mutating func delete(_ record: Record, from table: Table) {
    layer.compose(
      .known(Change(before: record, after: nil)), table.id, record.key(Table.keyColumn))
  }

  /// The keys of one table.
  package func keys(of table: Table) -> some Sequence<RecordKey> {
    (layer.tables[table.id] ?? LayerTable()).lazy.map(\.key)
  }

  /// Leaves out the changes of some keys of a table.
  package mutating func remove(_ keys: [RecordKey], from table: Table) {
    for key in keys { layer[table.id, key] = nil }
  }
}

/// What a batch changed in its tables.
package struct BatchOutcome: Sendable {
  package var commit: Int64
  package var inserted = 0
  package var updated = 0
  package var deleted = 0

  init(commit: Int64, _ changes: some Sequence<TableChanges>) {
    self.commit = commit
    for case .rows(let rows) in changes {
      for row in rows {
        switch (row.change.before, row.change.after) {
        case (nil, _): inserted += 1
        case (_, nil): deleted += 1
        default: updated += 1
        }
      }
    }
  }
}

/// A batch that is being saved while the next one is made.
package struct BatchSave: Sendable {
  private let submission: Submission<BatchOutcome>

  init(_ submission: Submission<BatchOutcome>) { self.submission = submission }

  /// What the batch changed, once it is committed.
  package nonisolated(nonsending) var outcome: BatchOutcome {
    get async throws(StoreError) { try await submission.value }
  }
}

extension ScratchContext {
  /// The table of an entity, and the record of a new one.
  package func importTarget<E: Entity>(_ type: E.Type) throws(StoreError) -> (Table, Record) {
    let table = store.model.table(of: type)
    do throws(CodingFailure) { return (table, try table.encode(E(), RecordBuilder())) } catch {
      throw table.error(error, key: nil)
    }
  }

  /// Starts saving a batch as a commit of its own; batches of one context keep their order.
  ///
  /// In a child of the view context the batch becomes part of the unsaved edits instead, and nil
  /// is returned.
  package func save(_ batch: RecordBatch) -> BatchSave? {
    guard isChildOfStore else {
      compose(batch.layer)
      return nil
    }
    let layer = batch.layer
    let submission = store.writer.enqueue(.bulk, context: id) {
      [author] writer throws(StoreError) in
      let (commit, changes) = try writer.saveReporting(layer, policy: .error, author: author)
      // What delete rules did in other tables is not what the batch was about.
      return BatchOutcome(commit: commit, layer.tables.keys.compactMap { changes[$0] })
    }
    return BatchSave(submission)
  }

  /// The records of a table as this context reads them; the first read pins what is read.
  package nonisolated(nonsending) func storedRecords(
    of table: Table
  ) async throws(StoreError) -> ContiguousArray<Record> {
    try await pinned().records(QueryPlan(everyRowOf: table), limit: nil, isSorted: false)
  }

  /// Pins the state that this context reads, if it has not read anything yet.
  package nonisolated(nonsending) func pin() async throws(StoreError) { _ = try await pinned() }

  /// Lets go of what was pinned, so that the next fetch sees what was imported.
  package func unpin() { letGoOfSnapshot() }
}
