/// A rule that makes one value of two edits of the same attribute.
///
/// ```swift
/// struct Track: Entity {
///   var id = UUID.timeOrdered()
///   var plays = 0
///   var tags: [String] = []
///
///   static let schema = Schema<Track>("tracks", key: \.id) {
///     Attribute(\.plays).merged(by: .sum)
///     Attribute(\.tags).merged(by: .union())
///   }
/// }
/// ```
///
/// A save applies the rule if the edit and the row below both changed the value from which the edit
/// started, also if both changed it to the same value. Such an attribute never conflicts, whatever
/// the ``SavePolicy``. If only one side changed the value, that change counts. Until its save, a
/// context shows its own edit.
///
/// The rule applies to updates of existing rows, in saves to the store, in saves of a child context
/// and in `resolve`. It does not apply to insertions, upserts and imports, which set a value.
public struct MergeRule<Value: AttributeValue>: Sendable {
  let merge: @Sendable (_ base: Value, _ mine: Value, _ theirs: Value) -> Value

  /// Creates a rule from a function.
  ///
  /// - Parameter merge: a function of the value before both edits, the edit's value and the value of
  ///   the row below. It runs on the writer and on the main actor, must not wait, and must always
  ///   give the same answer. If two edits may be saved in any order, it should give the same value
  ///   for `mine` and `theirs` exchanged.
  public init(
    _ merge: @escaping @Sendable (_ base: Value, _ mine: Value, _ theirs: Value) -> Value
  ) {
    self.merge = merge
  }
}

extension MergeRule where Value: IntegerValue {
  /// Adds what each side added, up to the bounds of the type.
  public static var sum: MergeRule {
    MergeRule { base, mine, theirs in
      Value(clamping: Int128(theirs) + Int128(mine) - Int128(base))
    }
  }
}

extension MergeRule where Value == Double {
  /// Adds what each side added.
  ///
  /// The sum is rounded, so the order of the saves may show in its last digits. If it is
  /// not-a-number, the edits conflict instead.
  public static var sum: MergeRule { MergeRule { base, mine, theirs in theirs + (mine - base) } }
}

extension MergeRule where Value: Comparable {
  /// Takes the greater value.
  public static var max: MergeRule { MergeRule { _, mine, theirs in Swift.max(mine, theirs) } }

  /// Takes the smaller value.
  public static var min: MergeRule { MergeRule { _, mine, theirs in Swift.min(mine, theirs) } }
}

extension MergeRule {
  /// Adds and removes the elements that each side added and removed.
  ///
  /// The array counts as a set: each element is there once, in the order of the row below, followed
  /// by new elements in the order of the edit.
  ///
  /// - Complexity: O(*n*) for *n* elements.
  public static func union<Element: Hashable>() -> MergeRule where Value == [Element] {
    MergeRule { base, mine, theirs in
      let (before, kept) = (Set(base), Set(mine))
      var seen: Set<Element> = []
      let found = theirs.filter { kept.contains($0) || !before.contains($0) }
      let added = mine.filter { !before.contains($0) }
      return (found + added).filter { seen.insert($0).inserted }
    }
  }
}

extension Attribute {
  /// Merges edits of the attribute by a rule, so that they never conflict.
  public func merged(by rule: MergeRule<Value>) -> Self {
    var copy = self
    copy.definition.merge = AttributeMerge(rule)
    return copy
  }
}

/// A merge rule without its type.
struct AttributeMerge: Sendable {
  /// Returns the merged cell.
  ///
  /// - Throws: ``ValueError`` if a cell cannot be read, or the merged value cannot be stored.
  let merge: @Sendable (_ base: Cell, _ mine: Cell, _ theirs: Cell) throws(ValueError) -> Cell

  init<Value>(_ rule: MergeRule<Value>) {
    merge = { base, mine, theirs throws(ValueError) in
      let value = rule.merge(
        try Value(cell: base), try Value(cell: mine), try Value(cell: theirs))
      return try value.cell.checked(Value.self)
    }
  }
}
