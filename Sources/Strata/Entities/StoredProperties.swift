/// The stored properties of a type by offset, with their names.
///
/// Names come from `Mirror`. Offsets come from laying out the properties' types as the compiler
/// does. The result is trusted only if the computed layout has the type's size. A type with a
/// property that `Mirror` does not show needs explicit names.
struct StoredProperties: Sendable {
  private struct Slot: Sendable {
    let name: String
    let offset: Int
    let type: any Any.Type
  }

  private let slots: [Slot]
  private let isTrusted: Bool

  init<Root>(of value: Root) {
    var slots: [Slot] = []
    let end = Self.collect(value, at: 0, prefix: "", into: &slots)
    self.slots = slots
    isTrusted = end == MemoryLayout<Root>.size
  }

  /// Adds the properties of `value`, which start at `base`, and returns the offset where they end.
  private static func collect(
    _ value: Any, at base: Int, prefix: String, into slots: inout [Slot]
  ) -> Int {
    var offset = base
    for child in Mirror(reflecting: value).children {
      let type = type(of: child.value) as any Any.Type
      let (size, alignment) = layout(of: type)
      offset = (offset + alignment - 1) & ~(alignment - 1)
      let name = prefix + (child.label ?? "")
      slots.append(Slot(name: name, offset: offset, type: type))
      if child.value is any Embedded {
        _ = collect(child.value, at: offset, prefix: name + "_", into: &slots)
      }
      offset += size
    }
    return offset
  }

  private static func layout(of type: any Any.Type) -> (size: Int, alignment: Int) {
    func measure<T>(_: T.Type) -> (size: Int, alignment: Int) {
      (MemoryLayout<T>.size, MemoryLayout<T>.alignment)
    }
    return _openExistential(type, do: measure)
  }

  /// Returns the name of the property of type `type` at `offset`, if there is exactly one.
  func name(at offset: Int, type: any Any.Type) -> String? {
    guard isTrusted else { return nil }
    let found = slots.filter {
      $0.offset == offset && $0.type == type && Self.layout(of: type).size > 0
    }
    return found.count == 1 ? found[0].name : nil
  }
}
