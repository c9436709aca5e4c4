internal import StrataSQLite

/// A unique column by which an import finds a row that was made here, for a server that gives keys.
package struct RowMatch: Sendable {
  let table: Table
  let column: Int

  package init(table: Table, column: Int) { (self.table, self.column) = (table, column) }

  /// Gives rows the keys of the records that have their unique values.
  static func follow(
    _ matches: [RowMatch], _ layer: Layer, in transaction: inout Transaction
  ) throws(StoreError) {
    for match in matches {
      guard let changes = layer.tables[match.table.id] else { continue }
      for (key, change) in changes {
        guard change.attributes(of: match.table).contains(match.column),
          let record = change.applied(to: nil), !record.isNull(match.column),
          let owner = try transaction.connection.owner(of: [match.column], in: record, match.table),
          owner != key
        else { continue }
        _ = try transaction.changeKey(of: match.table, from: owner, to: key)
      }
    }
  }
}

extension Table {
  /// Returns whether no two rows have one value of a column.
  package func isUnique(_ column: Int) -> Bool { uniques.contains([column]) }
}
