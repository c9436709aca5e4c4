internal import StrataSQLite

/// Finds the live queries that the changes of a commit, or the edits of the view context, can concern.
///
/// A query whose filter demands a value of an attribute is found through that value, in the rows
/// before and after the change. A query of a relationship is also found through the key of its root.
/// Any other query is found through its table, or always if it reads other tables.
struct QueryIndex<ID: Hashable & Sendable>: Sendable {
  private struct OfTable: Sendable {
    /// The queries by the value that an attribute has in each of their rows.
    var byValue: [Int: [Cell: Set<ID>]] = [:]
    /// The number of queries in `byValue`.
    var indexed = 0
    /// The queries that any row may enter.
    var others: Set<ID> = []
    /// The queries of this table that read other tables.
    var dependent: Set<ID> = []
    /// The queries by the key of their root in this table.
    var byRoot: [RecordKey: Set<ID>] = [:]
  }

  private var tables: [TableID: OfTable] = [:]
  /// The queries that read other tables.
  private var dependent: Set<ID> = []

  /// The number of queries that any row may concern.
  var alwaysConcerned: Int { tables.values.reduce(dependent.count) { $0 + $1.others.count } }

  mutating func add(_ id: ID, _ plan: LivePlan) { change(plan, by: 1) { $0.insert(id) } }

  mutating func remove(_ id: ID, _ plan: LivePlan) { change(plan, by: -1) { $0.remove(id) } }

  private mutating func change(
    _ plan: LivePlan, by count: Int, _ body: (inout Set<ID>) -> Void
  ) {
    if let root = plan.root {
      Self.change(&tables[root.table.id, default: OfTable()].byRoot[root.key], body)
    }
    for level in plan.related?.levels ?? [] {
      body(&tables[level.table.id, default: OfTable()].others)
    }
    let table = plan.table.id
    if plan.dependencies != nil {
      body(&dependent)
      return body(&tables[table, default: OfTable()].dependent)
    }
    guard let value = plan.query.filter?.demandedValue(in: plan.table) else {
      return body(&tables[table, default: OfTable()].others)
    }
    tables[table, default: OfTable()].indexed += count
    Self.change(
      &tables[table, default: OfTable()].byValue[value.column, default: [:]][value.cell], body)
  }

  /// Changes a set that is nil while it is empty.
  private static func change(
    _ queries: inout Set<ID>?, _ body: (inout Set<ID>) -> Void
  ) {
    var new = queries ?? []
    // Not a second reference to the set.
    queries = nil
    body(&new)
    if !new.isEmpty { queries = new }
  }

  /// Returns the queries that changes can concern.
  ///
  /// - Complexity: O(*r* + *q*) for *r* changed rows and *q* returned queries. Many rows return all
  ///   queries of their table.
  func queries(concernedBy changes: ChangeSet) -> Set<ID> {
    var found = dependent
    for (table, changes) in changes.tables {
      guard let index = tables[table] else { continue }
      found.formUnion(index.others)
      if case .rows(let rows) = changes, rows.count <= max(index.indexed + index.byRoot.count, 16) {
        for row in rows {
          if let queries = index.byRoot[row.key] { found.formUnion(queries) }
          for (column, queries) in index.byValue {
            for record in [row.change.before, row.change.after] {
              if let record, let some = queries[record[column]] { found.formUnion(some) }
            }
          }
        }
      } else {
        for queries in index.byRoot.values { found.formUnion(queries) }
        for values in index.byValue.values {
          for queries in values.values { found.formUnion(queries) }
        }
      }
    }
    return found
  }

  // MARK: Edits

  /// Returns the queries of a table that any edit of the table can concern.
  func queries(concernedByAnyOf table: TableID) -> Set<ID> {
    guard let index = tables[table] else { return [] }
    return index.others.union(index.dependent)
  }

  /// Returns the queries that the edit of a key can concern, besides those that any edit can.
  ///
  /// - Parameter rows: the rows of the key that were shown before, and that are shown after it.
  func queries(concernedBy key: RecordKey, in table: TableID, _ rows: Record?...) -> Set<ID> {
    guard let index = tables[table] else { return [] }
    var found = index.byRoot[key] ?? []
    for (column, queries) in index.byValue {
      for case let row? in rows {
        if let some = queries[row[column]] { found.formUnion(some) }
      }
    }
    return found
  }
}

extension ResolvedFilter {
  /// Returns a value that a column has in every row that meets the filter; nil if the form of the
  /// filter does not tell one.
  ///
  /// Numbers with a fraction have none: an integer is equal to such a number without being the same
  /// cell.
  func demandedValue(in table: Table) -> (column: Int, cell: Cell)? {
    switch self {
    case .and(let a, let b): a.demandedValue(in: table) ?? b.demandedValue(in: table)
    case .compare(let attribute, .equal, let literal):
      attribute.join == 0 && !literal.isNull
        && table.columns[attribute.column].storage.isSame(as: literal.record[0])
        ? (attribute.column, literal.record[0]) : nil
    default: nil
    }
  }
}

extension StorageType {
  /// Whether equal values of a column are always the same cell, and a cell is one of them.
  fileprivate func isSame(as cell: Cell) -> Bool {
    switch (self, cell) {
    case (.integer, .integer), (.text, .text), (.blob, .blob): true
    default: false
    }
  }
}
