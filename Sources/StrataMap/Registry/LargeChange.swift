internal import Strata

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
