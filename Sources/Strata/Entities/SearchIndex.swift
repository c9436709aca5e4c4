/// An index of a table's words or places, which SQLite keeps in a virtual table.
struct SearchIndex: Sendable, Hashable {
  /// The SQLite module of the virtual table.
  enum Module: String, Sendable {
    case fts5
    case rtree

    /// The name of the kind of index, for messages.
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
  /// The statement that creates the index, empty.
  let create: String
  /// The statements that refill the index from the rows of the table.
  let fill: String

  var drop: String { "DROP TABLE \(name.quotedIdentifier)" }

  /// The tables in which the module keeps its data.
  var storage: [String] {
    switch module {
    case .fts5: ["data", "idx", "docsize", "config"].map { "\(name)_\($0)" }
    case .rtree: ["node", "rowid", "parent"].map { "\(name)_\($0)" }
    }
  }

  /// Returns a name that no other index has, and no table that a module makes for an index.
  ///
  /// The name ends with a quote. A module's table ends with an underscore and a word.
  private static func name(_ kind: String, _ table: String, _ columns: [String] = []) -> String {
    "strata_\(kind)." + ([table] + columns).map(\.quotedIdentifier).joined(separator: ".")
  }

  /// Returns the index of a table's words.
  ///
  /// The index reads texts from the table itself (external content), so that they are not stored
  /// twice. The row number connects the index with the table.
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

  /// Returns the index of a table's places.
  ///
  /// An R*Tree keeps 32-bit numbers, rounded outwards. It finds candidates, and the exact numbers
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
  /// The arguments of FTS5 that determine the matches.
  var arguments: [String] {
    columns.map(\.quotedIdentifier)
      + ["tokenize = \(tokenizer.quotedIdentifier)"]
      + (prefixes.isEmpty
        ? [] : ["prefix = \"\(prefixes.map(String.init).joined(separator: " "))\""])
  }
}

extension SchemaDescription.Table {
  /// The indexes of words and places that the table should have.
  ///
  /// The list is empty if the columns take all names of the row number. A model refuses such a
  /// table.
  var searchIndexes: [SearchIndex] {
    guard let rowIDName else { return [] }
    return (fullText.map { [.text($0, of: name, rowID: rowIDName)] } ?? [])
      + spatial.map { .places($0, of: name, rowID: rowIDName) }
  }
}
