internal import Foundation

// MARK: - Ranges

extension PredicateExpressions.ClosedRange: TranslatableExpression {
  func term(_ translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
    .range(
      lower: try translation.value(lower), upper: try translation.value(upper),
      includesUpper: true)
  }
}

extension PredicateExpressions.Range: TranslatableExpression {
  func term(_ translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
    .range(
      lower: try translation.value(lower), upper: try translation.value(upper),
      includesUpper: false)
  }
}

extension PredicateExpressions.RangeExpressionContains: TranslatableExpression {
  func term(_ translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
    guard Element.Output.self is any ComparableValue.Type else {
      throw .unsupported(self, "\(Element.Output.self) has no order in the store")
    }
    let element = try translation.value(self.element)
    let term = try translation.term(range)
    if case .range(let lower, let upper, let includesUpper) = term {
      return .condition(
        .and(
          .compare(element, .greaterOrEqual, lower),
          .compare(element, includesUpper ? .lessOrEqual : .less, upper)))
    }
    if case .constant(let constant) = term, let range = constant.value as? any BoundedRange {
      return .condition(try range.contains(element, in: self))
    }
    throw .unsupported(self, "a query cannot look into this range")
  }
}

/// A captured range.
private protocol BoundedRange {
  associatedtype Bound
  /// The bounds, with nil on a side without a bound.
  var bounds: (lower: Bound?, upper: Bound?, includesUpper: Bool) { get }
}

extension BoundedRange {
  func contains(_ element: ExpressionNode, in expression: Any) throws(QueryError) -> FilterNode {
    var filters: [FilterNode] = []
    if let lower = bounds.lower {
      let cell = try PredicateConstant(lower).cell(in: expression)
      filters.append(.compare(element, .greaterOrEqual, .literal(cell)))
    }
    if let upper = bounds.upper {
      let cell = try PredicateConstant(upper).cell(in: expression)
      filters.append(
        .compare(element, bounds.includesUpper ? .lessOrEqual : .less, .literal(cell)))
    }
    guard let first = filters.first else {
      throw .unsupported(expression, "the range has no bounds")
    }
    return filters.dropFirst().reduce(first) { .and($0, $1) }
  }
}

extension Swift.ClosedRange: BoundedRange {
  fileprivate var bounds: (lower: Bound?, upper: Bound?, includesUpper: Bool) {
    (lowerBound, upperBound, true)
  }
}

extension Swift.Range: BoundedRange {
  fileprivate var bounds: (lower: Bound?, upper: Bound?, includesUpper: Bool) {
    (lowerBound, upperBound, false)
  }
}

extension PartialRangeFrom: BoundedRange {
  fileprivate var bounds: (lower: Bound?, upper: Bound?, includesUpper: Bool) {
    (lowerBound, nil, false)
  }
}

extension PartialRangeThrough: BoundedRange {
  fileprivate var bounds: (lower: Bound?, upper: Bound?, includesUpper: Bool) {
    (nil, upperBound, true)
  }
}

extension PartialRangeUpTo: BoundedRange {
  fileprivate var bounds: (lower: Bound?, upper: Bound?, includesUpper: Bool) {
    (nil, upperBound, false)
  }
}

// MARK: - Collections and texts

extension PredicateExpressions.SequenceContains: TranslatableExpression {
  func term(_ translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
    guard case .constant(let constant) = try translation.term(sequence) else {
      throw .unsupported(self, "only captured collections can be asked for what they contain")
    }
    let element = try translation.value(self.element)
    // A range of integers is also a sequence, and may be endless.
    if let range = constant.value as? any BoundedRange {
      return .condition(try range.contains(element, in: self))
    }
    guard let values = constant.value as? LHS.Output else {
      throw .unsupported(self, "the collection is of another type")
    }
    var cells: Set<Cell> = []
    for value in values { cells.insert(try PredicateConstant(value).cell(in: self)) }
    return .condition(.isIn(element, cells))
  }
}

extension PredicateTranslation {
  fileprivate mutating func text(
    _ text: any PredicateExpression, _ match: TextMatch, _ part: any PredicateExpression,
    in expression: Any
  ) throws(QueryError) -> PredicateTerm {
    guard case .constant(let constant) = try term(part), let part = constant.value as? String else {
      throw .unsupported(expression, "a text can be searched for a captured text only")
    }
    return .condition(.text(try value(text), match, part))
  }
}

extension PredicateExpressions.CollectionContainsCollection: TranslatableExpression {
  func term(_ translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
    try translation.text(base, .contains, other, in: self)
  }
}

extension PredicateExpressions.SequenceStartsWith: TranslatableExpression {
  func term(_ translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
    try translation.text(base, .prefix, prefix, in: self)
  }
}
