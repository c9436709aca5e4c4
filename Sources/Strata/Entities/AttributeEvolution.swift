/// The declarations of an attribute about earlier versions.
struct AttributeEvolution: Sendable {
  var formerNames: [String] = []
  var conversions: [AttributeConversion] = []
  /// The value for rows without a value, because the attribute is new or was null.
  var fallback: Result<Cell, ValueError>?
}

/// A declared conversion from an earlier type of an attribute to its type in the model.
struct AttributeConversion: Sendable {
  /// The earlier type's name, without `Optional`.
  let value: String
  let storage: StorageType
  let takesNull: Bool
  let convert: @Sendable (Cell) throws -> Cell

  init<Old: AttributeValue, New: AttributeValue>(
    _ convert: @escaping @Sendable (Old) throws -> New
  ) {
    value = Old.describedName
    storage = Old.storage
    takesNull = Old.isOptional
    self.convert = { cell in try convert(Old(cell: cell)).cell.checked(New.self) }
  }
}

extension AttributeValue {
  /// The type's name in a schema's description, without `Optional`: `Double` for `Double?`.
  static var describedName: String {
    let name = "\(Self.self)"
    guard isOptional, name.hasPrefix("Optional<"), name.hasSuffix(">") else { return name }
    return String(name.dropFirst(9).dropLast())
  }
}

/// The declarations of a table about earlier versions, and the values of its new attributes.
struct TableEvolution: Sendable {
  struct Column: Sendable {
    let valueType: String
    var evolution = AttributeEvolution()
    /// The access to the attribute in an entity; nil for columns that no entity has.
    var coding: AttributeCoding?
    /// The table that the column refers to.
    var target: String?
  }

  var formerNames: [String] = []
  /// The columns that the schema declares as removed.
  var removed: [String] = []
  /// The evolution of each column, in column order, or empty if nothing is declared.
  var columns: [Column] = []
  /// Lends a new entity; nil for tables without an entity.
  var withNewEntity: (@Sendable ((UnsafeRawPointer) -> Void) -> Void)?

  /// Returns the declared value of a new column, or else the value of a new entity.
  func value(for position: Int) throws(ValueError) -> Cell {
    guard columns.indices.contains(position) else { return .null }
    if let fallback = columns[position].evolution.fallback { return try fallback.get() }
    var result = Result<Cell, ValueError>.success(.null)
    withNewEntity? { entity in
      guard let coding = columns[position].coding else { return }
      do throws(ValueError) { result = .success(try coding.read(entity)) } catch {
        result = .failure(error)
      }
    }
    return try result.get()
  }
}
