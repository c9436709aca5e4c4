internal import StrataSQLite

/// A column whose values may be spelt in several ways, and which a filter compares by its values.
///
/// A row whose text is the wanted text is found without decoding. Every other text is decoded.
struct SpeltAttribute: Sendable {
  let attribute: ResolvedAttribute
  let spelling: ValueSpelling
  private let table: Table

  init?(_ attribute: ResolvedAttribute, of table: Table) {
    let column = table.columns[attribute.column]
    guard let spelling = column.spelling, !column.isComparedByText else { return nil }
    self.attribute = attribute
    self.spelling = spelling
    self.table = table
  }

  var text: String { table.spelt(attribute.column, attribute.name) }
}

extension Table {
  /// Returns the SQL for a column's value in the spelling that Strata writes.
  ///
  /// - Parameter name: the column in SQL.
  func spelt(_ column: Int, _ name: String) -> String {
    // The number is that of the column among all columns of the model.
    "strata_spelt(\(Int64(id.index) << 16 | Int64(column)), \(name))"
  }
}

extension Model {
  /// Registers the SQL function that ``Table/spelt(_:_:)`` calls.
  func registerSpellings(on connection: Connection) throws(StoreError) {
    guard tables.contains(where: { $0.columns.contains { $0.spelling != nil } }) else { return }
    try translatingErrors { [tables] () throws(SQLiteError) in
      try connection.registerSpelling { number, text in
        let (table, column) = (Int(number >> 16), Int(number & 0xFFFF))
        return tables[table].columns[column].spelling?.canonical(text)
      }
    }
  }
}
