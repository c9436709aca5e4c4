// What the annotation registry consumes: changes by key, in the turn in which they happen.

/// One key whose shown record changed in a live query.
package struct KeyedChange<E: Entity> {
  package let key: RecordKey
  private let change: Change
  private let table: Table

  init(key: RecordKey, change: Change, table: Table) {
    self.key = key
    self.change = change
    self.table = table
  }

  /// The entity before; nil if the query did not show it.
  package var before: E? { change.before.map { table.decodeLeniently($0, as: E.self) } }
  /// The entity after; nil if the query does not show it any more.
  package var after: E? { change.after.map { table.decodeLeniently($0, as: E.self) } }

  /// Whether one of `attributes` changed; true for what appeared or disappeared.
  package func changes(_ attributes: AttributeSet) -> Bool {
    guard let before = change.before, let after = change.after else { return true }
    return !after.differences(from: before).isDisjoint(with: attributes)
  }
}

/// Keeps an observer of a live query called until it is cancelled or let go of.
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

  /// Calls `body` once in every turn in which something shown changes, with every such key.
  ///
  /// What is shown already comes first, during the call, as insertions.
  package func observeKeys(
    _ body: @escaping @MainActor ([KeyedChange<E>]) -> Void
  ) -> LiveObservation {
    let table = result.plan.table
    func report(_ change: LiveResult.LiveChange) {
      let keyed = change.keyedChanges.map { key, change in
        KeyedChange<E>(key: key, change: change, table: table)
      }
      if !keyed.isEmpty { body(keyed) }
    }
    let nothing = ShownRows(ResultTree([], order: result.plan.order), result.plan)
    report(LiveResult.LiveChange(old: nothing, new: result.shown, changed: .all))
    return LiveObservation(result, result.observe(report))
  }

  /// The attributes at some key paths; all of them if a path is no attribute, since whatever is
  /// computed may depend on any.
  package func attributes(_ paths: [any PartialKeyPath<E> & Sendable]) -> AttributeSet {
    let table = result.plan.table
    return table.attributes(paths) ?? .all(table.columns.count)
  }
}

extension LiveResult.LiveChange {
  /// The keys that really differ, with the records shown before and after.
  fileprivate var keyedChanges: [(RecordKey, Change)] {
    let keys: Set<RecordKey>
    if case .some(let some) = changed {
      keys = ShownRows.keysThatMayDiffer(old, new, changed: some.distinct)
    } else {
      keys = old.keys.union(new.keys)
    }
    return keys.compactMap { key in
      let change = Change(before: old.find(key)?.record, after: new.find(key)?.record)
      return change.isIdentity ? nil : (key, change)
    }
  }
}
