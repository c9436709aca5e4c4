public import Foundation

// MARK: - Integers

/// An integer that fits in 64 signed bits.
///
/// ```swift
/// let odd = Song.where { $0.plays % 2 == 1 }  // `Int` is an integer
/// ```
public protocol IntegerValue: NumericValue, FixedWidthInteger where Sum == Int {}

extension IntegerValue {
  public init(cell: Cell) throws(ValueError) {
    guard case .integer(let value) = cell else {
      throw ValueError("an integer was expected, not \(cell)")
    }
    guard let exact = Self(exactly: value) else {
      throw ValueError("\(value) is out of range for \(Self.self)")
    }
    self = exact
  }
  public var cell: Cell { .integer(Int64(self)) }
  public static var storage: StorageType { .integer }
}

extension Int: IntegerValue {}
extension Int8: IntegerValue {}
extension Int16: IntegerValue {}
extension Int32: IntegerValue {}
extension Int64: IntegerValue {}
extension UInt8: IntegerValue {}
extension UInt16: IntegerValue {}
extension UInt32: IntegerValue {}

/// Stored as its 64-bit pattern.
///
/// Every value survives the round trip. Values above `Int64.max` are negative in the store, so the
/// type has no order there.
extension UInt64: AttributeValue {
  public init(cell: Cell) throws(ValueError) { self.init(bitPattern: try Int64(cell: cell)) }
  public var cell: Cell { .integer(Int64(bitPattern: self)) }
  public static var storage: StorageType { .integer }
}

/// Stored as its 64-bit pattern, like `UInt64`.
extension UInt: AttributeValue {
  public init(cell: Cell) throws(ValueError) {
    guard let value = UInt(exactly: try UInt64(cell: cell)) else {
      throw ValueError("\(cell) is out of range for UInt")
    }
    self = value
  }
  public var cell: Cell { UInt64(self).cell }
  public static var storage: StorageType { .integer }
}

/// Stored as 0 or 1.
/// `false` comes before `true`.
extension Bool: ComparableValue {
  public init(cell: Cell) throws(ValueError) {
    switch cell {
    case .integer(0): self = false
    case .integer(1): self = true
    default: throw ValueError("0 or 1 was expected, not \(cell)")
    }
  }
  public var cell: Cell { .integer(self ? 1 : 0) }
  public static var storage: StorageType { .integer }
}

// MARK: - Reals

/// Stored as a real.
///
/// Not-a-number is refused. `-0.0` becomes `0.0`.
extension Double: NumericValue {
  public typealias Sum = Double
  public init(cell: Cell) throws(ValueError) {
    guard case .real(let value) = cell else {
      throw ValueError("a real number was expected, not \(cell)")
    }
    self = value
  }
  public var cell: Cell {
    get throws(ValueError) {
      if isNaN { throw .notANumber }
      return .real(self + 0.0)
    }
  }
  public static var storage: StorageType { .real }
}

/// Stored as a `Double`, which holds every `Float` exactly.
extension Float: NumericValue {
  public typealias Sum = Double
  public init(cell: Cell) throws(ValueError) {
    let value = try Double(cell: cell)
    // Rounds, because 0.1 from JSON is a valid Float. A stored Float is read back exactly.
    self.init(value)
    if isInfinite && value.isFinite { throw ValueError("\(value) is out of range for Float") }
  }
  public var cell: Cell { get throws(ValueError) { try Double(self).cell } }
  public static var storage: StorageType { .real }
}

/// Stored exactly, as the seconds since the reference date (2001-01-01 UTC) that a `Date` holds.
extension Date: ComparableValue {
  public init(cell: Cell) throws(ValueError) {
    self.init(timeIntervalSinceReferenceDate: try Double(cell: cell))
  }
  public var cell: Cell { get throws(ValueError) { try timeIntervalSinceReferenceDate.cell } }
  public static var storage: StorageType { .real }
}

extension ValueError {
  static var notANumber: ValueError { ValueError("not-a-number (NaN) cannot be stored") }
}

// MARK: - Text

extension String: ComparableValue, TextValue {
  public init(cell: Cell) throws(ValueError) {
    guard case .text(let value) = cell else {
      throw ValueError("text was expected, not \(cell)")
    }
    self = value
  }
  public var cell: Cell { .text(self) }
  public static var storage: StorageType { .text }
}

/// Stored as its absolute string.
extension URL: AttributeValue {
  public init(cell: Cell) throws(ValueError) {
    let text = try String(cell: cell)
    guard let url = URL(string: text) else { throw ValueError("\(cell) is not a URL") }
    self = url
  }
  public var cell: Cell { .text(absoluteString) }
  public static var storage: StorageType { .text }
}

/// Stored exactly, as text, but without an order in the store.
extension Decimal: AttributeValue {
  public init(cell: Cell) throws(ValueError) {
    let text = try String(cell: cell)
    guard let number = DecimalText(text), let value = Decimal(string: text, locale: Self.plain),
      case .text(let kept) = try value.cell
    else { throw ValueError("\(cell) is not a decimal number") }
    guard DecimalText(kept) == number else {
      throw ValueError("\(cell) has more digits than a Decimal, or is out of its range")
    }
    self = value
  }
  public var cell: Cell {
    get throws(ValueError) {
      if isNaN { throw .notANumber }
      var copy = self
      return .text(NSDecimalString(&copy, Self.plain))
    }
  }
  public static var storage: StorageType { .text }

  private static var plain: Locale { Locale(identifier: "en_US_POSIX") }
}

// MARK: - Bytes

extension Data: AttributeValue {
  public init(cell: Cell) throws(ValueError) {
    guard case .blob(let value) = cell else {
      throw ValueError("bytes were expected, not \(cell)")
    }
    self = value
  }
  public var cell: Cell { .blob(self) }
  public static var storage: StorageType { .blob }
}

/// Stored as its 16 bytes, which keep the order of the text form.
extension UUID: ComparableValue {
  public init(cell: Cell) throws(ValueError) {
    guard case .blob(let bytes) = cell, bytes.count == 16 else {
      throw ValueError("a UUID of 16 bytes was expected, not \(cell)")
    }
    self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
  public var cell: Cell { .blob(withUnsafeBytes(of: uuid) { Data($0) }) }
  public static var storage: StorageType { .blob }
}
