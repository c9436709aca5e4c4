package import Strata

/// A change of so many elements that it is looked at on another thread.
struct LargeChange<E: Entity>: Sendable {
  /// Which elements may have changed, in any order.
  let differences: [KeyedDifference<E>]
  /// What all queries have when they are looked at: what one loses, another one may have.
  let rows: [KeyedRows<E>]
  let mapping: AnnotationMapping<E>
  /// Those that make an annotation.
  let attributes: AttributeSet

  /// What is wanted of the elements that make other annotations now.
  var wanted: WantedElements {
    var wanted = WantedElements()
    var seen: Set<RecordKey> = []
    for difference in differences {
      difference.forEach { change in
        guard change.changes(attributes) else { return wanted.unchanged += 1 }
        if differences.count > 1, !seen.insert(change.key).inserted { return }
        let element = rows.lazy.compactMap { $0.element(of: change.key) }.first
        wanted.append(
          change.key, element.flatMap { mapping.annotation(for: $0, id: change.key) })
      }
    }
    return wanted
  }
}

/// The annotations of many elements, in parts that a turn of the main actor can take.
package struct WantedElements: Sendable {
  package private(set) var parts: [[(id: RecordKey, annotation: Annotation?)]] = []
  /// How many elements changed in nothing that makes an annotation.
  package var unchanged = 0

  package static let partSize = 64

  /// How many annotations there are; O(parts).
  var count: Int { parts.reduce(0) { $0 + $1.count } }

  package init() {}

  package mutating func append(_ id: RecordKey, _ annotation: Annotation?) {
    if parts.last?.count ?? Self.partSize == Self.partSize {
      parts.append([])
      parts[parts.count - 1].reserveCapacity(Self.partSize)
    }
    parts[parts.count - 1].append((id, annotation))
  }

  /// Takes a part away.
  package mutating func popPart() -> [(id: RecordKey, annotation: Annotation?)]? {
    parts.popLast()
  }
}
