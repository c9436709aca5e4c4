/// The other tables that decide which rows a query has, and the ways back from these tables.
///
/// A change of a row in such a table concerns the query's rows that lead to it. These rows are
/// found backwards, over indexed columns, in the store either before the change or after it. Both
/// states serve. If a row leads to the changed row only in the other state, then the row itself has
/// changed, or another row on its way has.
struct QueryDependencies: Sendable {
  /// A step away from the query's rows.
  struct Hop: Sendable {
    enum Way: Sendable {
      /// The source refers to the row, in a column of the source.
      case reference(Int)
      /// The row refers to the source, in a column of the row.
      case inverse(Int)
    }

    /// The start of the hop.
    ///
    /// 0 is the query's table. Other numbers are those of hops, counted from 1.
    let source: Int
    let way: Way
    let table: Table
    /// The columns that decide whether the row counts.
    ///
    /// The row's key, and with it its existence, always decides.
    var reads = AttributeSet()
    /// The only cells of a column with which a row counts, if given.
    var only: (column: Int, cells: Set<Cell>)?
  }

  let table: Table
  /// The columns of the query's own table that decide about membership.
  private(set) var reads = AttributeSet()
  /// The hops, each after its source.
  private(set) var hops: [Hop] = []

  /// Creates the dependencies of a query, or returns nil if the query reads only its own rows.
  init?(of plan: QueryPlan) {
    if plan.isRowLocal { return nil }
    table = plan.table
    // A row beyond the horizon of a limited result may move before the horizon.
    if plan.reach != nil { reads = plan.order.attributes }
    if case .distance(let place, _)? = plan.ranking {
      reads.insert(place.latitude.column)
      reads.insert(place.longitude.column)
    }
    if let links = plan.links {
      // The position of a link is part of the result.
      hops.append(
        Hop(
          source: 0, way: .inverse(links.end.target), table: links.end.table,
          reads: .all(links.end.table.columns.count),
          only: (column: links.end.root, cells: links.roots)))
    }
    add(plan.joins, plan.related, plan.filter, plan.sortValues.values, at: 0)
  }

  /// Adds the tables and columns that a filter and the values of an order read beside the rows of a
  /// hop.
  private mutating func add(
    _ joins: [Join], _ related: [RelatedRows], _ filter: ResolvedFilter?,
    _ values: [ResolvedExpression] = [], at hop: Int
  ) {
    // The hops of the filter's tables.
    var positions = [hop]
    for join in joins {
      let source = positions[join.source]
      positions.append(add(Hop(source: source, way: .reference(join.column), table: join.table)))
      read(join.column, at: source)
    }
    filter?.forEachAttribute { read($0.column, at: positions[$0.join]) }
    for value in values { value.forEachAttribute { read($0.column, at: positions[$0.join]) } }
    for rows in related {
      let source = positions[rows.source]
      let position: Int
      switch rows.kind {
      case .toMany(let column):
        position = add(Hop(source: source, way: .inverse(column), table: rows.table))
        read(column, at: position)
      case .links(let end):
        let link = add(Hop(source: source, way: .inverse(end.root), table: end.table))
        read(end.root, at: link)
        read(end.target, at: link)
        position = add(Hop(source: link, way: .reference(end.target), table: rows.table))
      }
      add(rows.joins, rows.related, rows.filter, at: position)
    }
  }

  private mutating func add(_ hop: Hop) -> Int {
    hops.append(hop)
    return hops.count
  }

  private mutating func read(_ column: Int, at hop: Int) {
    if hop == 0 { reads.insert(column) } else { hops[hop - 1].reads.insert(column) }
  }

  // MARK: Changes

  /// Returns the keys that changes concern, or nil if a table was reset.
  ///
  /// The store is not yet asked for the ways back to the query's rows. `adopt` takes rows of the
  /// query's table whose membership cannot have changed.
  func affected(
    by changes: ChangeSet, adopt: (RowChange) -> Void
  ) -> AffectedRows? {
    var affected = AffectedRows(hopCount: hops.count)
    switch changes.tables[table.id] {
    case nil: break
    case .reset: return nil
    case .rows(let rows):
      for row in rows {
        if row.change.touches(reads) { affected.keys[0].insert(row.key) } else { adopt(row) }
      }
    }
    for (index, hop) in hops.enumerated() {
      switch changes.tables[hop.table.id] {
      case nil: break
      case .reset: return nil
      case .rows(let rows):
        for row in rows where row.change.touches(hop.reads) {
          switch hop.way {
          case .reference: affected.keys[index + 1].insert(row.key)
          case .inverse(let column):
            for record in [row.change.before, row.change.after].compactMap({ $0 }) {
              if let only = hop.only, !only.cells.contains(record[only.column]) { continue }
              if !record.isNull(column) { affected.keys[hop.source].insert(record.key(column)) }
            }
          }
        }
      }
    }
    return affected
  }
}

/// The keys that changes concern, for the query's own table and then for each hop.
struct AffectedRows: Sendable {
  var keys: [Set<RecordKey>]

  init(hopCount: Int) { keys = Array(repeating: [], count: hopCount + 1) }

  var isEmpty: Bool { keys.allSatisfy(\.isEmpty) }
  var count: Int { keys.reduce(0) { $0 + $1.count } }
}

extension Change {
  /// Returns whether the row was inserted, was deleted, or differs in one of the columns.
  fileprivate func touches(_ columns: AttributeSet) -> Bool {
    differences.map { !$0.isDisjoint(with: columns) } ?? true
  }
}

extension ResolvedFilter {
  /// Calls `body` with every column that the filter reads, in its table and in joined tables.
  fileprivate func forEachAttribute(_ body: (ResolvedAttribute) -> Void) {
    switch self {
    case .compare(let attribute, _, _): body(attribute)
    case .relate(let a, _, let b, _):
      a.forEachAttribute(body)
      b.forEachAttribute(body)
    case .isIn(let expression, _), .text(let expression, _, _): expression.forEachAttribute(body)
    // The columns of the related rows belong to another table.
    case .any: break
    case .and(let a, let b), .or(let a, let b):
      a.forEachAttribute(body)
      b.forEachAttribute(body)
    case .not(let filter): filter.forEachAttribute(body)
    case .fullText(let search): for attribute in search.attributes { body(attribute) }
    case .place(let place, _):
      body(place.latitude)
      body(place.longitude)
    case .bounded(let bound): for attribute in bound.attributes { body(attribute) }
    }
  }
}

extension ResolvedExpression {
  fileprivate func forEachAttribute(_ body: (ResolvedAttribute) -> Void) {
    switch self {
    case .attribute(let attribute): body(attribute)
    case .spelt(let spelt): body(spelt.attribute)
    case .literal, .count: break
    case .arithmetic(_, let a, let b), .coalesced(let a, let b):
      a.forEachAttribute(body)
      b.forEachAttribute(body)
    case .conditional(let condition, let a, let b):
      condition.forEachAttribute(body)
      a.forEachAttribute(body)
      b.forEachAttribute(body)
    case .folded(let text), .byteCount(let text): text.forEachAttribute(body)
    }
  }
}

extension QueryDependencies {
  /// Returns the keys of the query's own rows that lead to affected rows, or nil if there are more
  /// than `most`.
  ///
  /// - Parameter read: runs a statement and returns the first column of its rows.
  func roots(
    of affected: AffectedRows, most: Int,
    _ read: (SQLBuilder) throws(StoreError) -> [RecordKey]
  ) throws(StoreError) -> Set<RecordKey>? {
    var keys = affected.keys
    for index in hops.indices.reversed() {
      let hop = hops[index]
      for some in keys[index + 1].slices {
        let found: [RecordKey]
        switch hop.way {
        case .reference(let column):
          let source = hop.source == 0 ? table : hops[hop.source - 1].table
          found = try read(Self.select(Table.keyColumn, of: source, where: [(column, some)]))
        case .inverse(let column):
          let only = hop.only.map { [($0.column, $0.cells)] } ?? []
          found = try read(
            Self.select(column, of: hop.table, where: [(Table.keyColumn, some)] + only))
        }
        keys[hop.source].formUnion(found)
        if keys[hop.source].count > most { return nil }
      }
    }
    return keys[0]
  }

  private static func select(
    _ column: Int, of table: Table, where conditions: [(column: Int, cells: Set<Cell>)]
  ) -> SQLBuilder {
    func name(_ column: Int) -> String { table.columns[column].name.quotedIdentifier }
    var sql = SQLBuilder()
    sql.append("SELECT \(name(column)) FROM \(table.name.quotedIdentifier)")
    for (index, condition) in conditions.enumerated() {
      sql.append(index == 0 ? " WHERE " : " AND ")
      sql.append(name(condition.column), among: condition.cells)
    }
    return sql
  }
}

extension Set<RecordKey> {
  /// The cells of the keys in parts, so that a reader that has found enough can stop.
  fileprivate var slices: [Set<Cell>] {
    let cells = map(\.cell)
    return stride(from: 0, to: cells.count, by: 16_384).map {
      Set<Cell>(cells[$0..<Swift.min($0 + 16_384, cells.count)])
    }
  }
}
