/// The stored properties of a type by offset, with their names.
///
/// Names come from `Mirror`. Offsets come from laying out the properties' types as the compiler
/// does. The result is trusted only if the computed layout has the type's size. A type with a
/// property that `Mirror` does not show needs explicit names.
struct StoredProperties: Sendable {
  private struct Slot: Sendable {
    /// The property's name, behind the names of the embedded structs that it is in.
    let path: [String]
    let bytes: Range<Int>
    let type: any Any.Type
    /// Whether the property is an embedded struct, whose properties follow.
    let isEmbedded: Bool

    /// Whether the compiler made the property, for a wrapper or for `lazy`.
    var isSynthesized: Bool { path.last?.first.map { "_$".contains($0) } == true }
  }

  private let slots: [Slot]
  private let isTrusted: Bool

  init<Root>(of value: Root) {
    var slots: [Slot] = []
    let end = Self.collect(value, at: 0, path: [], into: &slots)
    self.slots = slots
    isTrusted = end == MemoryLayout<Root>.size
  }

  /// Adds the properties of `value`, which start at `base`, and returns the offset where they end.
  private static func collect(
    _ value: Any, at base: Int, path: [String], into slots: inout [Slot]
  ) -> Int {
    var offset = base
    for child in Mirror(reflecting: value).children {
      let type = type(of: child.value) as any Any.Type
      let (size, alignment) = layout(of: type)
      offset = (offset + alignment - 1) & ~(alignment - 1)
      let path = path + [child.label ?? ""]
      let isEmbedded = child.value is any Embedded
      slots.append(
        Slot(path: path, bytes: offset..<(offset + size), type: type, isEmbedded: isEmbedded))
      if isEmbedded { _ = collect(child.value, at: offset, path: path, into: &slots) }
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
      $0.bytes.lowerBound == offset && $0.type == type && !$0.bytes.isEmpty
    }
    return found.count == 1 ? found[0].path.joined(separator: "_") : nil
  }

  /// Returns the properties that a schema does not list, such as `notes` or `address.city`.
  ///
  /// - Parameters:
  ///   - listed: the bytes of the properties that the schema lists.
  ///   - accessors: the types of listed properties that have no bytes of their own, because they
  ///     are computed, observed or wrapped. Each of them may stand for one property.
  func missing(from listed: [Range<Int>], accessors: [any Any.Type]) -> [String] {
    guard isTrusted else { return [] }
    var accessors = accessors
    return slots.filter { slot in
      if slot.isEmbedded || slot.bytes.isEmpty { return false }
      if listed.contains(where: {
        $0.lowerBound <= slot.bytes.lowerBound && slot.bytes.upperBound <= $0.upperBound
      }) {
        return false
      }
      let accessor = accessors.firstIndex { $0 == slot.type || slot.isSynthesized }
      return accessor.map { _ = accessors.remove(at: $0) } == nil
    }.map { $0.path.joined(separator: ".") }
  }
}
