internal import Strata

/// A mapping without its types.
struct MappingDefinition: Sendable {
  enum Part: Sendable {
    case field(FieldDefinition)
    /// An object at one of several keys, and the attribute that refers to its entity.
    case object(MappedAttribute, keys: [String], MappingDefinition)
    /// An array of objects at one of several keys, and their membership in the record.
    case array(keys: [String], MappingDefinition, Membership)
    /// A member by which a record deletes its row.
    case tombstone(key: String, TombstoneSign)
    /// An array with the keys of linked entities.
    case links(LinksDefinition)
  }

  /// The way in which the elements of an array belong to the record.
  enum Membership: Sendable {
    /// By an attribute of the elements. Other entities may refer to the record, too.
    case reference(MappedAttribute)
    /// By a relationship, which has no other entities afterwards.
    case relationship(deletesOthers: Bool, @Sendable (Model) -> ImportLinks?)
  }

  let entity: any Entity.Type
  /// The parts; nil for the convention.
  let parts: [Part]?
  /// Values that every record has.
  var constants: [ConstantDefinition] = []
  /// The unique attribute by which a row that was made here is found.
  var match: MappedAttribute?
}

/// A value that an attribute has in every record.
struct ConstantDefinition: Sendable {
  let attribute: MappedAttribute
  let cell: @Sendable () throws(ValueError) -> Cell
}

/// An array of keys of linked entities, without the keys' type.
struct LinksDefinition: Sendable {
  /// The array's key in a record.
  let key: String
  /// The path of the key in an element; nil if the element is the key.
  let member: String?
  let kind: JSONColumn.Kind
  let convert: (@Sendable (Cell) throws(ValueError) -> Cell)?
  let allowsNumberInString: Bool
  let links: @Sendable (Model) -> ImportLinks?
}

/// The value by which a member marks its record as a deletion.
enum TombstoneSign: Sendable, Hashable {
  /// The value is `true` or 1.
  case isTrue
  /// The member exists and is not null.
  case isThere
  /// The value is this text, or a number or Boolean with this JSON text.
  case isText(String)

  /// The kind by which the member is scanned if no field scans it.
  var kind: JSONColumn.Kind {
    switch self {
    case .isTrue, .isText: .custom(0)
    case .isThere: .json
    }
  }
}

/// An attribute, by its path in a declared mapping or by its column in the convention.
enum MappedAttribute: Sendable {
  case path(any AnyKeyPath & Sendable)
  case column(Int)
}

/// A field without its types.
struct FieldDefinition: Sendable {
  let attribute: MappedAttribute
  /// The keys that may have the value. The first member that exists counts.
  var keys: [String]
  let kind: JSONColumn.Kind
  let convert: (@Sendable (Cell) throws(ValueError) -> Cell)?
  /// Makes the cell that is written for the attribute's cell; nil if both are equal.
  var write: (@Sendable (Cell) throws(ValueError) -> Cell)?
  /// Makes the cell for a value that does not fit; nil refuses such a value.
  var unknown: (@Sendable () throws(ValueError) -> Cell)?
  /// Makes the cell for a record without the value; nil leaves the attribute alone.
  var fallback: (@Sendable () throws(ValueError) -> Cell)?
  var isRequired = false
  var isOnlyWhenInserted = false
  var isReadOnly = false
  var allowsNumberInString = false
  /// Whether the record itself is the value.
  var readsRecord = false
  /// Whether the name of the member that has the record is the value, if no key has it.
  var readsName = false
  /// Makes the key of a record without a key from its position.
  var positionKey: (@Sendable (Int) -> Cell)?
  /// Joins the values of all keys into the attribute's value; nil if the keys are alternatives.
  var separator: String?
}

extension MappingDefinition {
  /// The mapping's keys and kinds as text, to recognise another version of the mapping.
  ///
  /// The text does not contain every difference. The app's conversions are closures. A key path
  /// prints the same name on every launch only if it is of a stored property.
  var text: String {
    let constants =
      constants.map { " \($0.text)" }.joined() + (match.map { " matching \($0)" } ?? "")
    guard let parts else { return "\(entity)\(constants)" }
    return "\(entity)(\(parts.map(\.text).joined(separator: ", ")))\(constants)"
  }
}

extension MappingDefinition.Part {
  fileprivate var text: String {
    switch self {
    case .field(let field):
      "\(field.keys) \(field.kind)\(field.separator ?? "")\(field.readsRecord ? " record" : "")"
        + (field.readsName ? " name" : "")
    case .object(_, let keys, let mapping), .array(let keys, let mapping, .reference):
      "\(keys) \(mapping.text)"
    case .array(let keys, let mapping, .relationship(let deletesOthers, _)):
      "\(keys) \(mapping.text) only\(deletesOthers ? " deleting" : "")"
    case .tombstone(let key, let sign): "\(key) \(sign)"
    case .links(let links): "\(links.key)[\(links.member ?? "")] \(links.kind)"
    }
  }
}

extension ConstantDefinition {
  fileprivate var text: String {
    let value = try? cell()
    return "\(attribute)=\(value.map { "\($0)" } ?? "")"
  }
}

extension MappingDefinition.Membership {
  /// Returns the elements' column that refers to the record; nil for many-to-many.
  func column(of elements: Table, in model: Model) throws(ImportError) -> Int? {
    switch self {
    case .reference(let inverse): try inverse.column(of: elements)
    case .relationship(_, let find): find(model)?.reference
    }
  }
}

extension MappedAttribute {
  /// Returns the attribute's column in a table.
  func column(of table: Table) throws(ImportError) -> Int {
    switch self {
    case .column(let column): return column
    case .path(let path):
      guard let column = table.column(for: path) else {
        throw .mapping(
          "\((path as AnyKeyPath).shown(of: table.entity)) is no attribute of \(table.entity)")
      }
      return column
    }
  }
}
