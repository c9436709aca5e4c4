import StrataTesting

@testable import Strata

extension ViewContext {
  /// Returns a live query that shows every commit before the call.
  func loaded<E: Entity>(_ query: Query<E>) async throws -> LiveQuery<E> {
    try await waitUntilMerged(store.newestCommit)
    let live = live(query)
    try await live.waitUntilLoaded()
    return live
  }
}

extension Maintainer {
  /// Holds every later load up until the gate is opened.
  func hold(at gate: TestGate) { setWillLoad { await gate.pass() } }
}

extension Stack {
  /// Returns the layer that a context would save after `edit`.
  func layer(_ edit: (inout Edits) -> Void) -> Layer {
    var edits = Edits(store.model)
    edit(&edits)
    return edits.layer
  }

  /// Commits a layer of another context ahead of every scratch save.
  func commitUrgently(_ layer: Layer) -> Submission<Int64> {
    store.writer.enqueue(.urgent) { writer throws(StoreError) in
      try writer.saveReporting(layer, policy: .overwrite).commit
    }
  }
}

extension Edits {
  /// Edits an entity as a context does, but without a context.
  ///
  /// - Returns: whether the layer changed.
  @discardableResult
  mutating func update<E: Entity>(
    _ entity: E, _ table: Table, _ key: RecordKey, _ change: (inout E) -> Void
  ) -> Bool {
    let row = record(of: entity, table).map(RecordState.record) ?? .unknown
    let shown = row.under(layer[table.id, key], in: table)
    guard var draft = draft(of: entity, table, key, shown, inHand: row.record) else { return false }
    change(&draft.entity)
    return finish(draft, table, key, shown: shown).didChange
  }

  /// Deletes an entity as a context does, but without a context.
  mutating func delete<E: Entity>(_ entity: E, _ table: Table, _ key: RecordKey) {
    let row = record(of: entity, table).map(RecordState.record) ?? .unknown
    _ = delete(entity, table, key, shown: row.under(layer[table.id, key], in: table))
  }
}
