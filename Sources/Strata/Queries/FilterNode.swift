internal import StrataSQLite

/// A filter without its type, as a tree.
///
/// Both the SQL and the matcher in memory are made from this tree.
indirect enum FilterNode: Sendable {
  case compare(ExpressionNode, ComparisonOperator, ExpressionNode, TextCollation? = nil)
  case isIn(ExpressionNode, Set<Cell>)
  case text(ExpressionNode, TextMatch, String)
  /// Whether any row of a relationship meets a condition, or exists at all without a condition.
  case any(RelationReference, FilterNode?)
  case and(FilterJunction)
  case or(FilterJunction)
  case not(FilterNode)
  case fullText(FullTextReference)
  case place(PlaceReference, PlaceArea)
  /// A value in the filter that no attribute can hold.
  ///
  /// Running the query reports it.
  case invalid(String, ValueError)

  /// The filter that no row meets.
  static let never = FilterNode.isIn(.literal(.null), [])
  /// The filter that every row meets.
  static let always = FilterNode.not(.never)

  /// The answer of the filter if it is the same for every row; nil if it may depend on the row.
  var constant: Bool? {
    switch self {
    case .isIn(.literal(.null), let values) where values.isEmpty: false
    case .not(let filter): filter.constant.map { !$0 }
    default: nil
    }
  }

  /// The number of conditions that are nested in each other.
  var depth: Int {
    switch self {
    case .compare(let a, _, let b, _): max(a.depth, b.depth)
    case .isIn(let a, _), .text(let a, _, _): a.depth
    case .any(_, let filter): 1 + (filter?.depth ?? 0)
    case .and(let junction), .or(let junction): junction.depth
    // A negation never contains a negation, so the recursion adds at most one frame here.
    case .not(let filter): filter.depth
    case .fullText, .place, .invalid: 0
    }
  }

  static func and(_ a: FilterNode, _ b: FilterNode) -> FilterNode {
    if a.constant == true { return b }
    if b.constant == true { return a }
    if case .and(let junction) = a { return .and(junction.appending(b)).checked }
    return .and(FilterJunction(a, b)).checked
  }

  static func or(_ a: FilterNode, _ b: FilterNode) -> FilterNode {
    if a.constant == false { return b }
    if b.constant == false { return a }
    if case .or(let junction) = a { return .or(junction.appending(b)).checked }
    return .or(FilterJunction(a, b)).checked
  }

  /// The negated filter, in which two negations cancel out.
  var negation: FilterNode {
    if case .not(let filter) = self { return filter }
    return .not(self)
  }

  static func isIn(_ attribute: AttributeReference, _ values: some Sequence<Cell>) -> FilterNode {
    .isIn(.attribute(attribute), Set(values))
  }

  /// Returns a comparison with a value, even if the value cannot be stored.
  ///
  /// Running the query reports such a value.
  static func compare<Value: AttributeValue>(
    _ expression: ExpressionNode, _ comparison: ComparisonOperator, with value: Value
  ) -> FilterNode {
    .compare(expression, comparison, ExpressionNode(value, for: expression))
  }

  static func equal<Value: AttributeValue>(
    _ attribute: AttributeReference, _ value: Value
  ) -> FilterNode {
    compare(.attribute(attribute), .equal, with: value)
  }

  /// The greatest depth of a filter.
  ///
  /// Every walk over the tree takes one stack frame for each level. The limit keeps the walks
  /// within the small stacks of worker threads.
  static let maximumDepth = 200

  var checked: FilterNode {
    depth <= Self.maximumDepth
      ? self : .invalid("the filter", ValueError("it is nested more than 200 levels deep"))
  }
}

/// Conditions that are all connected by `&&`, or all by `||`.
///
/// A program may connect thousands of conditions in a loop. Two parts of the same size are joined
/// into one part, as with a carry in counting. Appending therefore costs O(log n), and the tree
/// stays O(log n) deep. SQLite refuses expressions that are deeper than 1,000.
struct FilterJunction: Sendable {
  private indirect enum Tree: Sendable {
    case leaf(FilterNode)
    case pair(Tree, Tree)
  }

  /// The parts, with the larger ones first.
  private var parts: [(tree: Tree, size: Int)]
  /// The depth of the deepest condition, this junction included.
  private(set) var depth: Int

  init(_ a: FilterNode, _ b: FilterNode) {
    parts = [(.pair(.leaf(a), .leaf(b)), 2)]
    depth = 1 + max(a.depth, b.depth)
  }

  func appending(_ node: FilterNode) -> FilterJunction {
    var copy = self
    copy.depth = max(depth, 1 + node.depth)
    copy.parts.append((.leaf(node), 1))
    while copy.parts.count > 1,
      copy.parts[copy.parts.count - 2].size == copy.parts[copy.parts.count - 1].size
    {
      let last = copy.parts.removeLast()
      let other = copy.parts.removeLast()
      copy.parts.append((.pair(other.tree, last.tree), last.size * 2))
    }
    return copy
  }

  /// The conditions in the order in which they were connected.
  var conditions: [FilterNode] {
    var found: [FilterNode] = []
    found.reserveCapacity(parts.reduce(0) { $0 + $1.size })
    var rest = parts.reversed().map(\.tree)
    while let tree = rest.popLast() {
      switch tree {
      case .leaf(let node): found.append(node)
      case .pair(let a, let b):
        rest.append(b)
        rest.append(a)
      }
    }
    return found
  }
}

package enum ComparisonOperator: Sendable {
  case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual

  /// Whether values are tested for equality alone, without an order.
  var isEquality: Bool { self == .equal || self == .notEqual }
}

package enum TextMatch: Sendable {
  case contains, prefix, suffix
}

/// An attribute of the query's entity, or of an entity that it refers to.
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
