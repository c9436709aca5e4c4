internal import Foundation

/// A translation of a predicate's tree into a filter.
///
/// The expressions are generic structs. Each supported type conforms to ``TranslatableExpression``
/// and translates itself. All other types are not supported.
struct PredicateTranslation {
  /// The attributes that key paths may lead to.
  private let attributes: [AttributeDefinition]
  private let entity: String
  private var variables: [PredicateExpressions.VariableID: PredicateTerm] = [:]

  static func filter<E: Entity>(_ predicate: Predicate<E>) throws(QueryError) -> FilterNode {
    var translation = PredicateTranslation(E.schema.definition)
    translation.variables[predicate.variable.key] = .path(nil)
    return try translation.condition(predicate.expression)
  }

  private init(_ definition: EntityDefinition) {
    entity = definition.entity
    attributes =
      [definition.key]
      + definition.elements.compactMap { element in
        if case .attribute(let attribute) = element.content { attribute } else { nil }
      }
  }

  // MARK: Expressions

  /// Returns the term for an expression.
  mutating func term(_ expression: any PredicateExpression) throws(QueryError) -> PredicateTerm {
    guard let expression = expression as? any TranslatableExpression else {
      throw .unsupported(expression, "a query cannot do this")
    }
    return try expression.term(&self)
  }

  /// Returns an expression as a value to compare or to compute with.
  mutating func value(_ expression: any PredicateExpression) throws(QueryError) -> ExpressionNode {
    switch try term(expression) {
    case .value(let node): return node
    case .condition(let filter): return Self.bool(filter)
    case .optionalCondition(let isThere, let filter):
      return .conditional(isThere, Self.bool(filter), .literal(.null))
    case .constant(let constant): return .literal(try constant.cell(in: expression))
    case .path(let path?):
      throw .unsupported(expression, "\(path.shown(of: entity)) is no attribute of \(entity)")
    case .path(nil): throw .unsupported(expression, "an entity is no value")
    case .range: throw .unsupported(expression, "a range is no value")
    }
  }

  /// Returns an expression as a condition.
  mutating func condition(
    _ expression: any PredicateExpression
  ) throws(QueryError) -> FilterNode {
    switch try term(expression) {
    case .condition(let filter): filter
    case .optionalCondition(let isThere, let filter): .and(isThere, filter)
    default: .compare(try value(expression), .equal, .literal(.integer(1)))
    }
  }

  private static func bool(_ filter: FilterNode) -> ExpressionNode {
    .conditional(filter, .literal(.integer(1)), .literal(.integer(0)))
  }

  // MARK: Variables and key paths

  func variable(_ id: PredicateExpressions.VariableID) -> PredicateTerm? { variables[id] }

  /// Returns the term for an expression in which a variable stands for `value`.
  mutating func term(
    _ expression: any PredicateExpression, with id: PredicateExpressions.VariableID,
    as value: PredicateTerm
  ) throws(QueryError) -> PredicateTerm {
    variables[id] = value
    defer { variables[id] = nil }
    return try term(expression)
  }

  /// Returns the term for a key path from the entity.
  ///
  /// The key path leads to an attribute, or is a part of an attribute's path.
  func term(at path: AnyKeyPath) -> PredicateTerm {
    // The schema's own path is known to be Sendable. `path` only equals it.
    let attribute = attributes.first { $0.path as AnyKeyPath == path }
    return attribute.map { .value(.attribute(AttributeReference($0.path))) } ?? .path(path)
  }
}

/// The meaning of a part of a predicate.
indirect enum PredicateTerm {
  /// The entity itself, or a key path from it that is not an attribute.
  ///
  /// The key path may be a part of an attribute's path.
  case path(AnyKeyPath?)
  case value(ExpressionNode)
  case condition(FilterNode)
  /// A Bool that is missing unless the first condition holds.
  case optionalCondition(isThere: FilterNode, FilterNode)
  case constant(PredicateConstant)
  case range(lower: ExpressionNode, upper: ExpressionNode, includesUpper: Bool)
}

/// A captured or literal value of a predicate.
struct PredicateConstant {
  let value: Any
  let type: any Any.Type

  init<Value>(_ value: Value) {
    self.value = value
    type = Value.self
  }

  var bool: Bool? { value as? Bool }
  var isNil: Bool { if case .null? = try? cell(in: value) { true } else { false } }

  /// Returns the value as SQLite stores it.
  func cell(in expression: Any) throws(QueryError) -> Cell {
    guard let type = type as? any AttributeValue.Type else {
      throw .unsupported(expression, "\(type) is no type of attribute")
    }
    return try cell(type, expression)
  }

  private func cell<Value: AttributeValue>(
    _: Value.Type, _ expression: Any
  ) throws(QueryError) -> Cell {
    guard let value = value as? Value else {
      throw .unsupported(expression, "\(Value.self) was expected")
    }
    do throws(ValueError) { return try value.cell } catch {
      throw QueryError(
        code: .invalidValue, message: error.message, advice: "compare with another value",
        expression: "\(expression)")
    }
  }
}

/// An expression of a predicate that can become part of a filter.
protocol TranslatableExpression: PredicateExpression {
  func term(_ translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm
}
