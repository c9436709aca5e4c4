/// A condition that an entity meets or not.
///
/// A filter is always true or false, in the store and in memory alike. A missing value equals only
/// nil. Order comparisons and text matches of a missing value are false, and their negations are
/// true. A filter may connect thousands of conditions and nest them 200 levels deep.
///
/// `true` and `false` are filters, too, so a condition may depend on a switch of the app:
///
/// ```swift
/// Song.where { onlyLoved ? $0.loved : true }
/// Song.where { $0.bpm > 100 && (!onlyLoved || $0.loved) }
/// ```
public struct Filter<Root>: Sendable, ExpressibleByBooleanLiteral {
  let node: FilterNode
  /// The Bool attribute, if the filter is only the value of that attribute.
  private(set) var attribute: AttributeReference?

  init(node: FilterNode) { self.node = node }

  /// Creates the filter that a Bool attribute is true.
  init(_ attribute: AttributeReference) {
    node = .equal(attribute, true)
    self.attribute = attribute
  }

  /// Creates the filter that every entity meets, or none.
  public init(_ isMet: Bool) { node = isMet ? .always : .never }

  public init(booleanLiteral value: Bool) { self.init(value) }

  /// Tests whether both conditions hold.
  public static func && (left: Self, right: Self) -> Self {
    Self(node: .and(left.node, right.node))
  }

  /// Tests whether at least one of the conditions holds.
  public static func || (left: Self, right: Self) -> Self {
    Self(node: .or(left.node, right.node))
  }

  /// Tests whether both conditions hold.
  public static func && (left: Bool, right: Self) -> Self { Self(left) && right }

  /// Tests whether both conditions hold.
  public static func && (left: Self, right: Bool) -> Self { left && Self(right) }

  /// Tests whether at least one of the conditions holds.
  public static func || (left: Bool, right: Self) -> Self { Self(left) || right }

  /// Tests whether at least one of the conditions holds.
  public static func || (left: Self, right: Bool) -> Self { left || Self(right) }

  /// Tests whether the condition does not hold.
  public static prefix func ! (filter: Self) -> Self { Self(node: filter.node.negation) }

  /// Tests whether a Bool attribute has a value.
  ///
  /// Behind a reference that leads nowhere, the attribute is neither true nor false.
  public static func == (left: Self, right: Bool) -> Self {
    if right { return left }
    return left.attribute.map { Self(node: .equal($0, false)) } ?? !left
  }

  /// Tests whether a Bool attribute does not have a value.
  public static func != (left: Self, right: Bool) -> Self { !(left == right) }
}
