/// Rows of a table as a server has them, to bring the store's rows to.
package struct ServerRows: Sendable {
  package enum Extent: Sendable {
    /// The rows of some keys. The server has no row for a key without one.
    case keys(Set<RecordKey>)
    /// All rows whose keys come after `after`, if there is one, up to `through`, if there is one.
    case range(after: RecordKey?, through: RecordKey?)
  }

  package let table: Table
  package let extent: Extent
  package let rows: [RecordKey: Record]

  package init(_ table: Table, _ extent: Extent, _ rows: [RecordKey: Record]) {
    self.table = table
    self.extent = extent
    self.rows = rows
  }
}
