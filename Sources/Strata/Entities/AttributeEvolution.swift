/// The declarations of an attribute about earlier versions.
struct AttributeEvolution: Sendable {
  var formerNames: [String] = []
  var conversions: [AttributeConversion] = []
  /// The value for rows without a value, because the attribute is new or was null.
  var fallback: Result<Cell, ValueError>?

  /// Returns the conversion that is declared for a stored type; nil if there is none.
  ///
  /// Of the conversions from `T` and from `T?`, the one with the stored optionality counts.
  func conversion(from stored: StoredType) -> AttributeConversion? {
    Self.best(
      conversions.filter { $0.from.name == stored.name && $0.from.storage == stored.storage },
      stored)
  }

  /// Returns the conversion from any type that is stored alike, because a type may have another name
  /// by now.
  func conversion(fromStorageOf stored: StoredType) -> AttributeConversion? {
    Self.best(conversions.filter { $0.from.storage == stored.storage }, stored)
  }

  private static func best(
    _ candidates: [AttributeConversion], _ stored: StoredType
  ) -> AttributeConversion? {
    candidates.first { $0.from.isOptional == stored.isOptional } ?? candidates.first
  }

  /// Returns the problem of conversions that can never run; nil if there is none.
  ///
  /// - Parameter own: the attribute's type.
  func problem(own: StoredType) -> String? {
    var known: Set<StoredType> = []
    for conversion in conversions {
      if conversion.from == own {
        return
          "is converted from its own type \(own), which no store can tell from converted values; "
          + "a new meaning of the values needs a MigrationStep"
      }
      if !known.insert(conversion.from).inserted {
        return "is converted from \(conversion.from) twice"
      }
    }
    return nil
  }
}

/// The type of an attribute, as a store's description has it.
struct StoredType: Sendable, Hashable, CustomStringConvertible {
  /// The name without `Optional`.
  let name: String
  let storage: StorageType
  let isOptional: Bool

  /// The type in Swift, such as `Double?`.
  var description: String { name + (isOptional ? "?" : "") }
}

/// A declared conversion from an earlier type of an attribute to its type in the model.
struct AttributeConversion: Sendable {
  let from: StoredType
  let convert: @Sendable (Cell) throws -> Cell

  init<Old: AttributeValue, New: AttributeValue>(
    _ convert: @escaping @Sendable (Old) throws -> New
  ) {
    from = StoredType(
      name: Old.describedName, storage: Old.storage, isOptional: Old.isOptional)
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
