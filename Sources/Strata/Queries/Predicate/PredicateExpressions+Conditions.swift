internal import Foundation

extension PredicateExpressions.Conjunction: TranslatableExpression {
  func term(_ translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
    .condition(.and(try translation.condition(lhs), try translation.condition(rhs)))
  }
}

extension PredicateExpressions.Disjunction: TranslatableExpression {
  func term(_ translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
    .condition(.or(try translation.condition(lhs), try translation.condition(rhs)))
  }
}

extension PredicateExpressions.Negation: TranslatableExpression {
  func term(_ translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
    .condition(try translation.condition(wrapped).negation)
  }
}

extension PredicateExpressions.Equal: TranslatableExpression {
  func term(_ translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
    .condition(try translation.equality(lhs, rhs))
  }
}

extension PredicateExpressions.NotEqual: TranslatableExpression {
  func term(_ translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
    .condition(try translation.equality(lhs, rhs).negation)
  }
}

extension PredicateTranslation {
  fileprivate mutating func equality(
    _ a: any PredicateExpression, _ b: any PredicateExpression
  ) throws(QueryError) -> FilterNode {
    // A condition compared with `true`, `false` or `nil` stays a condition, which can use an index.
    if case .constant(let constant) = try term(b), let filter = try equality(a, constant) {
      return filter
    }
    if case .constant(let constant) = try term(a), let filter = try equality(b, constant) {
      return filter
    }
    return .compare(try value(a), .equal, try value(b))
  }

  private mutating func equality(
    _ expression: any PredicateExpression, _ constant: PredicateConstant
  ) throws(QueryError) -> FilterNode? {
    switch try term(expression) {
    case .condition(let filter):
      return constant.bool.map { $0 ? filter : filter.negation }
    case .optionalCondition(let isThere, let filter):
      if constant.isNil { return isThere.negation }
      return constant.bool.map { .and(isThere, $0 ? filter : filter.negation) }
    default: return nil
    }
  }
}

extension PredicateExpressions.Comparison: TranslatableExpression {
  func term(_ translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
    guard LHS.Output.self is any ComparableValue.Type else {
      throw .unsupported(self, "\(LHS.Output.self) has no order in the store")
    }
    let comparison: ComparisonOperator =
      switch op {
      case .lessThan: .less
      case .lessThanOrEqual: .lessOrEqual
      case .greaterThan: .greater
      case .greaterThanOrEqual: .greaterOrEqual
      @unknown default: throw .unsupported(self, "this comparison is not known")
      }
    return .condition(
      .compare(try translation.value(lhs), comparison, try translation.value(rhs)))
  }
}

extension PredicateExpressions.Conditional: TranslatableExpression {
  func term(_ translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
    let test = try translation.condition(self.test)
    if Output.self == Bool.self {
      let (yes, no) = (
        try translation.condition(trueBranch), try translation.condition(falseBranch)
      )
      return .condition(.or(.and(test, yes), .and(test.negation, no)))
    }
    return .value(
      .conditional(test, try translation.value(trueBranch), try translation.value(falseBranch)))
  }
}

// MARK: - Optionals

extension PredicateExpressions.NilLiteral: TranslatableExpression {
  func term(_ translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
    .constant(PredicateConstant(Optional<Wrapped>.none))
  }
}

extension PredicateExpressions.NilCoalesce: TranslatableExpression {
  func term(_ translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
    if case .optionalCondition(let isThere, let filter) = try translation.term(lhs) {
      let other = try translation.condition(rhs)
      return .condition(.or(.and(isThere, filter), .and(isThere.negation, other)))
    }
    return .value(.coalesced(try translation.value(lhs), try translation.value(rhs)))
  }
}

extension PredicateExpressions.OptionalFlatMap: TranslatableExpression {
  func term(_ translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
    let value = try translation.value(wrapped)
    let isThere = FilterNode.compare(value, .notEqual, .literal(.null))
    switch try translation.term(transform, with: variable.key, as: .value(value)) {
    case .condition(let filter): return .optionalCondition(isThere: isThere, filter)
    case .optionalCondition(let isAlsoThere, let filter):
      return .optionalCondition(isThere: .and(isThere, isAlsoThere), filter)
    case .value(let node): return .value(.conditional(isThere, node, .literal(.null)))
    case .constant(let constant):
      let node = ExpressionNode.literal(try constant.cell(in: transform))
      return .value(.conditional(isThere, node, .literal(.null)))
    case .path, .range: throw .unsupported(self, "a query cannot do this")
    }
  }
}

/// Where the value is missing, comparisons with it are false.
extension PredicateExpressions.ForcedUnwrap: TranslatableExpression {
  func term(_ translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
    try translation.term(inner)
  }
}
