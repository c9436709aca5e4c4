/// Rows of a table as a server has them, to bring the store's rows to.
package struct ServerRows: Sendable {
  package enum Extent: Sendable {
    /// The rows of some keys. The server has no row for a key without one.
    case keys(Set<RecordKey>)
    /// All rows whose keys come after `after`, if there is one, up to `through`, if there is one. Rows
    /// that do not meet the filter may be missing.
    case range(after: RecordKey?, through: RecordKey?)
  }

  package let table: Table
  package let extent: Extent
  package let rows: [RecordKey: Record]
  /// The rows that the server has and the store cannot have.
  package let flaws: [RecordKey: RowFlaw]

  package init(
    _ table: Table, _ extent: Extent, _ rows: [RecordKey: Record],
    flaws: [RecordKey: RowFlaw] = [:]
  ) {
    self.table = table
    self.extent = extent
    self.rows = rows
    self.flaws = flaws
  }

  /// Whether a filter may have left rows out.
  var isRange: Bool { if case .range = extent { true } else { false } }
}

/// A row of the store that is not what a server's rows and the waiting edits make of it.
package struct ServerDifference: Sendable {
  package let table: Table
  package let key: RecordKey
  /// Nil if the store has no row.
  package let stored: Record?
  /// Nil if the store should have no row.
  package let expected: Record?

  /// The names of the attributes that differ; all of them if one of the rows is missing.
  package var attributes: [String] {
    let differing = stored.flatMap { stored in expected.map(stored.differences) }
    return (differing?.positions ?? Array(table.columns.indices)).map { table.columns[$0].name }
  }

  /// Returns both rows as entities, or nil if the difference is about another entity.
  package func sides<E: Entity>(of type: E.Type) -> (stored: E?, expected: E?)? {
    guard table.isTable(of: type) else { return nil }
    func entity(_ record: Record?) -> E? { record.map { table.decodeLeniently($0, as: type) } }
    return (entity(stored), entity(expected))
  }
}

/// The outcome of a server's rows in the store.
package struct AppliedRows: Sendable {
  /// The edits that wait and that conflict with the rows.
  package var conflicts: [Conflict] = []
  /// The marked rows of the store that have changed, and had no edits that wait.
  package var replaced: [ServerDifference] = []
  /// Whether the store withholds rows of the server.
  package var hasWithheld = false
}
