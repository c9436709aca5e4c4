internal import Strata

/// A mapping without its types.
struct MappingDefinition: Sendable {
  enum Part: Sendable {
    case field(FieldDefinition)
    /// An object at one of some keys, and the attribute that refers to its entity.
    case object(AttributePlace, keys: [String], MappingDefinition)
    /// An array of objects at one of some keys, and how they are those of the record.
    case array(keys: [String], MappingDefinition, Membership)
    /// A member by which a record says that it is gone.
    case tombstone(key: String, TombstoneSign)
    /// An array with the keys of what the record is linked with.
    case links(LinksDefinition)
  }

  /// How the elements of an array belong to the record around them.
  enum Membership: Sendable {
    /// By an attribute of theirs; the record may have others.
    case reference(AttributePlace)
    /// By a relationship, which has no others afterwards.
    case relationship(deletesOthers: Bool, @Sendable (Model) -> ImportLinks?)
  }

  let entity: any Entity.Type
  /// Nil for the convention.
  let parts: [Part]?
  /// Values that every record has.
  var constants: [ConstantDefinition] = []
}

/// An attribute's value in every record.
struct ConstantDefinition: Sendable {
  let attribute: AttributePlace
  let cell: @Sendable () throws(ValueError) -> Cell
}

/// Keys of linked entities, without their type.
struct LinksDefinition: Sendable {
  /// Where the array is in a record.
  let key: String
  /// Where the key is in an element; nil if the element is the key.
  let member: String?
  let kind: JSONColumn.Kind
  let convert: (@Sendable (Cell) throws(ValueError) -> Cell)?
  let allowsNumberInString: Bool
  let links: @Sendable (Model) -> ImportLinks?
}

/// How a member says that its record is gone.
enum TombstoneSign: Sendable, Hashable {
  /// It is true.
  case isTrue
  /// It is there, and not null.
  case isThere
  /// It is a text.
  case isText(String)

  /// How the member is scanned, if no field scans it.
  var kind: JSONColumn.Kind {
    switch self {
    case .isTrue: .bool
    case .isThere: .json
    case .isText: .text
    }
  }
}

/// An attribute: by its path in a declared mapping, by its column in the convention.
enum AttributePlace: Sendable {
  case path(any AnyKeyPath & Sendable)
  case column(Int)
}

/// A field without its types.
struct FieldDefinition: Sendable {
  let attribute: AttributePlace
  /// The places where a record may have the value; the first that is there counts.
  var keys: [String]
  let kind: JSONColumn.Kind
  let convert: (@Sendable (Cell) throws(ValueError) -> Cell)?
  /// What a value becomes that does not fit; nil if it is refused.
  var unknown: (@Sendable () throws(ValueError) -> Cell)?
  /// What a record without the value gets; nil leaves the attribute alone.
  var fallback: (@Sendable () throws(ValueError) -> Cell)?
  var isRequired = false
  var isOnlyWhenInserted = false
  var allowsNumberInString = false
  /// Makes a key from a record's position, for records without one.
  var positionKey: (@Sendable (Int) -> Cell)?
  /// What stands between the values of all keys, which together are the attribute's.
  var separator: String?
}

extension MappingDefinition {
  /// Where the mapping finds what, in words: enough to tell another version of it in most cases.
  ///
  /// Conversions of the app's are closures, and key paths print the same name on every launch only
  /// if they are of stored properties.
  var text: String {
    let constants = constants.map { " \($0.text)" }.joined()
    guard let parts else { return "\(entity)\(constants)" }
    return "\(entity)(\(parts.map(\.text).joined(separator: ", ")))\(constants)"
  }
}

extension MappingDefinition.Part {
  fileprivate var text: String {
    switch self {
    case .field(let field): "\(field.keys) \(field.kind)\(field.separator ?? "")"
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
  /// The column by which elements refer to the record around them; nil for many-to-many.
  func column(of elements: Table, in model: Model) throws(ImportError) -> Int? {
    switch self {
    case .reference(let inverse): try inverse.column(of: elements)
    case .relationship(_, let find): find(model)?.reference
    }
  }
}

extension AttributePlace {
  /// The column of a table.
  func column(of table: Table) throws(ImportError) -> Int {
    switch self {
    case .column(let column): return column
    case .path(let path):
      guard let column = table.column(for: path) else {
        throw .mapping("\(path) is no attribute of \(table.entity)")
      }
      return column
    }
  }
}
