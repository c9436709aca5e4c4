/// An index that finds the rows of a query by equality and has their order.
struct OrderIndex {
  /// The columns that the filter compares with one value each, in any order.
  private let equal: [Int]
  /// The columns of the order after them.
  private let sorted: [Int]
  private let table: Table

  /// Creates the index for the order of a query; nil if no index can have that order.
  init?(for plan: QueryPlan) {
    guard plan.ranking == nil, plan.links == nil else { return nil }
    table = plan.table
    equal = AttributeSet(plan.filter?.columnsWithOneValue ?? []).positions
    var sorted: [Int] = []
    var isDescending: Bool?
    for column in plan.order.columns {
      // All rows have the same value, so the column does not sort them.
      if equal.contains(column.position) { continue }
      // An index has the bytes of texts and no computed values, and is read in one direction.
      guard column.position < table.columns.count, column.collation == nil,
        isDescending ?? column.isDescending == column.isDescending
      else { break }
      isDescending = column.isDescending
      sorted.append(column.position)
    }
    if sorted.isEmpty { return nil }
    self.sorted = sorted
  }

  /// Whether the key's own index serves.
  private var isByKeyAlone: Bool { equal.isEmpty && sorted == [Table.keyColumn] }

  /// The attributes to list in the schema's index; empty if the table has such an index.
  var missing: [Int] {
    if isByKeyAlone || table.indexes.contains(where: serves) { return [] }
    var columns = equal + sorted
    // Every index of several attributes ends with the key.
    if columns.last == Table.keyColumn, columns.count > 2 || endsWithKey { columns.removeLast() }
    return columns
  }

  /// Whether SQLite ends every index with the key.
  private var endsWithKey: Bool { table.columns[Table.keyColumn].storage == .integer }

  private func serves(_ index: TableIndex) -> Bool {
    let positions = index.columns.compactMap { name in
      table.columns.firstIndex { $0.name == name }
    }
    let columns = endsWithKey ? positions + [Table.keyColumn] : positions
    return columns.count >= equal.count + sorted.count
      && Set(columns.prefix(equal.count)) == Set(equal)
      && columns.dropFirst(equal.count).starts(with: sorted)
  }
}

extension ResolvedFilter {
  /// The table's own columns that have one value in all rows of the result.
  fileprivate var columnsWithOneValue: [Int] {
    switch self {
    case .and(let a, let b): a.columnsWithOneValue + b.columnsWithOneValue
    case .compare(let attribute, .equal, _) where attribute.join == 0: [attribute.column]
    case .isIn(.attribute(let attribute), let values)
    where attribute.join == 0 && values.count == 1:
      [attribute.column]
    case .compare, .relate, .isIn, .text, .any, .or, .not, .fullText, .place, .bounded: []
    }
  }
}
