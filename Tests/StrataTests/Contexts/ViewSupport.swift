import StrataTesting

@testable import Strata

extension ViewContext {
  /// A live query that has its first result.
  func loaded<E: Entity>(_ query: Query<E>) async throws -> LiveQuery<E> {
    let live = live(query)
    try await live.load()
    return live
  }
}

extension Maintainer {
  /// Holds every load up from now on until the gate is opened.
  func hold(at gate: TestGate) { setWillLoad { await gate.pass() } }
}

extension Stack {
  /// The layer that a context would save after `edit`.
  func layer(_ edit: (inout Edits) -> Void) -> Layer {
    var edits = Edits(store.model)
    edit(&edits)
    return edits.layer
  }

  /// Commits a layer of somebody else ahead of every scratch save.
  func commitUrgently(_ layer: Layer) -> Submission<Int64> {
    store.writer.enqueue(.urgent) { writer throws(StoreError) in
      try writer.save(layer, policy: .overwrite)
    }
  }
}

extension ViewContext {
  /// Whether a save is under way.
  var isSaving: Bool { layers.isSaving }
}
