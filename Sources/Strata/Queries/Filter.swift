/// A condition that an entity meets or not.
///
/// Always two-valued: comparing a missing value is false, and its negation true, in the store and
/// in memory alike. Thousands of conditions may be connected; they may be nested 200 levels deep.
public struct Filter<Root>: Sendable {
  let node: FilterNode
  /// The Bool attribute whose value the filter is, if it is nothing else.
  private(set) var attribute: AttributeReference?

  init(node: FilterNode) { self.node = node }

  /// Whether a Bool attribute is true.
  init(_ attribute: AttributeReference) {
    node = .equal(attribute, true)
    self.attribute = attribute
  }

  /// Both conditions.
  public static func && (left: Self, right: Self) -> Self {
    Self(node: .and(left.node, right.node))
  }

  /// One of the conditions, or both.
  public static func || (left: Self, right: Self) -> Self {
    Self(node: .or(left.node, right.node))
  }

  /// Not the condition.
  public static prefix func ! (filter: Self) -> Self { Self(node: filter.node.negation) }

  /// Whether a Bool attribute has a value; behind a reference that leads nowhere, it has none.
  public static func == (left: Self, right: Bool) -> Self {
    if right { return left }
    return left.attribute.map { Self(node: .equal($0, false)) } ?? !left
  }

  /// Whether a Bool attribute does not have a value.
  public static func != (left: Self, right: Bool) -> Self { !(left == right) }
}
