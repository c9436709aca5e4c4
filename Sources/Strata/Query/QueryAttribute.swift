/// An attribute in a filter, to be compared with values.
public struct QueryAttribute<Root: Entity, Value: AttributeValue>: Sendable {
  let reference: AttributeReference

  private func compare(_ comparison: ComparisonOperator, _ value: Value) -> Filter<Root> {
    Filter(node: .compare(reference, comparison, with: value))
  }

  /// Whether the attribute has the value; nil equals nil.
  public static func == (left: Self, right: Value) -> Filter<Root> { left.compare(.equal, right) }

  /// Whether the attribute does not have the value.
  public static func != (left: Self, right: Value) -> Filter<Root> {
    left.compare(.notEqual, right)
  }

  /// Whether the attribute's value is among `values`.
  ///
  /// - Complexity: O(log *n*) a row in the store, O(1) in memory; at most 32,000 values.
  public func isIn(_ values: some Sequence<Value>) -> Filter<Root> {
    var cells: [Cell] = []
    do throws(ValueError) {
      for value in values { cells.append(try value.cell) }
    } catch {
      return Filter(node: .invalid(reference, error))
    }
    return Filter(node: .isIn(reference, cells))
  }
}

extension QueryAttribute where Value: ComparableValue {
  /// Whether the attribute is less than the value; false if it is nil.
  public static func < (left: Self, right: Value) -> Filter<Root> { left.compare(.less, right) }

  /// Whether the attribute is at most the value; false if it is nil.
  public static func <= (left: Self, right: Value) -> Filter<Root> {
    left.compare(.lessOrEqual, right)
  }

  /// Whether the attribute is greater than the value; false if it is nil.
  public static func > (left: Self, right: Value) -> Filter<Root> { left.compare(.greater, right) }

  /// Whether the attribute is at least the value; false if it is nil.
  public static func >= (left: Self, right: Value) -> Filter<Root> {
    left.compare(.greaterOrEqual, right)
  }

  /// Whether the attribute lies in the range, bounds included.
  public func isIn(_ range: ClosedRange<Value>) -> Filter<Root> where Value: Comparable {
    compare(.greaterOrEqual, range.lowerBound) && compare(.lessOrEqual, range.upperBound)
  }

  /// Whether the attribute lies in the range, upper bound excluded.
  public func isIn(_ range: Range<Value>) -> Filter<Root> where Value: Comparable {
    compare(.greaterOrEqual, range.lowerBound) && compare(.less, range.upperBound)
  }
}

extension QueryAttribute {
  /// Whether an optional attribute lies in the range, bounds included; false if it is nil.
  public func isIn<Wrapped: ComparableValue & Comparable>(
    _ range: ClosedRange<Wrapped>
  ) -> Filter<Root> where Value == Wrapped? {
    compare(.greaterOrEqual, range.lowerBound) && compare(.lessOrEqual, range.upperBound)
  }

  /// Whether an optional attribute lies in the range, upper bound excluded; false if it is nil.
  public func isIn<Wrapped: ComparableValue & Comparable>(
    _ range: Range<Wrapped>
  ) -> Filter<Root> where Value == Wrapped? {
    compare(.greaterOrEqual, range.lowerBound) && compare(.less, range.upperBound)
  }
}

extension QueryAttribute where Value: TextValue {
  /// Whether the text has `part` somewhere, compared byte by byte as UTF-8.
  public func contains(_ part: String) -> Filter<Root> { match(.contains, part) }

  /// Whether the text starts with `prefix`, compared byte by byte as UTF-8; uses an index.
  public func hasPrefix(_ prefix: String) -> Filter<Root> { match(.prefix, prefix) }

  /// Whether the text ends with `suffix`, compared byte by byte as UTF-8.
  public func hasSuffix(_ suffix: String) -> Filter<Root> { match(.suffix, suffix) }

  private func match(_ match: TextMatch, _ text: String) -> Filter<Root> {
    Filter(node: .text(reference, match, text))
  }
}
