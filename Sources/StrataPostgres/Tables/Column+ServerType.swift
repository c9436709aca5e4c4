internal import Foundation
internal import Strata

extension Column {
  /// The type of the column in a table that is made on the server.
  ///
  /// Texts have the order of the store, which compares bytes.
  var serverType: String {
    switch valueType {
    case is Bool.Type, is Bool?.Type: return "bool"
    case is Date.Type, is Date?.Type: return "timestamptz"
    case is UUID.Type, is UUID?.Type, is any UUIDLayout.Type, is any OptionalUUIDLayout.Type:
      return "uuid"
    default: break
    }
    switch storage {
    case .integer: return "int8"
    case .real: return "float8"
    case .text: return "text COLLATE \"C\""
    case .blob: return "bytea"
    }
  }

  var isDecimal: Bool { valueType is Decimal.Type || valueType is Decimal?.Type }

  /// The numbers that the attribute can have; nil if it has no integers, or all of 64 bits.
  var integers: ClosedRange<Int64>? {
    func range<V: AttributeValue>(_: V.Type) -> ClosedRange<Int64>? {
      guard let type = V.Unwrapped.self as? any IntegerValue.Type else { return nil }
      return bounds(type)
    }
    func bounds<I: IntegerValue>(_: I.Type) -> ClosedRange<Int64>? {
      I.bitWidth == 64 ? nil : Int64(I.min)...Int64(I.max)
    }
    return valueType.flatMap { range($0) }
  }
}
