/// What an attribute says about its past.
struct AttributeEvolution: Sendable {
  var formerNames: [String] = []
  var conversions: [AttributeConversion] = []
  /// What rows get that have no value: where the attribute is new, or where it was null.
  var fallback: Result<Cell, ValueError>?
}

/// A declared way from an earlier type of an attribute to today's.
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
  /// The type's name in a schema's description: `Double` for `Double?`, too.
  static var describedName: String {
    let name = "\(Self.self)"
    guard isOptional, name.hasPrefix("Optional<"), name.hasSuffix(">") else { return name }
    return String(name.dropFirst(9).dropLast())
  }
}

/// What a table says about its past, and what its rows get for attributes that are new.
struct TableEvolution: Sendable {
  struct Column: Sendable {
    let valueType: String
    var evolution = AttributeEvolution()
    /// Nil for columns that no entity has.
    var coding: AttributeCoding?
    /// The table that the column refers to.
    var target: String?
  }

  var formerNames: [String] = []
  /// Columns that are gone for good, by declaration.
  var removed: [String] = []
  /// In the order of the table's columns; empty for tables without an entity.
  var columns: [Column] = []
  /// Lends a new entity; nil for tables without one.
  var withNewEntity: (@Sendable ((UnsafeRawPointer) -> Void) -> Void)?

  /// What a new row has in a column: the declared value, or that of a new entity.
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
