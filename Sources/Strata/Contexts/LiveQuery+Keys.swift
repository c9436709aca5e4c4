// The interface for the annotation registry: changes by key, in the turn in which they happen.

/// Keeps an observer of a live query registered until it is cancelled or released.
@MainActor
package final class LiveObservation {
  private weak var result: LiveResult?
  private let id: Int

  init(_ result: LiveResult, _ id: Int) {
    self.result = result
    self.id = id
  }

  deinit {
    Task { @MainActor [weak result, id] in result?.stopObserving(id) }
  }

  package func cancel() {
    result?.stopObserving(id)
    result = nil
  }
}

extension LiveQuery {
  /// The context whose edits the query shows.
  package var context: ViewContext { view }

  /// The rows that the query shows at this moment.
  package var rows: KeyedRows<E> { KeyedRows(shown: result.shown, table: result.plan.table) }

  /// The difference from an empty result to the shown rows.
  package var appearance: KeyedDifference<E> { difference(from: nothing, to: result.shown) }

  /// The difference from the shown rows to an empty result.
  package var disappearance: KeyedDifference<E> { difference(from: result.shown, to: nothing) }

  private var nothing: ShownRows {
    ShownRows(ResultTree([], order: result.plan.order), result.plan)
  }

  private func difference(from old: ShownRows, to new: ShownRows) -> KeyedDifference<E> {
    KeyedDifference(LiveChange(old: old, new: new, changed: .all), result.plan.table)
  }

  /// Calls `body` in every turn in which a shown row changes, or a load ends.
  package func observeKeys(
    _ body: @escaping @MainActor (KeyedDifference<E>) -> Void
  ) -> LiveObservation {
    let table = result.plan.table
    let id = result.observe { change in body(KeyedDifference(change, table)) }
    return LiveObservation(result, id)
  }

  /// Returns the attributes at some key paths; all attributes if a path is no attribute.
  ///
  /// A computed property may depend on any attribute.
  package func attributes(_ paths: [any PartialKeyPath<E> & Sendable]) -> AttributeSet {
    let table = result.plan.table
    return table.attributes(paths) ?? .all(table.columns.count)
  }
}
