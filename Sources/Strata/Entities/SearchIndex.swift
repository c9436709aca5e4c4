/// An index that SQLite keeps in a virtual table: of the words of a table, or of its places.
struct SearchIndex: Sendable, Hashable {
  /// SQLite's module that the virtual table is of.
  enum Module: String, Sendable {
    case fts5
    case rtree

    /// What people call it.
    var noun: String {
      switch self {
      case .fts5: "full-text index"
      case .rtree: "spatial index"
      }
    }
  }

  let module: Module
  /// The virtual table's name.
  let name: String
  /// The columns that are indexed.
  let columns: [String]
  /// The statement that creates it, empty.
  let create: String
  /// The statements that fill it anew from the rows of the table.
  let fill: String

  var drop: String { "DROP TABLE \(name.quotedIdentifier)" }

  /// The tables that the module keeps its data in.
  var storage: [String] {
    switch module {
    case .fts5: ["data", "idx", "docsize", "config"].map { "\(name)_\($0)" }
    case .rtree: ["node", "rowid", "parent"].map { "\(name)_\($0)" }
    }
  }

  /// A name that no other index has, nor a table that a module makes for one: what comes before the
  /// underscore of such a table ends with a quote.
  private static func name(_ kind: String, _ table: String, _ columns: [String] = []) -> String {
    "strata_\(kind)." + ([table] + columns).map(\.quotedIdentifier).joined(separator: ".")
  }

  /// The index of a table's words.
  ///
  /// It reads texts from the table itself (external content), so that they are not kept twice; the
  /// row number ties both together.
  static func text(
    _ text: SchemaDescription.FullText, of table: String, rowID: String
  ) -> SearchIndex {
    let name = name("text", table)
    let quoted = name.quotedIdentifier
    let arguments =
      text.arguments + [
        "content = \(table.quotedIdentifier)", "content_rowid = \(rowID)",
      ]
    return SearchIndex(
      module: .fts5, name: name, columns: text.columns,
      create: "CREATE VIRTUAL TABLE \(quoted) USING fts5(\(arguments.joined(separator: ", ")))",
      fill: "INSERT INTO \(quoted) (\(quoted)) VALUES ('rebuild')")
  }

  /// The index of a table's places.
  ///
  /// An R*Tree keeps 32-bit numbers, rounded outwards: it finds candidates, and the exact numbers
  /// of the row decide.
  static func places(
    _ places: SchemaDescription.Spatial, of table: String, rowID: String
  ) -> SearchIndex {
    let columns = [places.latitude, places.longitude]
    let name = name("place", table, columns)
    let (quoted, latitude, longitude) = (
      name.quotedIdentifier, columns[0].quotedIdentifier, columns[1].quotedIdentifier
    )
    return SearchIndex(
      module: .rtree, name: name, columns: columns,
      create: "CREATE VIRTUAL TABLE \(quoted) USING rtree(id, south, north, west, east)",
      fill: "DELETE FROM \(quoted); INSERT INTO \(quoted) (id, south, north, west, east) "
        + "SELECT \(rowID), \(latitude), \(latitude), \(longitude), \(longitude) "
        + "FROM \(table.quotedIdentifier) "
        + "WHERE \(latitude) BETWEEN -90 AND 90 AND \(longitude) BETWEEN -180 AND 180")
  }
}

extension SchemaDescription.FullText {
  /// The arguments of FTS5 that decide what matches.
  var arguments: [String] {
    columns.map(\.quotedIdentifier)
      + ["tokenize = \(tokenizer.quotedIdentifier)"]
      + (prefixes.isEmpty
        ? [] : ["prefix = \"\(prefixes.map(String.init).joined(separator: " "))\""])
  }
}

extension SchemaDescription.Table {
  /// The indexes of words and places that the table should have; none if no name for the row number
  /// is left, which a model refuses.
  var searchIndexes: [SearchIndex] {
    guard let rowIDName else { return [] }
    return (fullText.map { [.text($0, of: name, rowID: rowIDName)] } ?? [])
      + spatial.map { .places($0, of: name, rowID: rowIDName) }
  }
}
