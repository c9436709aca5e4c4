extension QueryResolver {
  /// Resolves a query's ranking, and marks the search that a ranking by relevance uses.
  mutating func resolve(
    _ ranking: Ranking, _ filter: inout ResolvedFilter?
  ) throws(StoreError) -> ResolvedRanking {
    switch ranking.kind {
    case .relevance:
      guard let search = filter?.markRanked() else {
        throw .query(
          "a query that is sorted by relevance needs .matching(…), and not in an alternative or a "
            + "negation", entity: root.entity)
      }
      return .relevance(search)
    case .distance(let reference, let center):
      let place = try resolve(reference, .anywhere)
      if !center.isValid {
        throw .query("\(center) is not a place on the Earth", entity: root.entity)
      }
      return .distance(place, center)
    }
  }
}

extension ResolvedFilter {
  /// Marks and returns the first search of the query's own table that every row must meet.
  fileprivate mutating func markRanked() -> ResolvedSearch? {
    switch self {
    case .fullText(var search) where search.join == 0:
      search.isRanked = true
      self = .fullText(search)
      return search
    case .and(var a, var b):
      let found = a.markRanked() ?? b.markRanked()
      self = .and(a, b)
      return found
    default: return nil
    }
  }
}
