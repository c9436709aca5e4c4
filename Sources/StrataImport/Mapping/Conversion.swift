public import Strata
public import Foundation

/// The conversion of a JSON value to an attribute's value.
///
/// `.automatic` follows the attribute's type:
///
/// - Numbers, Booleans and strings are read as they are.
/// - Dates are read from ISO 8601, UUIDs and keys from their text form, URLs from strings, and
///   `Data` from base 64.
/// - A `Decimal` is read exactly, from a number or its text.
/// - Enumerations are read from their raw value.
/// - Arrays and `JSONValue` types are read from JSON of any kind, or from a string that contains
///   such JSON.
///
/// A value that the type cannot hold is refused.
///
/// ```swift
/// Field(\Song.releasedAt, "released", .epochSeconds)
/// Field(\Song.genre, "genre", .unknown(as: .other))
/// Field(\Song.title, "title", .text { $0.capitalized })
/// ```
public struct Conversion<Value: AttributeValue>: Sendable {
  let kind: JSONColumn.Kind
  /// Makes the attribute's cell from the scanned cell; nil if both are equal.
  let convert: (@Sendable (Cell) throws(ValueError) -> Cell)?
  /// Makes the scanned cell from the attribute's cell, for writing; nil if both are equal.
  let write: (@Sendable (Cell) throws(ValueError) -> Cell)?
  /// Makes the cell for a value that does not fit; nil refuses such a value.
  let unknown: (@Sendable () throws(ValueError) -> Cell)?

  init(
    _ kind: JSONColumn.Kind, _ convert: (@Sendable (Cell) throws(ValueError) -> Cell)? = nil,
    write: (@Sendable (Cell) throws(ValueError) -> Cell)? = nil,
    unknown: (@Sendable () throws(ValueError) -> Cell)? = nil
  ) {
    self.kind = kind
    self.convert = convert
    self.write = write
    self.unknown = unknown
  }

  /// The conversion that the attribute's type suggests.
  public static var automatic: Self {
    if let kind = StandardConversion.kind(of: Value.self) { return Self(kind) }
    // A type of the app decides by itself which values it accepts.
    let kind = StandardConversion.fallback(Value.self)
    let depth = NumberArrays.depth(of: Value.self)
    return Self(kind) { cell throws(ValueError) in
      if let depth, case .text(let text) = cell, let numbers = NumberArrays.text(text, depth: depth)
      {
        return .text(numbers)
      }
      do throws(ValueError) { return try Value(cell: cell).cell } catch {
        // A server may send JSON inside a string.
        guard kind == .json, let text = StandardConversion.string(cell) else { throw error }
        return try Value(cell: .text(text)).cell
      }
    }
  }

  /// Converts as ``automatic`` does, but gives `value` for a JSON value that the type refuses.
  ///
  /// Use it for enumerations that a server may extend. The refused JSON value may be of any kind;
  /// null counts if the attribute is not optional. A missing member does not count.
  ///
  /// A ``Refresher`` asks for all of a feed with a refused value each time, because a later version
  /// of the app may read it.
  public static func unknown(as value: Value) -> Self {
    let automatic = Self.automatic
    let unknown: @Sendable () throws(ValueError) -> Cell = { () throws(ValueError) in
      try value.cell
    }
    return Self(automatic.kind, automatic.convert, unknown: unknown)
  }

  /// Converts the text of a string, or the JSON text of any other value, by a closure.
  ///
  /// An export and the body of a push request write the text that `write` returns, as a string. Without
  /// `write`, they write the attribute's own text or number. Either way they check that `make` reads it
  /// back as the same value, and throw `invalidValue` otherwise.
  ///
  /// ```swift
  /// Field(\Song.title, "title", .text { $0.capitalized } writing: { $0.lowercased() })
  /// ```
  ///
  /// - Parameters:
  ///   - make: the closure, called off the main actor. It throws `ValueError` to refuse the record.
  ///   - write: returns the text of a value. It throws `ValueError` for a value without a text.
  public static func text(
    _ make: @escaping @Sendable (String) throws(ValueError) -> Value,
    writing write: (@Sendable (Value) throws(ValueError) -> String)? = nil
  ) -> Self {
    let convert: @Sendable (Cell) throws(ValueError) -> Cell = { cell throws(ValueError) in
      guard case .text(let text) = cell else { throw ValueError("text was expected") }
      return try make(text).cell
    }
    guard let write else { return Self(.custom(0), convert) }
    return Self(
      .custom(0), convert,
      write: { cell throws(ValueError) in .text(try write(try Value(cell: cell))) })
  }

  /// Converts a value that another conversion reads, and back.
  ///
  /// It is for JSON values that are no texts: the value is read, and written, as `base` does it.
  ///
  /// ```swift
  /// // Thousands of plays.
  /// Field(\Song.plays, "plays", .converting(from: Int.self) { $0 * 1000 } writing: { $0 / 1000 })
  /// ```
  ///
  /// - Parameters:
  ///   - base: the type of the JSON value.
  ///   - conversion: the conversion of the JSON value to `base`.
  ///   - make: the closure, called off the main actor. It throws `ValueError` to refuse the record.
  ///   - write: returns the value to write. It throws `ValueError` for a value that has none.
  public static func converting<Base: AttributeValue>(
    from base: Base.Type, by conversion: Conversion<Base> = .automatic,
    _ make: @escaping @Sendable (Base) throws(ValueError) -> Value,
    writing write: @escaping @Sendable (Value) throws(ValueError) -> Base
  ) -> Self {
    Self(
      conversion.kind,
      { cell throws(ValueError) in
        try make(try Base(cell: try conversion.convert?(cell) ?? cell)).cell
      },
      write: { cell throws(ValueError) in
        let cell = try write(try Value(cell: cell)).cell
        return try conversion.write?(cell) ?? cell
      })
  }
}

extension Conversion where Value == Date {
  /// An ISO 8601 date and time with a zone, or a date alone (midnight UTC).
  public static var iso8601: Self { Self(.date(.iso8601)) }
  /// An ISO 8601 date and time, in UTC if it has no zone, or a date alone (midnight UTC).
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
  /// An ISO 8601 date and time, in UTC if it has no zone, or a date alone (midnight UTC).
  public static var iso8601AssumingUTC: Self { Self(.date(.iso8601UTC)) }
  /// Seconds since 1970-01-01T00:00:00Z.
  public static var epochSeconds: Self { Self(.date(.epochSeconds)) }
  /// Milliseconds since 1970-01-01T00:00:00Z.
  public static var epochMilliseconds: Self { Self(.date(.epochMilliseconds)) }
  /// Microseconds since 1970-01-01T00:00:00Z.
  public static var epochMicroseconds: Self { Self(.date(.epochMicroseconds)) }
}

extension Conversion where Value == Bool {
  /// `true` and `false`, and the numbers 1 and 0, also as strings. Other values are refused.
  public static var zeroOrOne: Self { Self(.custom(0), StandardConversion.zeroOrOne) }
}

extension Conversion where Value == Bool? {
  /// `true` and `false`, and the numbers 1 and 0, also as strings. Other values are refused.
  public static var zeroOrOne: Self { Self(.custom(0), StandardConversion.zeroOrOne) }
}

/// The kinds by which the standard types are scanned.
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

  /// Returns the string that a JSON text encodes; nil for any other value.
  static func string(_ json: Cell) -> String? {
    guard case .text(let text) = json, text.hasPrefix("\"") else { return nil }
    return try? JSONDecoder().decode(String.self, from: Data(text.utf8))
  }

  /// Returns the type that stores an enumeration or a set of options.
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
