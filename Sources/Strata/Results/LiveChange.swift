/// The change of a live query's rows from one version to another.
struct LiveChange: Sendable {
  let old: ShownRows
  var new: ShownRows
  /// The keys whose records may differ.
  var changed: ChangedKeys
  /// Whether the change is reported even if the rows are equal, because of an error or a first
  /// result.
  var isStatus = false

  /// Whether no key can differ.
  var isEmpty: Bool { if case .some(let keys) = changed { keys.isEmpty } else { false } }

  /// The approximate number of keys to compare, or of rows of an old version to release.
  var cost: Int {
    switch changed {
    case .some(let keys): keys.count
    case .every: old.range.count + new.range.count
    case .all: old.range.count
    }
  }

  /// Returns whether a consumer that reads `attributes` sees a difference; nil stands for all of
  /// them.
  func isVisible(reading attributes: AttributeSet?) -> Bool {
    switch changed {
    case .some(let keys): new.differs(from: old, changed: keys, reading: attributes)
    case .every: !old.range.isEmpty || !new.range.isEmpty
    case .all: true
    }
  }
}
