/// A value in a filter without its type: an attribute, or a value computed from attributes.
indirect enum ExpressionNode: Sendable {
  case attribute(AttributeReference)
  case literal(Cell)
  case arithmetic(ArithmeticOperator, ExpressionNode, ExpressionNode, depth: Int)
  /// The first value, or the second value where the first is null.
  case coalesced(ExpressionNode, ExpressionNode, depth: Int)
  case conditional(FilterNode, ExpressionNode, ExpressionNode, depth: Int)
  case folded(ExpressionNode)
  /// The number of bytes of a text.
  case byteCount(ExpressionNode)
  /// The number of rows of a relationship that meet a condition.
  case count(RelationReference, FilterNode?)
  /// A value that no attribute can hold.
  ///
  /// Running the query reports it.
  case invalid(String, ValueError)

  /// Creates a literal of the value, to be compared with `other`.
  init<Value: AttributeValue>(_ value: Value, for other: ExpressionNode? = nil) {
    do throws(ValueError) {
      self = .literal(try value.cell)
    } catch {
      self = .invalid(other?.name ?? "\(Value.self)", error)
    }
  }

  /// The number of expressions that are nested in each other.
  var depth: Int {
    switch self {
    case .attribute, .literal, .invalid: 0
    case .arithmetic(_, _, _, let depth), .coalesced(_, _, let depth): depth
    case .conditional(_, _, _, let depth): depth
    case .folded(let text), .byteCount(let text): 1 + text.depth
    case .count(_, let filter): 1 + (filter?.depth ?? 0)
    }
  }

  /// The name of the expression in messages.
  var name: String {
    switch self {
    case .attribute(let reference): "\(reference.path)"
    case .folded(let text), .byteCount(let text): text.name
    case .literal(let cell): "\(cell)"
    case .invalid(let name, _): name
    case .arithmetic, .coalesced, .conditional, .count: "a computed value"
    }
  }

  static func arithmetic(
    _ operation: ArithmeticOperator, _ a: ExpressionNode, _ b: ExpressionNode
  ) -> ExpressionNode {
    let node = ExpressionNode.arithmetic(operation, a, b, depth: 1 + max(a.depth, b.depth))
    return node.checked
  }

  static func coalesced(_ a: ExpressionNode, _ b: ExpressionNode) -> ExpressionNode {
    let node = ExpressionNode.coalesced(a, b, depth: 1 + max(a.depth, b.depth))
    return node.checked
  }

  static func conditional(
    _ condition: FilterNode, _ a: ExpressionNode, _ b: ExpressionNode
  ) -> ExpressionNode {
    let depth = 1 + max(condition.depth, a.depth, b.depth)
    return ExpressionNode.conditional(condition, a, b, depth: depth).checked
  }

  static func counted(_ relation: RelationReference, _ filter: FilterNode?) -> ExpressionNode {
    ExpressionNode.count(relation, filter).checked
  }

  private var checked: ExpressionNode {
    depth <= FilterNode.maximumDepth
      ? self : .invalid(name, ValueError("it is nested more than 200 levels deep"))
  }
}

/// The rows that a to-many or many-to-many relationship leads to.
struct RelationReference: Sendable {
  enum Kind: Sendable {
    /// The targets have the root's key in an attribute.
    case toMany(inverse: SendablePath)
    case links(LinkReference)
  }

  /// The to-one references from the query's entity to the entity that has the relationship.
  let hops: [AttributeReference.Hop]
  let kind: Kind
  let target: any Entity.Type
}
