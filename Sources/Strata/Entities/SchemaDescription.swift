internal import Foundation

/// A description of a store's tables that does not depend on the program's code.
///
/// The store keeps a description of itself. An app commits a description for every version that it
/// ships, so that tests can rehearse the migration from that version (`rehearseMigration` in
/// StrataTesting). Descriptions from other versions of Strata can be read. Unknown JSON keys are
/// ignored, and absent keys have their default.
///
/// ```swift
/// let today = try Stack.schema(of: [Song.self, Artist.self], version: 3)
/// print(today.json)
/// ```
public struct SchemaDescription: Sendable, Equatable {
  /// The `Stack.Options.schemaVersion` of the program that made the description.
  public var version: Int
  /// The tables, sorted by name.
  public var tables: [Table]

  /// Creates a description of the given tables.
  public init(version: Int, tables: [Table]) {
    self.version = version
    self.tables = tables
  }

  /// The table of that name, without regard to ASCII case, as SQLite compares names.
  public subscript(table name: String) -> Table? {
    tables.first { $0.name.isSameName(as: name) }
  }

  /// The description of a table.
  public struct Table: Sendable, Equatable {
    /// The table's name.
    public var name: String
    /// The entity's name in Swift, for messages.
    public var entity: String
    /// The name of the key's column, which is one of the columns.
    public var key: String
    /// The columns.
    public var columns: [Column]
    /// The sets of columns that are unique together.
    public var uniques: [[String]]
    /// The columns of each index of several columns that refuses nothing.
    public var compoundIndexes: [[String]]
    /// The former names of the table that the model declared.
    public var formerNames: [String]
    /// The index of the table's words; nil if it has none.
    public var fullText: FullText?
    /// The indexes of the table's places.
    public var spatial: [Spatial]

    /// Creates the description of a table.
    ///
    /// The key's column is `columns[0]` unless `key` names another column.
    ///
    /// - Precondition: there is at least one column.
    public init(
      _ name: String, columns: [Column], key: String? = nil, uniques: [[String]] = [],
      compoundIndexes: [[String]] = [], entity: String? = nil, formerNames: [String] = [],
      fullText: FullText? = nil, spatial: [Spatial] = []
    ) {
      guard let first = columns.first else { fatalError("a table needs a column for its key") }
      self.name = name
      self.entity = entity ?? name
      self.key = key ?? first.name
      self.columns = columns
      self.uniques = uniques
      self.compoundIndexes = compoundIndexes
      self.formerNames = formerNames
      self.fullText = fullText
      self.spatial = spatial
    }

    /// The column of that name, without regard to ASCII case.
    public subscript(column name: String) -> Column? {
      columns.first { $0.name.isSameName(as: name) }
    }
  }

  /// An index of words.
  public struct FullText: Sendable, Hashable {
    /// The columns that are searched.
    public var columns: [String]
    /// FTS5's option `tokenize`; `strata_unicode61` and `strata_trigram` are tokenizers of Strata.
    public var tokenizer: String
    /// The lengths of the word prefixes that have an index of their own.
    public var prefixes: [Int]

    /// Creates an index of the words in some columns.
    ///
    /// Without a tokenizer, the words are those of an entity without ``FullText``.
    public init(_ columns: [String], tokenizer: String? = nil, prefixes: [Int] = []) {
      self.columns = columns
      self.tokenizer = tokenizer ?? FullTextTokenizer.unicode61().option
      self.prefixes = prefixes
    }
  }

  /// An index of places.
  public struct Spatial: Sendable, Hashable {
    /// The name of the column with degrees north.
    public var latitude: String
    /// The name of the column with degrees east.
    public var longitude: String

    /// Creates an index of the places in two columns.
    public init(latitude: String, longitude: String) {
      self.latitude = latitude
      self.longitude = longitude
    }
  }

  /// The description of a column.
  public struct Column: Sendable, Equatable {
    /// The column's name.
    public var name: String
    /// The type in which SQLite stores the column.
    public var storage: StorageType
    /// The name of the value's type in Swift, without `Optional`.
    public var valueType: String
    /// Whether the column may be null.
    public var isOptional: Bool
    /// Whether the column has an index of its own.
    public var isIndexed: Bool
    /// The table whose key the column holds.
    public var target: String?
    /// The former names of the column that the model declared.
    public var formerNames: [String]
    /// A valid value, if a test could not make up a value of the column's type.
    public var example: Cell?

    /// Creates the description of a column.
    ///
    /// Without a `valueType`, the value has the usual Swift type for the storage type.
    public init(
      _ name: String, _ storage: StorageType, isOptional: Bool = false, isIndexed: Bool = false,
      target: String? = nil, valueType: String? = nil, formerNames: [String] = [],
      example: Cell? = nil
    ) {
      self.name = name
      self.storage = storage
      self.valueType = valueType ?? storage.usualValue
      self.isOptional = isOptional
      self.isIndexed = isIndexed
      self.target = target
      self.formerNames = formerNames
      self.example = example
    }
  }
}

extension StorageType: Codable {
  fileprivate var usualValue: String {
    switch self {
    case .integer: "Int64"
    case .real: "Double"
    case .text: "String"
    case .blob: "Data"
    }
  }
}

extension String {
  /// Returns whether two names are the same to SQLite, which folds only ASCII letters.
  func isSameName(as other: String) -> Bool { folded == other.folded }

  /// The bytes of the name with ASCII letters in lower case, as SQLite compares names.
  var folded: [UInt8] { utf8.map { $0 >= 65 && $0 <= 90 ? $0 | 32 : $0 } }
}

// MARK: - JSON

extension SchemaDescription {
  /// Reads a description from JSON text.
  ///
  /// - Throws: ``StoreError`` with code `schemaMismatch` if the text is not a description.
  public init(json: String) throws { try self.init(stored: json) }

  /// Reads a description that a store keeps as JSON text.
  init(stored json: String) throws(StoreError) {
    do {
      self = try JSONDecoder().decode(SchemaDescription.self, from: Data(json.utf8))
    } catch {
      throw StoreError(
        .schemaMismatch, "the schema's description cannot be read: \(error)",
        advice: StoreError.restoring)
    }
  }

  /// The description as JSON text with sorted keys, one line for each.
  ///
  /// Equal descriptions have equal texts. Changes make small differences under version control.
  public var json: String { encoded([.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]) }

  /// The JSON text that the store keeps.
  var compactJSON: String { encoded([.sortedKeys, .withoutEscapingSlashes]) }

  private func encoded(_ formatting: JSONEncoder.OutputFormatting) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = formatting
    guard let data = try? encoder.encode(self) else {
      fatalError("a schema description holds nothing that JSON cannot")
    }
    return String(decoding: data, as: UTF8.self)
  }
}
