internal import StrataSQLite

/// A table's position in its model.
package struct TableID: Sendable, Hashable, Comparable {
  let index: Int
  package static func < (left: TableID, right: TableID) -> Bool { left.index < right.index }
}

/// A column of a table.
package struct Column: Sendable {
  package let name: String
  package let storage: StorageType
  package let isOptional: Bool
  let isIndexed: Bool
  /// The type of the attribute; nil for a column of a many-to-many relationship.
  package var valueType: (any AttributeValue.Type)?
  /// The spelling of the values; nil if each value has one spelling.
  var spelling: ValueSpelling?
  /// Whether the values are JSON texts.
  package var isJSON: Bool { spelling?.isJSON ?? false }
  /// Whether filters compare texts and not values: an index is an order of texts.
  var isComparedByText = false
}

/// A column that refers to another table's key.
package struct Reference: Sendable {
  package let column: Int
  package let target: TableID
  package let rule: DeleteRule
  let isRequired: Bool
}

/// A reference seen from its target.
struct Referrer: Sendable {
  let table: TableID
  let column: Int
  let rule: DeleteRule
}

/// The table of an entity or of a many-to-many relationship, checked and without types.
///
/// All code below the typed edge works on tables. The key is always column 0.
package final class Table: Sendable {
  package static let keyColumn = 0

  package let id: TableID
  package let name: String
  /// The entity's name in Swift, for messages.
  package let entity: String
  package let columns: [Column]
  package let references: [Reference]
  let referrers: [Referrer]
  /// The sets of columns that are unique together.
  package let uniques: [[Int]]
  /// The columns of each index of several attributes that refuses nothing.
  let compoundIndexes: [[Int]]
  let codec: EntityCodec
  /// Reads a record as the table's entity, and writes the entity; nil for a table without an entity.
  let rewrite: (@Sendable (Record, EntityCodec) -> ReadRecord?)?
  /// The rules for the table's records; nil if there are no rules.
  let rules: TableRules?
  /// The columns whose edits are merged; empty for most tables.
  let merges: [(column: Int, rule: AttributeMerge)]
  /// Whether the rows are links of a many-to-many relationship.
  package let isJoin: Bool
  let sql: TableSQL
  let evolution: TableEvolution
  /// The indexes of words and places; nil if there are none.
  let search: TableSearch?
  let paths: ColumnPaths

  init(
    id: TableID, name: String, entity: String, columns: [Column], paths: ColumnPaths,
    references: [Reference], referrers: [Referrer], uniques: [[Int]],
    compoundIndexes: [[Int]] = [], codec: EntityCodec,
    rewrite: (@Sendable (Record, EntityCodec) -> ReadRecord?)? = nil,
    rules: TableRules? = nil, merges: [(column: Int, rule: AttributeMerge)] = [],
    isJoin: Bool = false, evolution: TableEvolution = TableEvolution(), search: TableSearch? = nil
  ) {
    self.id = id
    self.name = name
    self.entity = entity
    self.columns = columns
    self.references = references
    self.referrers = referrers
    self.uniques = uniques
    self.compoundIndexes = compoundIndexes
    self.codec = codec
    self.rewrite = rewrite
    self.rules = rules
    self.merges = merges
    self.isJoin = isJoin
    sql = TableSQL(name: name, columns: columns)
    self.paths = paths
    self.evolution = evolution
    self.search = search
  }

  /// The table's indexes, except those of words and places.
  var indexes: [TableIndex] { sql.indexes(uniques: uniques, compound: compoundIndexes) }

  /// Returns whether this is the table of an entity, so that its records may be decoded as that
  /// entity.
  func isTable<E: Entity>(of _: E.Type) -> Bool { paths.root == E.self }

  /// Returns the key that identifies an entity.
  ///
  /// - Throws: ``StoreError`` with code `invalidQuery` if the key cannot be stored.
  func key<ID: AttributeValue>(_ id: ID) throws(StoreError) -> RecordKey {
    do throws(ValueError) { return RecordKey(try id.cell) } catch {
      throw .query("\(entity): \(error.message)", entity: entity)
    }
  }

  /// Returns the column of the attribute at `path`, or nil if the path is not an attribute.
  package func column(for path: AnyKeyPath) -> Int? { paths[path] }

  /// Returns the names of the columns of some attributes.
  ///
  /// The position of a link, which comes after the columns, is not an attribute and has no name.
  func attributeNames(_ attributes: AttributeSet) -> Set<String> {
    Set(attributes.positions.filter { $0 < columns.count }.map { columns[$0].name })
  }

  /// Returns whether the table has one of some attributes.
  func hasAttribute(of attributes: AttributeSet) -> Bool {
    !attributes.isDisjoint(with: .all(columns.count))
  }

  /// Returns the name of an attribute with its entity, such as `Song.title`.
  func attributeName(_ column: Int) -> String { "\(entity).\(columns[column].name)" }

  /// Returns the names and values of some attributes for a message, such as `room 4 and day "Mon"`.
  func values(of columns: [Int], in record: Record) -> String {
    columns.map { "\(self.columns[$0].name) \(record[$0])" }.joined(separator: " and ")
  }
}
