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
