/// A value to compare in a filter: an attribute, or something computed from attributes.
public struct QueryExpression<Root, Value: AttributeValue>: Sendable {
  let node: ExpressionNode

  func compare<Other: AttributeValue>(
    _ comparison: ComparisonOperator, _ value: Other
  ) -> Filter<Root> {
    Filter(node: .compare(node, comparison, with: value))
  }

  private func compare(
    _ comparison: ComparisonOperator, _ other: ExpressionNode
  ) -> Filter<Root> {
    Filter(node: .compare(node, comparison, other))
  }

  /// Whether the values are the same; nil equals nil.
  public static func == (left: Self, right: Value) -> Filter<Root> { left.compare(.equal, right) }

  /// Whether the values differ.
  public static func != (left: Self, right: Value) -> Filter<Root> {
    left.compare(.notEqual, right)
  }

  /// Whether the values are the same; nil equals nil.
  public static func == <Other>(
    left: Self, right: QueryExpression<Root, Other>
  ) -> Filter<Root> where Other.Unwrapped == Value.Unwrapped { left.compare(.equal, right.node) }

  /// Whether the values differ.
  public static func != <Other>(
    left: Self, right: QueryExpression<Root, Other>
  ) -> Filter<Root> where Other.Unwrapped == Value.Unwrapped {
    left.compare(.notEqual, right.node)
  }

  /// Whether the value is among `values`, of which there may be hundreds of thousands.
  ///
  /// Uses an index of the attribute: the store looks every value up.
  ///
  /// - Complexity: O(log *n*) a row in the store, O(1) in memory; *n* is the number of values.
  public func isIn(_ values: some Sequence<Value>) -> Filter<Root> {
    var cells: Set<Cell> = []
    do throws(ValueError) {
      for value in values { cells.insert(try value.cell) }
    } catch {
      return Filter(node: .invalid(node.name, error))
    }
    return Filter(node: .isIn(node, cells))
  }

  /// The value, or another one where it is nil: `($0.bpm ?? 0) > 100`.
  public static func ?? <Wrapped: AttributeValue>(
    left: Self, right: Wrapped
  ) -> QueryExpression<Root, Wrapped> where Value == Wrapped? {
    .init(node: .coalesced(left.node, ExpressionNode(right, for: left.node)))
  }

  /// The value, or another one where it is nil: `($0.nickname ?? $0.name) == "Nina"`.
  public static func ?? <Wrapped: AttributeValue>(
    left: Self, right: QueryExpression<Root, Wrapped>
  ) -> QueryExpression<Root, Wrapped> where Value == Wrapped? {
    .init(node: .coalesced(left.node, right.node))
  }

  /// The value, or another one where it is nil, which may be nil itself.
  public static func ?? <Wrapped: AttributeValue>(
    left: Self, right: QueryExpression<Root, Wrapped?>
  ) -> QueryExpression<Root, Wrapped?> where Value == Wrapped? {
    .init(node: .coalesced(left.node, right.node))
  }
}

extension QueryExpression where Value: ComparableValue {
  /// Whether the value is less than the other one; false if it is nil.
  public static func < (left: Self, right: Value) -> Filter<Root> { left.compare(.less, right) }

  /// Whether the value is at most the other one; false if it is nil.
  public static func <= (left: Self, right: Value) -> Filter<Root> {
    left.compare(.lessOrEqual, right)
  }

  /// Whether the value is greater than the other one; false if it is nil.
  public static func > (left: Self, right: Value) -> Filter<Root> { left.compare(.greater, right) }

  /// Whether the value is at least the other one; false if it is nil.
  public static func >= (left: Self, right: Value) -> Filter<Root> {
    left.compare(.greaterOrEqual, right)
  }

  /// Whether the value is less than the other one; false if one of them is nil.
  public static func < <Other>(
    left: Self, right: QueryExpression<Root, Other>
  ) -> Filter<Root> where Other.Unwrapped == Value.Unwrapped { left.compare(.less, right.node) }

  /// Whether the value is at most the other one; false if one of them is nil.
  public static func <= <Other>(
    left: Self, right: QueryExpression<Root, Other>
  ) -> Filter<Root> where Other.Unwrapped == Value.Unwrapped {
    left.compare(.lessOrEqual, right.node)
  }

  /// Whether the value is greater than the other one; false if one of them is nil.
  public static func > <Other>(
    left: Self, right: QueryExpression<Root, Other>
  ) -> Filter<Root> where Other.Unwrapped == Value.Unwrapped { left.compare(.greater, right.node) }

  /// Whether the value is at least the other one; false if one of them is nil.
  public static func >= <Other>(
    left: Self, right: QueryExpression<Root, Other>
  ) -> Filter<Root> where Other.Unwrapped == Value.Unwrapped {
    left.compare(.greaterOrEqual, right.node)
  }
}

// MARK: - Ranges

extension QueryExpression where Value: ComparableValue, Value.Unwrapped: Comparable {
  /// Whether the value lies in the range, bounds included; false if it is nil.
  public func isIn(_ range: ClosedRange<Value.Unwrapped>) -> Filter<Root> {
    compare(.greaterOrEqual, range.lowerBound) && compare(.lessOrEqual, range.upperBound)
  }

  /// Whether the value lies in the range, upper bound excluded; false if it is nil.
  public func isIn(_ range: Range<Value.Unwrapped>) -> Filter<Root> {
    compare(.greaterOrEqual, range.lowerBound) && compare(.less, range.upperBound)
  }

  /// Whether the value is at least the range's bound; false if it is nil.
  public func isIn(_ range: PartialRangeFrom<Value.Unwrapped>) -> Filter<Root> {
    compare(.greaterOrEqual, range.lowerBound)
  }

  /// Whether the value is at most the range's bound; false if it is nil.
  public func isIn(_ range: PartialRangeThrough<Value.Unwrapped>) -> Filter<Root> {
    compare(.lessOrEqual, range.upperBound)
  }

  /// Whether the value is less than the range's bound; false if it is nil.
  public func isIn(_ range: PartialRangeUpTo<Value.Unwrapped>) -> Filter<Root> {
    compare(.less, range.upperBound)
  }
}
