internal import StrataSQLite

/// A unique column by which an import finds a row that was made here, for a server that gives keys.
package struct RowMatch: Sendable {
  let table: Table
  let column: Int

  package init(table: Table, column: Int) { (self.table, self.column) = (table, column) }

  /// Gives rows the keys of the records that have their unique values.
  ///
  /// - Parameter ledger: the ledger of rows that the feed may lack. Rows that refer to the rows stay noted.
  static func follow(
    _ matches: [RowMatch], _ layer: Layer, notedIn ledger: ImportLedger?,
    in transaction: inout Transaction
  ) throws(StoreError) {
    for match in matches {
      guard let changes = layer.tables[match.table.id] else { continue }
      var hidden: [RecordKey: RecordKey]?
      for (key, change) in changes {
        guard change.attributes(of: match.table).contains(match.column),
          let record = change.applied(to: nil), !record.isNull(match.column)
        else { continue }
        var old = try transaction.connection.owner(of: [match.column], in: record, match.table)
        if old == nil {
          if hidden == nil { hidden = try match.hiddenRows(in: transaction) }
          old = hidden?[record.key(match.column)]
        }
        guard let old, old != key else { continue }
        let changes = try transaction.changeKey(of: match.table, from: old, to: key)
        if let changes { try ledger?.followNow(changes) }
      }
    }
  }

  /// Returns the keys of the rows whose deletions wait, or that were set aside, by their values of the
  /// column.
  private func hiddenRows(in transaction: Transaction) throws(StoreError) -> [RecordKey: RecordKey]
  {
    let connection = transaction.connection
    guard try OutboxTable.hasEntries(of: table, connection) else { return [:] }
    let rows = transaction.store.coding(of: table)
    var keys: [RecordKey: RecordKey] = [:]
    try OutboxTable.forEach(transaction.model, connection) { other, key, entry in
      guard other === table, let bytes = entry.isDeleted ? entry.original : entry.aside,
        let row = rows.decode(bytes), !row.isNull(column)
      else { return }
      keys[row.key(column)] = key
    }
    return keys
  }
}

extension Table {
  /// Returns whether no two rows have one value of a column.
  package func isUnique(_ column: Int) -> Bool { uniques.contains([column]) }
}
