package import Strata

/// The annotations of many elements, in parts that fit into a turn of the main actor.
package struct WantedElements: Sendable {
  package private(set) var parts: [[(id: RecordKey, annotation: SurfaceAnnotation?)]] = []
  /// The number of changed elements whose changes touched no attribute of the mapping.
  package var unchanged = 0

  package static let partSize = 64

  /// The number of annotations; O(parts).
  var count: Int { parts.reduce(0) { $0 + $1.count } }

  package init() {}

  package mutating func append(_ id: RecordKey, _ annotation: SurfaceAnnotation?) {
    if parts.last?.count ?? Self.partSize == Self.partSize {
      parts.append([])
      parts[parts.count - 1].reserveCapacity(Self.partSize)
    }
    parts[parts.count - 1].append((id, annotation))
  }

  /// Removes and returns the last part; nil if no part is left.
  package mutating func popPart() -> [(id: RecordKey, annotation: SurfaceAnnotation?)]? {
    parts.popLast()
  }
}
