/// An entity that a search of full text found.
public struct SearchResult<Found: Entity>: Sendable {
  /// The entity, unsaved edits included.
  public let entity: Found
  /// How good a match it is: the more, the better. 0 for an entity that matches only with edits
  /// that are not saved. To be compared within one result, not with other searches.
  public let relevance: Double
  /// The part of the entity's text with the best matches.
  public let excerpt: Excerpt
  private let table: Table
  private let attributes: [Int: Excerpt]

  init(
    _ entity: Found, relevance: Double, excerpt: Excerpt, attributes: [Int: Excerpt], _ table: Table
  ) {
    self.entity = entity
    self.relevance = relevance
    self.excerpt = excerpt
    self.attributes = attributes
    self.table = table
  }

  /// The whole text of an attribute, with what matched.
  ///
  /// Nil if the attribute is nil, or not ``Attribute/fullText(weight:)``.
  public func highlighted(_ path: any KeyPath<Found, some TextValue> & Sendable) -> Excerpt? {
    table.column(for: path).flatMap { attributes[$0] }
  }
}

extension FetchSource {
  /// The entities that a search of full text found, each with its relevance and an excerpt.
  ///
  /// ```swift
  /// for found in try await view.search(Song.matching(.prefix(field)).limit(20)) {
  ///   print(found.entity.title, found.excerpt.text)
  /// }
  /// ```
  ///
  /// In the query's order, and within that the most relevant first.
  ///
  /// - Parameters:
  ///   - query: a query with `matching(_:)`; of several, the first one is ranked and shown.
  ///   - excerptLength: the most words of an excerpt; less than 1 counts as 1, more than 64 as 64.
  /// - Throws: ``StoreError`` as ``FetchSource`` says.
  /// - Complexity: as `fetch`; the texts of all results are split into words once more.
  public nonisolated(nonsending) func search<E: Entity>(
    _ query: Query<E>, excerptLength: Int = 24
  ) async throws(StoreError) -> [SearchResult<E>] {
    try await answer(
      FetchRequest { fetch throws(StoreError) in
        try await fetch.search(query, excerptLength: excerptLength)
      })
  }
}

extension LayeredFetch {
  func search<E: Entity>(
    _ query: Query<E>, excerptLength: Int
  ) async throws(StoreError) -> [SearchResult<E>] {
    var query = query
    if query.ranking == nil {
      query.ranking = Ranking(kind: .relevance, position: query.sorts.count)
    }
    let plan = try QueryPlan(query, model)
    guard case .relevance(let search)? = plan.ranking else {
      throw .query("a search cannot be in the order of distances", entity: plan.table.entity)
    }
    let records = try await records(plan)
    let excerpts = try await snapshot.excerpts(of: search, in: records, length: excerptLength)
    var results: [SearchResult<E>] = []
    for (record, found) in zip(records, excerpts) {
      var attributes: [Int: Excerpt] = [:]
      for (column, excerpt) in zip(search.index.columns, found.attributes) {
        attributes[column] = excerpt
      }
      var relevance = 0.0
      if case .real(let rank) = record[plan.table.columns.count] { relevance = 0 - rank }
      results.append(
        SearchResult(
          try entity(record, plan.table), relevance: relevance, excerpt: found.excerpt,
          attributes: attributes, plan.table))
    }
    return results
  }
}
