/// A condition that an entity meets or not.
///
/// Always two-valued: comparing a missing value is false, and its negation true, in the store and
/// in memory alike. Thousands of conditions may be connected; they may be nested 200 levels deep.
public struct Filter<Root>: Sendable {
  let node: FilterNode

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

  /// Whether a Bool attribute has a value.
  public static func == (left: Self, right: Bool) -> Self { right ? left : !left }

  /// Whether a Bool attribute does not have a value.
  public static func != (left: Self, right: Bool) -> Self { right ? !left : left }
}
