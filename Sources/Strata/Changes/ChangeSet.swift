/// What one or more commits changed, as one before/after pair for every record touched.
///
/// Rows that delete rules touched are included; rows that were written with the values they had
/// are not. Immutable and shared: publishing one to a thousand subscribers copies nothing.
public struct ChangeSet: Sendable {
  /// The number of the newest commit included; it grows by one with every commit of the store.
  public let commit: Int64
  let model: Model
  private(set) var tables: [TableID: TableChanges]

  init(commit: Int64, model: Model, tables: [TableID: TableChanges]) {
    self.commit = commit
    self.model = model
    self.tables = tables
  }

  /// Whether nothing changed.
  public var isEmpty: Bool { tables.isEmpty }

  /// The number of records changed, tables that collapsed into a reset not counted.
  public var count: Int { tables.values.reduce(0) { $0 + $1.count } }

  /// The changes of one entity; empty if there are none.
  ///
  /// - Complexity: O(*n*) of the entity's changed records, when its elements are read.
  public func changes<E: Entity>(of _: E.Type) -> Changes<E> {
    let table = model.table(of: E.self)
    return Changes(commit: commit, table: table, changes: tables[table.id])
  }

  func touches(_ table: TableID) -> Bool { tables[table] != nil }

  /// The changes of one table alone; nil if it did not change.
  func only(_ table: TableID) -> ChangeSet? {
    tables[table].map { ChangeSet(commit: commit, model: model, tables: [table: $0]) }
  }

  /// These changes followed by `next`, as one set.
  ///
  /// - Complexity: O(*n* + *m*) of the records changed in tables that both touch.
  func composed(with next: ChangeSet) -> ChangeSet {
    var result = ChangeSet(commit: next.commit, model: model, tables: tables)
    for (table, changes) in next.tables {
      result.tables[table] = tables[table].map { $0.composed(with: changes) } ?? changes
      if result.tables[table]?.isEmpty == true { result.tables[table] = nil }
    }
    return result
  }

  /// Composes change sets in order, in O(*n* log *k*) of all records and sets.
  static func composed(_ sets: some RandomAccessCollection<ChangeSet>) -> ChangeSet? {
    if sets.count <= 1 { return sets.first }
    let middle = sets.index(sets.startIndex, offsetBy: sets.count / 2)
    guard let first = composed(sets[..<middle]), let second = composed(sets[middle...]) else {
      return nil
    }
    return first.composed(with: second)
  }
}

/// The changes of one table.
enum TableChanges: Sendable {
  /// One change a key, sorted by key; an identity only where several commits cancel each other.
  case rows(ContiguousArray<RowChange>)
  /// More changed than is worth listing, or nobody knows what: read the table again.
  case reset

  /// Past this many rows a table's changes collapse into ``reset``.
  static let limit = 200_000

  var count: Int { if case .rows(let rows) = self { rows.count } else { 0 } }
  var isEmpty: Bool { if case .rows(let rows) = self { rows.isEmpty } else { false } }

  /// The change of one key; nil if there is none or the table was reset.
  subscript(key: RecordKey) -> Change? { row(key)?.change }

  /// What happened to the row of one key; nil if nothing did or the table was reset.
  func row(_ key: RecordKey) -> RowChange? {
    guard case .rows(let rows) = self else { return nil }
    var low = 0
    var high = rows.count
    while low < high {
      let middle = (low + high) / 2
      if rows[middle].key < key { low = middle + 1 } else { high = middle }
    }
    return low < rows.count && rows[low].key == key ? rows[low] : nil
  }

  func composed(with next: TableChanges) -> TableChanges {
    guard case .rows(let first) = self, case .rows(let second) = next else { return .reset }
    var merged = ContiguousArray<RowChange>()
    merged.reserveCapacity(first.count + second.count)
    var i = 0
    var j = 0
    while i < first.count || j < second.count {
      if j == second.count || (i < first.count && first[i].key < second[j].key) {
        merged.append(first[i])
        i += 1
      } else if i == first.count || second[j].key < first[i].key {
        merged.append(second[j])
        j += 1
      } else {
        merged.append(first[i].composed(with: second[j]))
        i += 1
        j += 1
      }
    }
    return merged.count > Self.limit ? .reset : .rows(merged)
  }
}

extension Model {
  /// Changes of every table of which nothing is known.
  var resetOfEveryTable: [TableID: TableChanges] {
    Dictionary(uniqueKeysWithValues: tables.map { ($0.id, .reset) })
  }
}
