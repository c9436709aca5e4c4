// What the annotation registry consumes: changes by key, in the turn in which they happen.

/// One key whose shown record changed in a live query.
package struct KeyedChange<E: Entity> {
  package let key: RecordKey
  private let change: Change
  private let table: Table

  fileprivate init(_ key: RecordKey, before: Record?, after: Record?, _ table: Table) {
    self.key = key
    self.table = table
    change = Change(before: before, after: after)
  }

  /// The entity after; nil if the query does not show it any more.
  package var after: E? { change.after.map { table.decodeLeniently($0, as: E.self) } }

  /// Whether one of `attributes` changed; true for what appeared or disappeared.
  package func changes(_ attributes: AttributeSet) -> Bool {
    guard let before = change.before, let after = change.after else { return true }
    return !after.sharedDifferences(from: before).isDisjoint(with: attributes)
  }
}

/// What a live query shows at one moment, to be read by key, by anybody.
package struct KeyedRows<E: Entity>: Sendable {
  fileprivate let shown: ShownRows
  fileprivate let table: Table

  package var isEmpty: Bool { shown.range.isEmpty }

  package func contains(_ key: RecordKey) -> Bool { record(of: key) != nil }

  /// - Complexity: O(log *n*).
  package func element(of key: RecordKey) -> E? {
    record(of: key).map { table.decodeLeniently($0, as: E.self) }
  }

  fileprivate func record(of key: RecordKey) -> Record? { shown.record(of: key) }
}

/// What became of the rows of a live query between two moments.
///
/// Taking one costs a reference; which keys differ is found by whoever asks, on any thread.
package struct KeyedDifference<E: Entity>: Sendable {
  private let old: KeyedRows<E>
  private let new: KeyedRows<E>
  private let changed: ChangedKeys

  fileprivate init(from old: KeyedRows<E>, to new: KeyedRows<E>, _ changed: ChangedKeys) {
    self.old = old
    self.new = new
    self.changed = changed
  }

  /// No more keys than so many differ.
  package var limit: Int {
    switch changed {
    case .some(let keys): old.shown.isWhole && new.shown.isWhole ? keys.count : 3 * keys.count
    case .every, .all: old.shown.range.count + new.shown.range.count
    }
  }

  /// Calls `body` with every key whose record differs, once.
  ///
  /// - Complexity: O(*k* log *n*) for *k* keys that may differ; O(*n*) if all may.
  package func forEach(_ body: (KeyedChange<E>) -> Void) {
    if case .some(let keys) = changed {
      let keys = ShownRows.keysThatMayDiffer(old.shown, new.shown, changed: keys.distinct)
      for key in keys { tell(key, old.record(of: key), new.record(of: key), body) }
    } else if old.shown.isWhole && new.shown.isWhole {
      forEachInKeyOrder(body)
    } else {
      for key in old.shown.keys.union(new.shown.keys) {
        tell(key, old.record(of: key), new.record(of: key), body)
      }
    }
  }

  private func forEachInKeyOrder(_ body: (KeyedChange<E>) -> Void) {
    var (left, right) = (old.shown.tree.inKeyOrder, new.shown.tree.inKeyOrder)
    var (before, after) = (left.next(), right.next())
    while true {
      switch (before, after) {
      case (nil, nil):
        return
      case (let gone?, nil):
        tell(gone.key(Table.keyColumn), gone, nil, body)
        before = left.next()
      case (nil, let come?):
        tell(come.key(Table.keyColumn), nil, come, body)
        after = right.next()
      case (let gone?, let come?):
        let (old, new) = (gone.key(Table.keyColumn), come.key(Table.keyColumn))
        if old <= new {
          tell(old, gone, old == new ? come : nil, body)
          before = left.next()
        }
        if new < old { tell(new, nil, come, body) }
        if new <= old { after = right.next() }
      }
    }
  }

  private func tell(
    _ key: RecordKey, _ before: Record?, _ after: Record?, _ body: (KeyedChange<E>) -> Void
  ) {
    if before != after { body(KeyedChange(key, before: before, after: after, new.table)) }
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

  /// What the query shows now.
  package var rows: KeyedRows<E> { KeyedRows(shown: result.shown, table: result.plan.table) }

  /// What appeared if nothing was shown before.
  package var appearance: KeyedDifference<E> { KeyedDifference(from: nothing, to: rows, .all) }

  /// What disappears if nothing is shown any more.
  package var disappearance: KeyedDifference<E> { KeyedDifference(from: rows, to: nothing, .all) }

  private var nothing: KeyedRows<E> {
    let none = ResultTree([], order: result.plan.order)
    return KeyedRows(shown: ShownRows(none, result.plan), table: result.plan.table)
  }

  /// Calls `body` in every turn in which something shown changes, or a load ends.
  package func observeKeys(
    _ body: @escaping @MainActor (KeyedDifference<E>) -> Void
  ) -> LiveObservation {
    let table = result.plan.table
    let id = result.observe { change in
      body(
        KeyedDifference(
          from: KeyedRows(shown: change.old, table: table),
          to: KeyedRows(shown: change.new, table: table), change.changed))
    }
    return LiveObservation(result, id)
  }

  /// The attributes at some key paths; all of them if a path is no attribute, since whatever is
  /// computed may depend on any.
  package func attributes(_ paths: [any PartialKeyPath<E> & Sendable]) -> AttributeSet {
    let table = result.plan.table
    return table.attributes(paths) ?? .all(table.columns.count)
  }
}
