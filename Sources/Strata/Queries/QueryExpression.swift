/// A value to compare in a filter: an attribute, or a value computed from attributes.
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

  /// Tests whether the values are the same, where nil equals nil.
  public static func == (left: Self, right: Value) -> Filter<Root> { left.compare(.equal, right) }

  /// Tests whether the values differ.
  public static func != (left: Self, right: Value) -> Filter<Root> {
    left.compare(.notEqual, right)
  }

  /// Tests whether the values are the same, where nil equals nil.
  public static func == <Other>(
    left: Self, right: QueryExpression<Root, Other>
  ) -> Filter<Root> where Other.Unwrapped == Value.Unwrapped { left.compare(.equal, right.node) }

  /// Tests whether the values differ.
  public static func != <Other>(
    left: Self, right: QueryExpression<Root, Other>
  ) -> Filter<Root> where Other.Unwrapped == Value.Unwrapped {
    left.compare(.notEqual, right.node)
  }

  /// Tests whether the value is among `values`.
  ///
  /// There may be hundreds of thousands of values. The test uses an index of the attribute, in
  /// which the store looks up every value.
  ///
  /// - Complexity: O(log *n*) for a row in the store, O(1) in memory, where *n* is the number of
  ///   values.
  public func isIn(_ values: some Sequence<Value>) -> Filter<Root> {
    var cells: Set<Cell> = []
    do throws(ValueError) {
      for value in values { cells.insert(try value.cell) }
    } catch {
      return Filter(node: .invalid(node.name, error))
    }
    return Filter(node: .isIn(node, cells))
  }

  /// Returns the value, or another value where it is nil: `($0.bpm ?? 0) > 100`.
  public static func ?? <Wrapped: AttributeValue>(
    left: Self, right: Wrapped
  ) -> QueryExpression<Root, Wrapped> where Value == Wrapped? {
    .init(node: .coalesced(left.node, ExpressionNode(right, for: left.node)))
  }

  /// Returns the value, or another value where it is nil: `($0.nickname ?? $0.name) == "Nina"`.
  public static func ?? <Wrapped: AttributeValue>(
    left: Self, right: QueryExpression<Root, Wrapped>
  ) -> QueryExpression<Root, Wrapped> where Value == Wrapped? {
    .init(node: .coalesced(left.node, right.node))
  }

  /// Returns the value, or another value where it is nil, which may also be nil.
  public static func ?? <Wrapped: AttributeValue>(
    left: Self, right: QueryExpression<Root, Wrapped?>
  ) -> QueryExpression<Root, Wrapped?> where Value == Wrapped? {
    .init(node: .coalesced(left.node, right.node))
  }
}

extension QueryExpression where Value: ComparableValue {
  /// Tests whether the value is less than the other value.
  ///
  /// The test is false if the value is nil.
  public static func < (left: Self, right: Value) -> Filter<Root> { left.compare(.less, right) }

  /// Tests whether the value is at most the other value.
  ///
  /// The test is false if the value is nil.
  public static func <= (left: Self, right: Value) -> Filter<Root> {
    left.compare(.lessOrEqual, right)
  }

  /// Tests whether the value is greater than the other value.
  ///
  /// The test is false if the value is nil.
  public static func > (left: Self, right: Value) -> Filter<Root> { left.compare(.greater, right) }

  /// Tests whether the value is at least the other value.
  ///
  /// The test is false if the value is nil.
  public static func >= (left: Self, right: Value) -> Filter<Root> {
    left.compare(.greaterOrEqual, right)
  }

  /// Tests whether the value is less than the other value.
  ///
  /// The test is false if one of the values is nil.
  public static func < <Other>(
    left: Self, right: QueryExpression<Root, Other>
  ) -> Filter<Root> where Other.Unwrapped == Value.Unwrapped { left.compare(.less, right.node) }

  /// Tests whether the value is at most the other value.
  ///
  /// The test is false if one of the values is nil.
  public static func <= <Other>(
    left: Self, right: QueryExpression<Root, Other>
  ) -> Filter<Root> where Other.Unwrapped == Value.Unwrapped {
    left.compare(.lessOrEqual, right.node)
  }

  /// Tests whether the value is greater than the other value.
  ///
  /// The test is false if one of the values is nil.
  public static func > <Other>(
    left: Self, right: QueryExpression<Root, Other>
  ) -> Filter<Root> where Other.Unwrapped == Value.Unwrapped { left.compare(.greater, right.node) }

  /// Tests whether the value is at least the other value.
  ///
  /// The test is false if one of the values is nil.
  public static func >= <Other>(
    left: Self, right: QueryExpression<Root, Other>
  ) -> Filter<Root> where Other.Unwrapped == Value.Unwrapped {
    left.compare(.greaterOrEqual, right.node)
  }
}

// MARK: - Ranges

extension QueryExpression where Value: ComparableValue, Value.Unwrapped: Comparable {
  /// Tests whether the value lies in the range, bounds included.
  ///
  /// The test is false if the value is nil.
  public func isIn(_ range: ClosedRange<Value.Unwrapped>) -> Filter<Root> {
    compare(.greaterOrEqual, range.lowerBound) && compare(.lessOrEqual, range.upperBound)
  }

  /// Tests whether the value lies in the range, upper bound excluded.
  ///
  /// The test is false if the value is nil.
  public func isIn(_ range: Range<Value.Unwrapped>) -> Filter<Root> {
    compare(.greaterOrEqual, range.lowerBound) && compare(.less, range.upperBound)
  }

  /// Tests whether the value is at least the range's bound.
  ///
  /// The test is false if the value is nil.
  public func isIn(_ range: PartialRangeFrom<Value.Unwrapped>) -> Filter<Root> {
    compare(.greaterOrEqual, range.lowerBound)
  }

  /// Tests whether the value is at most the range's bound.
  ///
  /// The test is false if the value is nil.
  public func isIn(_ range: PartialRangeThrough<Value.Unwrapped>) -> Filter<Root> {
    compare(.lessOrEqual, range.upperBound)
  }

  /// Tests whether the value is less than the range's bound.
  ///
  /// The test is false if the value is nil.
  public func isIn(_ range: PartialRangeUpTo<Value.Unwrapped>) -> Filter<Root> {
    compare(.less, range.upperBound)
  }
}
