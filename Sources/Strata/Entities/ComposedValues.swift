extension Optional: AttributeValue where Wrapped: AttributeValue {
  public typealias Unwrapped = Wrapped

  public init(cell: Cell) throws(ValueError) {
    if case .null = cell { self = nil } else { self = try Wrapped(cell: cell) }
  }
  public var cell: Cell { get throws(ValueError) { try self?.cell ?? .null } }
  public static var storage: StorageType { Wrapped.storage }
  public static var isOptional: Bool { true }
}

extension Optional: ComparableValue where Wrapped: ComparableValue {}
extension Optional: TextValue where Wrapped: TextValue {}

/// `enum Genre: String, AttributeValue` needs no further code.
extension AttributeValue where Self: RawRepresentable, RawValue: AttributeValue {
  public init(cell: Cell) throws(ValueError) {
    guard let value = Self(rawValue: try RawValue(cell: cell)) else {
      throw ValueError("\(cell) is not a case of \(Self.self)")
    }
    self = value
  }
  public var cell: Cell { get throws(ValueError) { try rawValue.cell } }
  public static var storage: StorageType { RawValue.storage }
}

/// A `Codable` value that is stored as JSON text with sorted keys.
///
/// `struct Lyrics: JSONValue` needs no further code.
///
/// ```swift
/// struct Cover: JSONValue {
///   var colour = "blue"
///   var width = 0
/// }
/// ```
public protocol JSONValue: AttributeValue, Codable {}

extension JSONValue {
  public init(cell: Cell) throws(ValueError) { self = try CanonicalJSON.decode(cell) }
  public var cell: Cell { get throws(ValueError) { try CanonicalJSON.encode(self) } }
  public static var storage: StorageType { .text }
}

/// Stored as JSON text.
extension Array: AttributeValue where Element: AttributeValue & Codable {
  public init(cell: Cell) throws(ValueError) { self = try CanonicalJSON.decode(cell) }
  public var cell: Cell { get throws(ValueError) { try CanonicalJSON.encode(self) } }
  public static var storage: StorageType { .text }
}

/// Stored as JSON text with sorted keys.
extension Dictionary: AttributeValue where Key == String, Value: AttributeValue & Codable {
  public init(cell: Cell) throws(ValueError) { self = try CanonicalJSON.decode(cell) }
  public var cell: Cell { get throws(ValueError) { try CanonicalJSON.encode(self) } }
  public static var storage: StorageType { .text }
}
