internal import Foundation

extension PredicateExpressions.Variable: TranslatableExpression {
  func term(_ translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
    guard let term = translation.variable(key) else {
      throw .unsupported(self, "the variable is not the predicate's")
    }
    return term
  }
}

extension PredicateExpressions.KeyPath: TranslatableExpression {
  func term(_ translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
    switch try translation.term(root) {
    case .path(nil): return translation.term(at: keyPath)
    case .path(let path?):
      if let whole = path.appending(path: keyPath) { return translation.term(at: whole) }
    case .value(let node):
      if keyPath as AnyKeyPath == \String.isEmpty {
        return .condition(.compare(node, .equal, .literal(.text(""))))
      }
    case .condition, .optionalCondition, .constant, .range: break
    }
    // The description of a key path to a computed property is an address.
    throw .unsupported(
      "a property of \(type(of: keyPath).rootType) that is no attribute", "a query cannot follow")
  }
}

extension PredicateExpressions.Value: TranslatableExpression {
  func term(_ translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
    .constant(PredicateConstant(value))
  }
}

// MARK: - Arithmetic

extension PredicateTranslation {
  fileprivate mutating func arithmetic<Output>(
    _ operation: ArithmeticOperator, _ a: any PredicateExpression, _ b: any PredicateExpression,
    _: Output.Type, in expression: Any
  ) throws(QueryError) -> PredicateTerm {
    guard Output.self is any NumericValue.Type else {
      throw .unsupported(expression, "\(Output.self) is not stored as a number")
    }
    return .value(.arithmetic(operation, try value(a), try value(b)))
  }
}

extension PredicateExpressions.Arithmetic: TranslatableExpression {
  func term(_ translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
    let operation: ArithmeticOperator =
      switch op {
      case .add: .add
      case .subtract: .subtract
      case .multiply: .multiply
      @unknown default: throw .unsupported(self, "this arithmetic is not known")
      }
    return try translation.arithmetic(operation, lhs, rhs, Output.self, in: self)
  }
}

extension PredicateExpressions.FloatDivision: TranslatableExpression {
  func term(_ translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
    try translation.arithmetic(.divide, lhs, rhs, Output.self, in: self)
  }
}

extension PredicateExpressions.IntDivision: TranslatableExpression {
  func term(_ translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
    try translation.arithmetic(.divide, lhs, rhs, Output.self, in: self)
  }
}

extension PredicateExpressions.IntRemainder: TranslatableExpression {
  func term(_ translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
    try translation.arithmetic(.remainder, lhs, rhs, Output.self, in: self)
  }
}

extension PredicateExpressions.UnaryMinus: TranslatableExpression {
  func term(_ translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
    guard Output.self is any NumericValue.Type else {
      throw .unsupported(self, "\(Output.self) is not stored as a number")
    }
    return .value(
      .arithmetic(.subtract, .literal(.integer(0)), try translation.value(wrapped)))
  }
}
