/// The change of a key's shown record in a live query.
package struct KeyedChange<E: Entity> {
  package let key: RecordKey
  private let change: Change
  private let table: Table

  fileprivate init(_ key: RecordKey, before: Record?, after: Record?, _ table: Table) {
    self.key = key
    self.table = table
    change = Change(before: before, after: after)
  }

  /// The entity after the change; nil if the query no longer shows it.
  package var after: E? { change.after.map { table.decodeLeniently($0, as: E.self) } }

  /// Returns whether the change changes an attribute of `attributes`; true if the record appeared
  /// or disappeared.
  package func changes(_ attributes: AttributeSet) -> Bool {
    guard let before = change.before, let after = change.after else { return true }
    return !after.sharedDifferences(from: before).isDisjoint(with: attributes)
  }
}

/// The rows that a live query shows at one moment, for reading by key on any thread.
package struct KeyedRows<E: Entity>: Sendable {
  let shown: ShownRows
  let table: Table

  package var isEmpty: Bool { shown.range.isEmpty }

  package func contains(_ key: RecordKey) -> Bool { shown.record(of: key) != nil }

  /// - Complexity: O(log *n*).
  package func element(of key: RecordKey) -> E? {
    shown.record(of: key).map { table.decodeLeniently($0, as: E.self) }
  }
}

/// The difference between the rows of a live query at two moments.
///
/// Creating a difference costs a reference. The reader finds the keys that differ, on any thread.
package struct KeyedDifference<E: Entity>: Sendable {
  private let change: LiveChange
  private let table: Table

  init(_ change: LiveChange, _ table: Table) {
    self.change = change
    self.table = table
  }

  private var old: ShownRows { change.old }
  private var new: ShownRows { change.new }

  /// An upper bound for the number of keys that differ.
  package var limit: Int {
    switch change.changed {
    case .some(let keys): old.isWhole && new.isWhole ? keys.count : 3 * keys.count
    case .every, .all: old.range.count + new.range.count
    }
  }

  /// Calls `body` with every key whose record differs, once, in the order of the keys.
  ///
  /// - Complexity: O(*k* log *n*) for *k* keys that may differ; O(*n* log *n*) if all keys may
  ///   differ.
  package func forEach(_ body: (KeyedChange<E>) -> Void) {
    if case .some(let keys) = change.changed {
      let keys = ShownRows.keysThatMayDiffer(old, new, changed: keys.distinct)
      for key in keys.sorted() { report(key, old.record(of: key), new.record(of: key), body) }
    } else if old.isWhole && new.isWhole {
      for (key, before, after) in RowDifferences(from: old.tree, to: new.tree) {
        body(KeyedChange(key, before: before, after: after, table))
      }
    } else {
      for key in old.keys.union(new.keys).sorted() {
        report(key, old.record(of: key), new.record(of: key), body)
      }
    }
  }

  private func report(
    _ key: RecordKey, _ before: Record?, _ after: Record?, _ body: (KeyedChange<E>) -> Void
  ) {
    if before != after { body(KeyedChange(key, before: before, after: after, table)) }
  }
}
