package import Strata

/// The knowledge that a pull needs before it trusts the rows that it reads.
package struct PullStart: Sendable {
  package let head: ServerHead
  /// The rows that changed since the cursor.
  package let changed: [ChangedTable]
  /// The rows in which an edit has replaced the value of another host in a conflict since the cursor, each with
  /// the name of the host whose edit stays.
  package let replaced: [PushOrder.Row: String]

  package init(
    head: ServerHead, changed: [ChangedTable], replaced: [PushOrder.Row: String] = [:]
  ) {
    self.head = head
    self.changed = changed
    self.replaced = replaced
  }
}

/// The rows of a table that a pull reads.
package struct ChangedTable: Sendable {
  package enum Extent: Sendable {
    case keys(Set<RecordKey>)
    /// The rows of the keys in the server's log, which are too many for one answer.
    case logged
    /// All rows, because any row may have changed.
    case whole
  }

  package let table: Table
  package let extent: Extent

  package init(_ table: Table, _ extent: Extent) {
    self.table = table
    self.extent = extent
  }

  /// The keys; nil if they are not known.
  package var keys: Set<RecordKey>? { if case .keys(let keys) = extent { keys } else { nil } }

  package var isWhole: Bool { if case .whole = extent { true } else { false } }
}

/// The rows that a pull has read by their keys.
package struct PullEnd: Sendable {
  package let rows: [ServerRows]
  /// The end of the write-ahead log's part that was on the disk when the rows had been read.
  package let flushed: LogPosition

  package init(rows: [ServerRows], flushed: LogPosition) {
    self.rows = rows
    self.flushed = flushed
  }
}

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
