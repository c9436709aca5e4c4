package import Strata

/// Some rows of a table, in the order in which the server has sent them.
package struct ServerPage: Sendable {
  package var rows: [(key: RecordKey, record: Record)] = []
  /// The rows that the store cannot have.
  package var flaws: [RecordKey: RowFlaw] = [:]
  /// The keys of which the server has no row, if it was asked for keys.
  package var missing: [RecordKey] = []

  package init() {}

  /// The number of keys of which the page tells.
  package var count: Int { rows.count + flaws.count + missing.count }

  /// The greatest key in the order of the store.
  package var lastKey: RecordKey? {
    [rows.last?.key, flaws.keys.max()].compactMap(\.self).max()
  }

  /// Returns the last key of a page with a limit; nil at the end of the table.
  package func through(limit: Int) -> RecordKey? { count < limit ? nil : lastKey }

  /// Returns the rows of an extent.
  package func rows(of table: Table, _ extent: ServerRows.Extent) -> ServerRows {
    ServerRows(
      table, extent, Dictionary(rows.map { ($0.key, $0.record) }) { $1 }, flaws: flaws)
  }

  /// Returns the rows of the keys of which the page tells.
  package func rows(of table: Table) -> ServerRows {
    let keys = Set(rows.map(\.key)).union(flaws.keys).union(missing)
    return rows(of: table, .keys(keys))
  }
}
