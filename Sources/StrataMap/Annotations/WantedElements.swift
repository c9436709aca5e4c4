package import Strata

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
