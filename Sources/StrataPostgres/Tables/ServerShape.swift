internal import Foundation

/// A table of the server as one statement finds it.
///
/// The server looks a table's name up in each statement, and the log knows the table by its number. So
/// a replica compares the shapes of its beginning with those of a later snapshot.
struct ServerShape: Sendable, Equatable {
  /// The number of the table in the server's log.
  let number: Int
  /// The number by which the server knows the table.
  let relation: UInt32
  let schema: String
  let name: String
  /// The types of the columns by their names, as JSON.
  let columns: String
  /// A table or a partition whose writes the log does not see; nil if it sees all.
  let unseen: String?
  /// Whether the column of the key is unique and not null.
  let isKeyed: Bool
  /// A fingerprint of everything through which rows change unseen.
  let fingerprint: String
  /// The position of the schema among those where the role looks for names; nil for none.
  let place: Int?

  /// A column as the server tells it.
  struct ServerColumn {
    /// The type; nil for one that no attribute has.
    let type: ColumnType?
    /// The name of the type in SQL.
    let typeName: String
    /// Whether the server computes the values.
    let isGenerated: Bool

    /// Reads the number of the type, its name, and perhaps the word `generated`.
    init(_ text: String) {
      let suffix = " generated"
      isGenerated = text.hasSuffix(suffix)
      let words = text.split(separator: " ", maxSplits: 1)
      type = UInt32(words.first ?? "").flatMap { number in
        ColumnType.allCases.first { $0.number == number }
      }
      let name = words.last ?? ""
      typeName = String(isGenerated ? name.dropLast(suffix.count) : name)
    }
  }

  /// The columns by their names.
  var namedColumns: [String: ServerColumn] {
    let texts = try? JSONDecoder().decode([String: String].self, from: Data(columns.utf8))
    return (texts ?? [:]).mapValues(ServerColumn.init)
  }

  /// The select of the shapes of all prepared tables that have one of the names in the array `$1`.
  static let select = """
    SELECT id, rel::int8, schema, name, columns, unseen, keyed, shape,
      array_position(current_schemas(false), schema) FROM strata.shape WHERE name = ANY ($1::name[])
    """
}

extension [ServerShape] {
  /// Returns the prepared table that has a name; nil for none.
  ///
  /// Without a schema, the first one of the role's `search_path` counts that has such a table.
  func table(named names: ServerNames) -> ServerShape? {
    filter { shape in
      shape.name == names.name
        && (names.schema.map { $0 == shape.schema } ?? (shape.place != nil))
    }.min { ($0.place ?? 0) < ($1.place ?? 0) }
  }
}
