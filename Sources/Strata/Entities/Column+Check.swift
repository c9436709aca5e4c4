internal import Foundation

extension Column {
  /// Returns why an attribute cannot have a value; nil if it can.
  package typealias Check = @Sendable (Cell) -> String?

  /// The check of values that no program with this attribute has written; nil if every value of the
  /// column's storage is one of the attribute's.
  package var check: Check? {
    guard let type = valueType else { return nil }
    if Self.unchecked.contains(ObjectIdentifier(type)) { return nil }
    return { cell in
      do throws(ValueError) {
        _ = try type.init(cell: cell)
        return nil
      } catch {
        return error.message
      }
    }
  }

  private static let unchecked: Set<ObjectIdentifier> = Set(
    [
      Int.self, Int64.self, Double.self, String.self, Data.self, Date.self, Bool.self, UUID.self,
      Int?.self, Int64?.self, Double?.self, String?.self, Data?.self, Date?.self, Bool?.self,
      UUID?.self,
    ].map { (type: any Any.Type) in ObjectIdentifier(type) })
}
