/// The type in which SQLite stores an attribute.
///
/// ```swift
/// print(Date.storage)  // real
/// print([String].self is any AttributeValue.Type)
/// ```
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
/// The standard types conform. An enumeration with a raw value of one of these types need only
/// declare the conformance. A `Codable` struct conforms to ``JSONValue``. Any other type implements
/// the conversion to a cell and back. The round trip must be exact.
///
/// ```swift
/// enum Genre: String, AttributeValue { case jazz, classical, other }
///
/// struct Lyrics: JSONValue {
///   var language = "en"
///   var lines: [String] = []
/// }
/// ```
public protocol AttributeValue: Sendable {
  /// The type without `Optional`.
  ///
  /// A conforming type need not declare it.
  associatedtype Unwrapped: AttributeValue = Self

  /// Creates the value that `cell` stands for.
  ///
  /// - Throws: ``ValueError`` if the cell does not stand for a value of the type.
  init(cell: Cell) throws(ValueError)

  /// The value as a cell of the storage type ``storage``, or null.
  ///
  /// - Throws: ``ValueError`` if the value cannot be stored, such as not-a-number.
  var cell: Cell { get throws(ValueError) }

  /// The column's storage type.
  static var storage: StorageType { get }

  /// Whether null is a value of the type.
  ///
  /// It is true for optionals only.
  static var isOptional: Bool { get }
}

extension AttributeValue {
  public static var isOptional: Bool { false }
}

extension Cell {
  /// Returns the cell if a column of the value's type stores it unchanged.
  ///
  /// SQLite would convert any other cell, and the cell read back would never equal it.
  ///
  /// - Throws: ``ValueError`` for any other cell.
  func checked<V: AttributeValue>(_: V.Type) throws(ValueError) -> Cell {
    switch (self, V.storage) {
    case (.integer, .integer), (.real, .real), (.text, .text), (.blob, .blob): return self
    case (.null, _) where V.isOptional: return self
    default: throw ValueError("\(V.self) stores \(V.storage.rawValue) but its cell is \(self)")
    }
  }
}

/// An attribute value whose order in the store is the order in Swift.
///
/// ```swift
/// enum Priority: Int, ComparableValue { case low, normal, high }
/// ```
public protocol ComparableValue: AttributeValue {}

/// An attribute value that is a number.
///
/// ```swift
/// let plays = try await view.fetch(.sum(\.plays), of: Song.all)  // an Int: `Int` is numeric
/// ```
public protocol NumericValue: ComparableValue {
  /// The type of a sum of such values.
  associatedtype Sum: _AttributeSum = Double
}

/// The sum of an attribute: an `Int` or a `Double`.
public protocol _AttributeSum: Sendable {
  /// Creates the sum from the parts that the store computed.
  ///
  /// Only the library makes the parts.
  ///
  /// - Throws: ``ValueError`` if the sum is out of range.
  init(_ parts: _SumParts) throws(ValueError)
}

/// An attribute value that is text, optional or not.
///
/// ```swift
/// let found = Song.where { $0.title.contains("so what") }  // `String` is text
/// ```
public protocol TextValue: AttributeValue {}

extension AttributeValue {
  /// The key of a record with this value in its key attribute; nil if the value cannot be stored.
  package var recordKey: RecordKey? { (try? cell).map { RecordKey($0) } }
}
