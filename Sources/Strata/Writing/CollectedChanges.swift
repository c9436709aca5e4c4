/// The changes of all portions that one transaction writes.
struct CollectedChanges {
  /// The number of rows of a table past which its changes become a reset.
  private let limit: Int
  private var parts: [TableID: [TableChanges]] = [:]
  private var counts: [TableID: Int] = [:]
  /// The only portion; empty before the first portion, nil from the second portion on.
  private var only: [TableID: TableChanges]? = [:]

  init(listing limit: Int) { self.limit = limit }

  mutating func add(_ changes: [TableID: TableChanges]) {
    if changes.isEmpty { return }
    guard let only else { return collect(changes) }
    if only.isEmpty {
      self.only = changes
    } else {
      self.only = nil
      collect(only)
      collect(changes)
    }
  }

  /// Makes the changes of a table a reset, so that no row of it is kept in memory.
  mutating func collapse(_ table: TableID) {
    if let only {
      self.only = nil
      collect(only)
    }
    counts[table] = limit + 1
    parts[table] = [.reset]
  }

  private mutating func collect(_ changes: [TableID: TableChanges]) {
    for (table, changes) in changes {
      counts[table, default: 0] += changes.count
      if counts[table, default: 0] > limit {
        parts[table] = [.reset]
      } else {
        parts[table, default: []].append(changes)
      }
    }
  }

  /// The composed changes of all portions, one change for every key.
  ///
  /// - Complexity: O(*n* log *k*) for *n* rows in *k* portions.
  var composed: [TableID: TableChanges] {
    if let only { return only }
    return parts.compactMapValues { parts in parts.joinedByHalves { $0.composed(with: $1) } }
      .filter { !$0.value.isEmpty }
  }
}
