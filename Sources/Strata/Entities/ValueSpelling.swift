internal import Foundation

/// A type of which one value may stand in a column as several texts.
///
/// Strata always writes the same text for a value. Another program, a migration or an earlier version
/// of the type may have written another one.
private protocol FreelySpelt {}

extension URL: FreelySpelt {}
extension Decimal: FreelySpelt {}
extension Array: JSONSpelt {}
extension Dictionary: JSONSpelt {}

/// A type whose values are JSON texts, besides ``JSONValue``.
private protocol JSONSpelt: FreelySpelt {}

/// The texts of one attribute's values.
struct ValueSpelling: Sendable {
  /// Returns the text that Strata writes for the value of a stored text; nil for a text that the type
  /// cannot read.
  let canonical: @Sendable (String) -> String?
  /// Whether the texts are JSON.
  let isJSON: Bool

  /// Creates the spelling of a type; nil if each value of the type has one text.
  init?(_ type: any AttributeValue.Type) {
    let unwrapped = Self.unwrapped(type)
    isJSON = unwrapped is any JSONSpelt.Type || unwrapped is any JSONValue.Type
    guard isJSON || unwrapped is any FreelySpelt.Type else { return nil }
    canonical = Self.canonical(unwrapped)
  }

  private static func unwrapped<V: AttributeValue>(_: V.Type) -> any AttributeValue.Type {
    V.Unwrapped.self
  }

  private static func canonical<V: AttributeValue>(
    _: V.Type
  ) -> @Sendable (String) -> String? {
    { text in
      guard let value = try? V(cell: .text(text)), case .text(let text)? = try? value.cell else {
        return nil
      }
      return text
    }
  }

  /// Returns the cell with which a stored cell is compared.
  func canonical(_ cell: Cell) -> Cell {
    if case .text(let text) = cell { .text(canonical(text) ?? text) } else { cell }
  }
}
