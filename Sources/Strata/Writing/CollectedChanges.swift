/// The changes of all portions that one transaction writes.
struct CollectedChanges {
  private var parts: [TableID: [TableChanges]] = [:]
  private var counts: [TableID: Int] = [:]
  /// The only portion; empty before the first portion, nil from the second portion on.
  private var only: [TableID: TableChanges]? = [:]

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

  private mutating func collect(_ changes: [TableID: TableChanges]) {
    for (table, changes) in changes {
      counts[table, default: 0] += changes.count
      if counts[table, default: 0] > TableChanges.limit {
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
    only ?? parts.compactMapValues { Self.composed($0[...]) }.filter { !$0.value.isEmpty }
  }

  private static func composed(_ parts: ArraySlice<TableChanges>) -> TableChanges? {
    if parts.count <= 1 { return parts.first }
    let middle = parts.startIndex + parts.count / 2
    guard let first = composed(parts[..<middle]), let second = composed(parts[middle...]) else {
      return nil
    }
    return first.composed(with: second)
  }
}
