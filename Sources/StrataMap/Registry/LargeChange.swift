internal import Strata

/// A change of so many elements that another thread processes it.
struct LargeChange<E: Entity>: Sendable {
  /// The differences that name the elements that may have changed, in any order.
  let differences: [KeyedDifference<E>]
  /// The rows of all queries at the time of processing: an element that one query loses may be in
  /// another.
  let rows: [KeyedRows<E>]
  let mapping: AnnotationMapping<E>
  /// The attributes that make an annotation.
  let attributes: AttributeSet

  /// The annotations of the elements whose attributes in the mapping may have changed.
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
