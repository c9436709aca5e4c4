/// How SQLite stores an attribute.
public enum StorageType: String, Sendable {
  /// Whole numbers of 64 bits.
  case integer = "INTEGER"
  /// Floating-point numbers of 64 bits.
  case real = "REAL"
  /// Text, kept as UTF-8.
  case text = "TEXT"
  /// Bytes.
  case blob = "BLOB"
}

/// A value that an attribute can hold.
///
/// The standard types conform already; enumerations with a raw value of one of them need only
/// declare the conformance, and `Codable` structs conform to ``JSONValue``. A type of your own
/// says how it becomes a cell and back; the round trip must be exact.
public protocol AttributeValue: Sendable {
  /// The type without `Optional`; nothing that a type of your own has to declare.
  associatedtype Unwrapped: AttributeValue = Self

  /// The value that `cell` stands for.
  ///
  /// - Throws: ``ValueError`` if the cell is no such value.
  init(cell: Cell) throws(ValueError)

  /// The value as a cell of the storage type ``storage``, or null.
  ///
  /// - Throws: ``ValueError`` if the value cannot be stored, such as not-a-number.
  var cell: Cell { get throws(ValueError) }

  /// The column's storage type.
  static var storage: StorageType { get }

  /// Whether null is a value of the type: true for optionals only.
  static var isOptional: Bool { get }
}

extension AttributeValue {
  public static var isOptional: Bool { false }
}

extension Cell {
  /// The cell, if SQLite stores it in a column of the value's type as it is: what it would convert
  /// would never equal what is read back.
  func checked<V: AttributeValue>(_: V.Type) throws(ValueError) -> Cell {
    switch (self, V.storage) {
    case (.integer, .integer), (.real, .real), (.text, .text), (.blob, .blob): return self
    case (.null, _) where V.isOptional: return self
    default: throw ValueError("\(V.self) stores \(V.storage.rawValue) but its cell is \(self)")
    }
  }
}

/// An attribute value whose order in the store is the order in Swift.
public protocol ComparableValue: AttributeValue {}

/// An attribute value that is a number.
public protocol NumericValue: ComparableValue {
  /// What a sum of such values is.
  associatedtype Sum: AttributeSum = Double
}

/// The sum of an attribute: an `Int` or a `Double`.
public protocol AttributeSum: Sendable {
  /// The sum from what the store made of an attribute; made by the library.
  ///
  /// - Throws: ``ValueError`` if the sum is out of range.
  init(_ parts: SumParts) throws(ValueError)
}

/// A text attribute, or an optional one.
public protocol TextValue: AttributeValue {}

extension AttributeValue {
  /// The key of a record whose key attribute has this value; nil if it is one that cannot be
  /// stored.
  package var recordKey: RecordKey? { (try? cell).map { RecordKey($0) } }
}
