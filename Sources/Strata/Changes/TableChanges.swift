/// The changes of one table.
enum TableChanges: Sendable {
  /// The changes sorted by key, each key once.
  ///
  /// A change is an identity only if several commits cancel each other.
  case rows(ContiguousArray<RowChange>)
  /// The changed rows are too many to list, or unknown: read the table again.
  case reset

  /// The number of rows past which a table's changes collapse into ``reset``.
  static let limit = StoreBounds().listedRows

  var count: Int { if case .rows(let rows) = self { rows.count } else { 0 } }
  var isEmpty: Bool { if case .rows(let rows) = self { rows.isEmpty } else { false } }

  /// The change of one key; nil if the key did not change or the table was reset.
  subscript(key: RecordKey) -> Change? { row(key)?.change }

  /// Returns the change of one key's row; nil if the row did not change or the table was reset.
  func row(_ key: RecordKey) -> RowChange? {
    guard case .rows(let rows) = self else { return nil }
    let index = rows.indices.partitioningIndex { rows[$0].key < key }
    return index < rows.count && rows[index].key == key ? rows[index] : nil
  }

  func composed(with next: TableChanges) -> TableChanges {
    guard case .rows(let first) = self, case .rows(let second) = next else { return .reset }
    var merged = ContiguousArray<RowChange>()
    merged.reserveCapacity(first.count + second.count)
    let compare = { (i: Int, j: Int) -> Int in
      first[i].key < second[j].key ? -1 : second[j].key < first[i].key ? 1 : 0
    }
    joinAscending(first.count, second.count, by: compare) { i, j in
      switch (i, j) {
      case (let i?, let j?): merged.append(first[i].composed(with: second[j]))
      case (let i?, nil): merged.append(first[i])
      case (nil, let j?): merged.append(second[j])
      case (nil, nil): break
      }
    }
    return merged.count > Self.limit ? .reset : .rows(merged)
  }
}

extension Model {
  /// Changes that reset every table, for a commit whose changes are unknown.
  var resetOfEveryTable: [TableID: TableChanges] {
    Dictionary(uniqueKeysWithValues: tables.map { ($0.id, .reset) })
  }
}
