internal import Foundation

/// The one JSON text of a value.
///
/// The encoder of Foundation sorts the members of objects. It writes the elements of a set, and the
/// pairs of a dictionary whose keys are no texts, in the order of the hash table, which differs from
/// value to value. It also writes `-0.0` as `-0`, although the two zeros are equal. Here elements and
/// pairs are sorted by their own texts, at any depth, and there is one zero.
enum CanonicalJSON {
  static func decode<V: Decodable>(_ cell: Cell) throws(ValueError) -> V {
    let text = try String(cell: cell)
    do { return try JSONDecoder().decode(V.self, from: Data(text.utf8)) } catch {
      throw ValueError("the stored JSON is no \(V.self): \(error)")
    }
  }

  static func encode<V: Encodable>(_ value: V) throws(ValueError) -> Cell {
    do { return .text(String(decoding: try bytes(of: value), as: UTF8.self)) } catch {
      throw ValueError("the value cannot be written as JSON: \(error)")
    }
  }

  fileprivate static func bytes(of value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(Canonical(value))
  }
}

/// A collection that keeps no order of its own.
private protocol UnorderedValues {
  /// Encodes the elements as an array, in the order of their texts.
  func encodeSorted(to encoder: any Encoder) throws
}

extension Set: UnorderedValues where Element: Encodable {
  fileprivate func encodeSorted(to encoder: any Encoder) throws {
    let sorted = try map { (text: try CanonicalJSON.bytes(of: $0), element: $0) }
      .sorted { $0.text.lexicographicallyPrecedes($1.text) }
    var container = encoder.unkeyedContainer()
    for (_, element) in sorted { try container.encode(Canonical(element)) }
  }
}

extension Dictionary: UnorderedValues where Key: Encodable, Value: Encodable {
  fileprivate func encodeSorted(to encoder: any Encoder) throws {
    // A dictionary with such keys is an object, whose members are sorted.
    if Key.self is String.Type || Key.self is Int.Type
      || Key.self is any CodingKeyRepresentable.Type
    {
      return try encode(to: CanonicalEncoder(encoder))
    }
    let sorted = try map { (text: try CanonicalJSON.bytes(of: $0.key), pair: $0) }
      .sorted { $0.text.lexicographicallyPrecedes($1.text) }
    var container = encoder.unkeyedContainer()
    for (_, pair) in sorted {
      try container.encode(Canonical(pair.key))
      try container.encode(Canonical(pair.value))
    }
  }
}

/// A value whose parts are encoded in canonical form.
private struct Canonical<Value: Encodable>: Encodable {
  let value: Value

  init(_ value: Value) { self.value = value }

  func encode(to encoder: any Encoder) throws {
    switch value {
    case let value as any UnorderedValues: try value.encodeSorted(to: encoder)
    // The encoder of Foundation writes these types in a form of its own.
    case is Date, is Data, is URL, is Decimal:
      var container = encoder.singleValueContainer()
      try container.encode(value)
    default: try value.encode(to: CanonicalEncoder(encoder))
    }
  }
}

/// An encoder that hands every value on in canonical form.
private struct CanonicalEncoder: Encoder {
  private let base: any Encoder

  init(_ base: any Encoder) { self.base = base }

  var codingPath: [any CodingKey] { base.codingPath }
  var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(CanonicalMembers(base: base.container(keyedBy: type)))
  }
  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    CanonicalElements(base: base.unkeyedContainer())
  }
  func singleValueContainer() -> any SingleValueEncodingContainer {
    CanonicalValue(base: base.singleValueContainer())
  }
}

private struct CanonicalMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
  var base: KeyedEncodingContainer<Key>

  var codingPath: [any CodingKey] { base.codingPath }

  mutating func encodeNil(forKey key: Key) throws { try base.encodeNil(forKey: key) }
  mutating func encode(_ value: Bool, forKey key: Key) throws {
    try base.encode(value, forKey: key)
  }
  mutating func encode(_ value: String, forKey key: Key) throws {
    try base.encode(value, forKey: key)
  }
  mutating func encode(_ value: Double, forKey key: Key) throws {
    try base.encode(value + 0.0, forKey: key)
  }
  mutating func encode(_ value: Float, forKey key: Key) throws {
    try base.encode(value + 0.0, forKey: key)
  }
  mutating func encode(_ value: Int, forKey key: Key) throws { try base.encode(value, forKey: key) }
  mutating func encode(_ value: Int8, forKey key: Key) throws {
    try base.encode(value, forKey: key)
  }
  mutating func encode(_ value: Int16, forKey key: Key) throws {
    try base.encode(value, forKey: key)
  }
  mutating func encode(_ value: Int32, forKey key: Key) throws {
    try base.encode(value, forKey: key)
  }
  mutating func encode(_ value: Int64, forKey key: Key) throws {
    try base.encode(value, forKey: key)
  }
  mutating func encode(_ value: UInt, forKey key: Key) throws {
    try base.encode(value, forKey: key)
  }
  mutating func encode(_ value: UInt8, forKey key: Key) throws {
    try base.encode(value, forKey: key)
  }
  mutating func encode(_ value: UInt16, forKey key: Key) throws {
    try base.encode(value, forKey: key)
  }
  mutating func encode(_ value: UInt32, forKey key: Key) throws {
    try base.encode(value, forKey: key)
  }
  mutating func encode(_ value: UInt64, forKey key: Key) throws {
    try base.encode(value, forKey: key)
  }
  mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    try base.encode(Canonical(value), forKey: key)
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    KeyedEncodingContainer(
      CanonicalMembers<Nested>(base: base.nestedContainer(keyedBy: type, forKey: key)))
  }
  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    CanonicalElements(base: base.nestedUnkeyedContainer(forKey: key))
  }
  mutating func superEncoder() -> any Encoder { CanonicalEncoder(base.superEncoder()) }
  mutating func superEncoder(forKey key: Key) -> any Encoder {
    CanonicalEncoder(base.superEncoder(forKey: key))
  }
}

private struct CanonicalElements: UnkeyedEncodingContainer {
  var base: any UnkeyedEncodingContainer

  var codingPath: [any CodingKey] { base.codingPath }
  var count: Int { base.count }

  mutating func encodeNil() throws { try base.encodeNil() }
  mutating func encode(_ value: Bool) throws { try base.encode(value) }
  mutating func encode(_ value: String) throws { try base.encode(value) }
  mutating func encode(_ value: Double) throws { try base.encode(value + 0.0) }
  mutating func encode(_ value: Float) throws { try base.encode(value + 0.0) }
  mutating func encode(_ value: Int) throws { try base.encode(value) }
  mutating func encode(_ value: Int8) throws { try base.encode(value) }
  mutating func encode(_ value: Int16) throws { try base.encode(value) }
  mutating func encode(_ value: Int32) throws { try base.encode(value) }
  mutating func encode(_ value: Int64) throws { try base.encode(value) }
  mutating func encode(_ value: UInt) throws { try base.encode(value) }
  mutating func encode(_ value: UInt8) throws { try base.encode(value) }
  mutating func encode(_ value: UInt16) throws { try base.encode(value) }
  mutating func encode(_ value: UInt32) throws { try base.encode(value) }
  mutating func encode(_ value: UInt64) throws { try base.encode(value) }
  mutating func encode<T: Encodable>(_ value: T) throws { try base.encode(Canonical(value)) }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedEncodingContainer<Nested> {
    KeyedEncodingContainer(CanonicalMembers(base: base.nestedContainer(keyedBy: type)))
  }
  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    CanonicalElements(base: base.nestedUnkeyedContainer())
  }
  mutating func superEncoder() -> any Encoder { CanonicalEncoder(base.superEncoder()) }
}

private struct CanonicalValue: SingleValueEncodingContainer {
  var base: any SingleValueEncodingContainer

  var codingPath: [any CodingKey] { base.codingPath }

  mutating func encodeNil() throws { try base.encodeNil() }
  mutating func encode(_ value: Bool) throws { try base.encode(value) }
  mutating func encode(_ value: String) throws { try base.encode(value) }
  mutating func encode(_ value: Double) throws { try base.encode(value + 0.0) }
  mutating func encode(_ value: Float) throws { try base.encode(value + 0.0) }
  mutating func encode(_ value: Int) throws { try base.encode(value) }
  mutating func encode(_ value: Int8) throws { try base.encode(value) }
  mutating func encode(_ value: Int16) throws { try base.encode(value) }
  mutating func encode(_ value: Int32) throws { try base.encode(value) }
  mutating func encode(_ value: Int64) throws { try base.encode(value) }
  mutating func encode(_ value: UInt) throws { try base.encode(value) }
  mutating func encode(_ value: UInt8) throws { try base.encode(value) }
  mutating func encode(_ value: UInt16) throws { try base.encode(value) }
  mutating func encode(_ value: UInt32) throws { try base.encode(value) }
  mutating func encode(_ value: UInt64) throws { try base.encode(value) }
  mutating func encode<T: Encodable>(_ value: T) throws { try base.encode(Canonical(value)) }
}
