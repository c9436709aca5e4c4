internal import Foundation

/// The type of a stored property, if it is read and written directly, without a key path.
///
/// A property of any other type goes through its key path and a ``Cell``.
enum ValueKind: UInt8, Sendable {
  case int64, optionalInt64
  case bool, optionalBool
  case double, optionalDouble
  case string, optionalString
  case date, optionalDate
  case uuid, optionalUUID
  case data, optionalData
  case other

  init<Value>(_: Value.Type) {
    if let kind = Self.direct[ObjectIdentifier(Value.self)] {
      self = kind
    } else if Value.self is any UUIDLayout.Type {
      self = .uuid
    } else if Value.self is any OptionalUUIDLayout.Type {
      self = .optionalUUID
    } else {
      self = .other
    }
  }

  private static let direct: [ObjectIdentifier: ValueKind] = {
    var kinds: [ObjectIdentifier: ValueKind] = [
      ObjectIdentifier(Int64.self): .int64, ObjectIdentifier(Int64?.self): .optionalInt64,
      ObjectIdentifier(Bool.self): .bool, ObjectIdentifier(Bool?.self): .optionalBool,
      ObjectIdentifier(Double.self): .double, ObjectIdentifier(Double?.self): .optionalDouble,
      ObjectIdentifier(String.self): .string, ObjectIdentifier(String?.self): .optionalString,
      ObjectIdentifier(Date.self): .date, ObjectIdentifier(Date?.self): .optionalDate,
      ObjectIdentifier(UUID.self): .uuid, ObjectIdentifier(UUID?.self): .optionalUUID,
      ObjectIdentifier(Data.self): .data, ObjectIdentifier(Data?.self): .optionalData,
    ]
    // On 32-bit platforms, an Int has another layout and goes through its key path.
    if MemoryLayout<Int>.size == 8 {
      kinds[ObjectIdentifier(Int.self)] = .int64
      kinds[ObjectIdentifier(Int?.self)] = .optionalInt64
    }
    return kinds
  }()

  /// The number of bytes that a value covers in its entity.
  var size: Int {
    switch self {
    case .int64: MemoryLayout<Int64>.size
    case .optionalInt64: MemoryLayout<Int64?>.size
    case .bool: MemoryLayout<Bool>.size
    case .optionalBool: MemoryLayout<Bool?>.size
    case .double: MemoryLayout<Double>.size
    case .optionalDouble: MemoryLayout<Double?>.size
    case .string: MemoryLayout<String>.size
    case .optionalString: MemoryLayout<String?>.size
    case .date: MemoryLayout<Date>.size
    case .optionalDate: MemoryLayout<Date?>.size
    case .uuid: MemoryLayout<UUID>.size
    case .optionalUUID: MemoryLayout<UUID?>.size
    case .data: MemoryLayout<Data>.size
    case .optionalData: MemoryLayout<Data?>.size
    case .other: 0
    }
  }
}

/// The access to one attribute of an entity in memory.
struct AttributeCoding: Sendable {
  /// The stored property's offset in the entity; nil for computed properties.
  let offset: Int?
  let kind: ValueKind
  /// Reads the attribute through its key path; the pointer is to an entity.
  let read: @Sendable (UnsafeRawPointer) throws(ValueError) -> Cell
  /// Assigns the attribute through its key path; the pointer is to an initialised entity.
  let write: @Sendable (UnsafeMutableRawPointer, Cell) throws(ValueError) -> Void

  init<Root, Value: AttributeValue>(_ path: AttributePath<Root, Value>) {
    offset = MemoryLayout<Root>.offset(of: path)
    kind = offset == nil ? .other : ValueKind(Value.self)
    read = { entity throws(ValueError) in
      try entity.assumingMemoryBound(to: Root.self).pointee[keyPath: path].cell.checked(Value.self)
    }
    write = { entity, cell throws(ValueError) in
      entity.assumingMemoryBound(to: Root.self).pointee[keyPath: path] = try Value(cell: cell)
    }
  }
}
