/// A condition that an entity meets or not.
///
/// Always two-valued: comparing a missing value is false, and its negation true, in the store and
/// in memory alike.
public struct Filter<Root: Entity>: Sendable {
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
  public static prefix func ! (filter: Self) -> Self { Self(node: .not(filter.node)) }

  /// Whether a Bool attribute has a value.
  public static func == (left: Self, right: Bool) -> Self { right ? left : !left }

  /// Whether a Bool attribute does not have a value.
  public static func != (left: Self, right: Bool) -> Self { right ? !left : left }
}

/// A filter without its type: one tree, from which SQL and the matcher in memory are both made.
indirect enum FilterNode: Sendable {
  case compare(AttributeReference, ComparisonOperator, Cell)
  case isIn(AttributeReference, [Cell])
  case text(AttributeReference, TextMatch, String)
  case and(FilterNode, FilterNode)
  case or(FilterNode, FilterNode)
  case not(FilterNode)
  /// A value in the filter that no attribute can hold; reported when the query is run.
  case invalid(AttributeReference, ValueError)

  /// A comparison with a value that may turn out to be unstorable.
  static func compare<Value: AttributeValue>(
    _ attribute: AttributeReference, _ comparison: ComparisonOperator, with value: Value
  ) -> FilterNode {
    do throws(ValueError) {
      return .compare(attribute, comparison, try value.cell)
    } catch {
      return .invalid(attribute, error)
    }
  }

  static func equal<Value: AttributeValue>(
    _ attribute: AttributeReference, _ value: Value
  ) -> FilterNode {
    compare(attribute, .equal, with: value)
  }
}

enum ComparisonOperator: Sendable {
  case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
}

enum TextMatch: Sendable {
  case contains, prefix, suffix
}

/// An attribute of the query's entity, or of one that it refers to.
struct AttributeReference: Sendable {
  /// The to-one references to follow, by the key path of each.
  let hops: [Hop]
  let path: SendablePath

  struct Hop: Sendable {
    let path: SendablePath
    let target: any Entity.Type
  }

  init(_ path: SendablePath, hops: [Hop] = []) {
    self.path = path
    self.hops = hops
  }
}
