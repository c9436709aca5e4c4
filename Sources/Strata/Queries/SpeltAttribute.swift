internal import StrataSQLite

/// A column whose values may be spelt in several ways, and which is compared by its values.
///
/// A row whose text is the wanted text is found without decoding. Every other text is decoded.
struct SpeltAttribute: Sendable {
  let attribute: ResolvedAttribute
  let spelling: ValueSpelling
  /// The column among all columns of the model.
  let number: Int64

  init?(_ attribute: ResolvedAttribute, of table: Table) {
    guard let spelling = table.columns[attribute.column].spelling else { return nil }
    self.attribute = attribute
    self.spelling = spelling
    number = Int64(table.id.index) << 16 | Int64(attribute.column)
  }

  var text: String { "strata_spelt(\(number), \(attribute.name))" }
}

extension Model {
  /// Registers the SQL function that ``SpeltAttribute/text`` calls.
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
