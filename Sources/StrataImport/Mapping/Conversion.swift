public import Strata
public import Foundation

/// How a JSON value becomes an attribute's value.
///
/// `.automatic` goes by the attribute's type: numbers, Booleans and strings as they are; dates from
/// ISO 8601; UUIDs and keys from their text form; URLs from strings; `Data` from base 64; `Decimal`
/// from a number or its text, exactly; enumerations from their raw value; arrays and `JSONValue`
/// types from JSON of any kind, or a string that has such JSON. What a type cannot hold is refused.
public struct Conversion<Value: AttributeValue>: Sendable {
  let kind: JSONColumn.Kind
  /// Makes the cell from the scanned one; nil if it is the value already.
  let convert: (@Sendable (Cell) throws(ValueError) -> Cell)?
  /// What a value becomes that does not fit; nil if it is refused.
  let unknown: (@Sendable () throws(ValueError) -> Cell)?

  init(
    _ kind: JSONColumn.Kind, _ convert: (@Sendable (Cell) throws(ValueError) -> Cell)? = nil,
    unknown: (@Sendable () throws(ValueError) -> Cell)? = nil
  ) {
    self.kind = kind
    self.convert = convert
    self.unknown = unknown
  }

  /// The conversion that the attribute's type suggests.
  public static var automatic: Self {
    if let kind = StandardConversion.kind(of: Value.self) { return Self(kind) }
    // A type of the client's decides for itself what it accepts.
    let kind = StandardConversion.fallback(Value.self)
    let depth = NumberArrays.depth(of: Value.self)
    return Self(kind) { cell throws(ValueError) in
      if let depth, case .text(let text) = cell, let numbers = NumberArrays.text(text, depth: depth)
      {
        return .text(numbers)
      }
      do throws(ValueError) { return try Value(cell: cell).cell } catch {
        // Some servers send JSON in a string.
        guard kind == .json, let text = StandardConversion.string(cell) else { throw error }
        return try Value(cell: .text(text)).cell
      }
    }
  }

  /// Like ``automatic``, but a value that the type refuses becomes `value`: for enumerations that a
  /// server may extend.
  ///
  /// That is a JSON value of any kind, null included if the attribute is not optional. A member that
  /// is missing is no value.
  public static func unknown(as value: Value) -> Self {
    let automatic = Self.automatic
    let unknown: @Sendable () throws(ValueError) -> Cell = { () throws(ValueError) in
      try value.cell
    }
    guard let convert = automatic.convert else { return Self(automatic.kind, unknown: unknown) }
    return Self(
      automatic.kind,
      { cell throws(ValueError) in
        do throws(ValueError) { return try convert(cell) } catch { return try value.cell }
      },
      unknown: unknown)
  }

  /// A conversion of your own, from the text of a string or the JSON text of any other value.
  ///
  /// - Parameter make: called off the main actor; throws `ValueError` to refuse the record.
  public static func text(
    _ make: @escaping @Sendable (String) throws(ValueError) -> Value
  ) -> Self {
    Self(.custom(0)) { cell throws(ValueError) in
      guard case .text(let text) = cell else { throw ValueError("text was expected") }
      return try make(text).cell
    }
  }
}

extension Conversion where Value == Date {
  /// An ISO 8601 date and time with a zone, or a date alone (midnight UTC).
  public static var iso8601: Self { Self(.date(.iso8601)) }
  /// The same, and a time without a zone is taken for UTC.
  public static var iso8601AssumingUTC: Self { Self(.date(.iso8601UTC)) }
  /// Seconds since 1970-01-01T00:00:00Z.
  public static var epochSeconds: Self { Self(.date(.epochSeconds)) }
  /// Milliseconds since 1970-01-01T00:00:00Z.
  public static var epochMilliseconds: Self { Self(.date(.epochMilliseconds)) }
  /// Microseconds since 1970-01-01T00:00:00Z.
  public static var epochMicroseconds: Self { Self(.date(.epochMicroseconds)) }
}

extension Conversion where Value == Date? {
  /// An ISO 8601 date and time with a zone, or a date alone (midnight UTC).
  public static var iso8601: Self { Self(.date(.iso8601)) }
  /// The same, and a time without a zone is taken for UTC.
  public static var iso8601AssumingUTC: Self { Self(.date(.iso8601UTC)) }
  /// Seconds since 1970-01-01T00:00:00Z.
  public static var epochSeconds: Self { Self(.date(.epochSeconds)) }
  /// Milliseconds since 1970-01-01T00:00:00Z.
  public static var epochMilliseconds: Self { Self(.date(.epochMilliseconds)) }
  /// Microseconds since 1970-01-01T00:00:00Z.
  public static var epochMicroseconds: Self { Self(.date(.epochMicroseconds)) }
}

extension Conversion where Value == Bool {
  /// `true` and `false`, and the numbers 1 and 0, also as strings; anything else is refused.
  public static var zeroOrOne: Self { Self(.custom(0), StandardConversion.zeroOrOne) }
}

extension Conversion where Value == Bool? {
  /// `true` and `false`, and the numbers 1 and 0, also as strings; anything else is refused.
  public static var zeroOrOne: Self { Self(.custom(0), StandardConversion.zeroOrOne) }
}

/// What the standard types are scanned as.
private enum StandardConversion {
  static func kind(of type: any AttributeValue.Type) -> JSONColumn.Kind? {
    if let kind = standard[ObjectIdentifier(type)] { return kind }
    return type is any UUIDLayout.Type || type is any OptionalUUIDLayout.Type ? .uuid : nil
  }

  private static let standard: [ObjectIdentifier: JSONColumn.Kind] = {
    var kinds: [ObjectIdentifier: JSONColumn.Kind] = [:]
    func add<V: AttributeValue>(_: V.Type, _ kind: JSONColumn.Kind) {
      kinds[ObjectIdentifier(V.self)] = kind
      kinds[ObjectIdentifier(V?.self)] = kind
    }
    add(Int.self, .integer)
    add(Int64.self, .integer)
    add(UInt64.self, .unsigned)
    add(Double.self, .real)
    add(Bool.self, .bool)
    add(String.self, .text)
    add(Date.self, .date(.iso8601))
    add(UUID.self, .uuid)
    add(Data.self, .base64)
    return kinds
  }()

  static func fallback<V: AttributeValue>(_ type: V.Type) -> JSONColumn.Kind {
    if let raw = V.Unwrapped.self as? any RawRepresentable.Type, let raw = rawValue(of: raw),
      raw.storage == V.storage
    {
      return kind(of: raw) ?? fallback(raw)
    }
    switch V.storage {
    case .integer: return V.Unwrapped.self == UInt.self ? .unsigned : .integer
    case .real: return .real
    case .blob: return .base64
    case .text where V.Unwrapped.self == URL.self: return .text
    case .text:
      let isJSON = type is any JSONStored.Type || V.Unwrapped.self is any JSONValue.Type
      return isJSON ? .json : .custom(0)
    }
  }

  @Sendable static func zeroOrOne(_ cell: Cell) throws(ValueError) -> Cell {
    switch cell {
    case .text("0"), .text("false"): return .integer(0)
    case .text("1"), .text("true"): return .integer(1)
    default: throw ValueError("true, false, 0 or 1 was expected")
    }
  }

  /// The string that a JSON text is; nil if it is something else.
  static func string(_ json: Cell) -> String? {
    guard case .text(let text) = json, text.hasPrefix("\"") else { return nil }
    return try? JSONDecoder().decode(String.self, from: Data(text.utf8))
  }

  /// What an enumeration or a set of options is stored as.
  private static func rawValue<R: RawRepresentable>(
    of _: R.Type
  ) -> (any AttributeValue.Type)? {
    R.RawValue.self as? any AttributeValue.Type
  }
}

/// The types whose text in the store is JSON.
private protocol JSONStored {}
extension Array: JSONStored {}
extension Dictionary: JSONStored {}
extension Optional: JSONStored where Wrapped: JSONStored {}
