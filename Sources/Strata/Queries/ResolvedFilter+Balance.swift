extension ResolvedFilter {
  /// Returns the conjunction of the conditions, as a tree that is no deeper than necessary.
  static func and(_ filters: [ResolvedFilter]) -> ResolvedFilter {
    balanced(filters) { .and($0, $1) }
  }

  /// Returns the disjunction of the conditions, as a tree that is no deeper than necessary.
  static func or(_ filters: [ResolvedFilter]) -> ResolvedFilter {
    balanced(filters) { .or($0, $1) }
  }

  private static func balanced(
    _ filters: [ResolvedFilter], _ connect: (ResolvedFilter, ResolvedFilter) -> ResolvedFilter
  ) -> ResolvedFilter {
    guard let all = filters.joinedByHalves(connect) else { fatalError("a junction of nothing") }
    return all
  }

  /// The greatest number of connected conditions that are nested in each other.
  var nesting: Int {
    switch self {
    case .and(let a, let b), .or(let a, let b): 1 + max(a.nesting, b.nesting)
    case .not(let filter): filter.nesting
    case .any(let rows): 1 + (rows.filter?.nesting ?? 0)
    case .bounded(let bound): bound.attributes.count
    case .compare, .relate, .isIn, .text, .fullText, .place: 0
    }
  }
}

extension [ResolvedFilter] {
  /// Returns the alternatives with `a == 1 || a == 2 || …` merged into a list.
  ///
  /// A list can be longer than the number of parameters of a statement, and is looked up in an
  /// index.
  func mergingEqualities() -> [ResolvedFilter] {
    if count < 4 { return self }
    var lists: [String: (attribute: ResolvedAttribute, values: Set<Cell>)] = [:]
    var merged: [ResolvedFilter] = []
    for filter in self {
      if case .compare(let attribute, .equal, let literal) = filter {
        lists[attribute.name, default: (attribute, [])].values.insert(literal.record[0])
      } else {
        merged.append(filter)
      }
    }
    for (_, list) in lists.sorted(by: { $0.key < $1.key }) {
      merged.append(.isIn(.attribute(list.attribute), list.values))
    }
    return merged
  }
}
