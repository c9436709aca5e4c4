/// An entity that a full-text search found.
///
/// ```swift
/// for found in try await view.search(Note.matching(.prefix(field)).limit(20)) {
///   print(found.entity.title, found.excerpt.text, found.excerpt.matches.count)
/// }
/// ```
public struct SearchResult<Found: Entity>: Sendable {
  /// The entity, unsaved edits included.
  public let entity: Found
  /// The quality of the match; a greater number is better.
  ///
  /// An entity that matches only because of unsaved edits has 0. The numbers of different searches
  /// cannot be compared.
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

  /// Returns the whole text of an attribute, with the matches.
  ///
  /// The result is nil if the attribute is nil, or not ``Attribute/fullText(weight:)``.
  public func highlighted(_ path: any KeyPath<Found, some TextValue> & Sendable) -> Excerpt? {
    table.column(for: path).flatMap { attributes[$0] }
  }
}

extension FetchSource {
  /// Returns the entities that a full-text search found, each with its relevance and an excerpt.
  ///
  /// ```swift
  /// for found in try await view.search(Song.matching(.prefix(field)).limit(20)) {
  ///   print(found.entity.title, found.excerpt.text)
  /// }
  /// ```
  ///
  /// The results are in the query's order. Among equals, the most relevant result comes first.
  ///
  /// - Parameters:
  ///   - query: a query with `matching(_:)`; the first of several is ranked and shown.
  ///   - excerptLength: the maximum number of words of an excerpt; a number below 1 counts as 1, a
  ///     number above 64 as 64.
  /// - Throws: ``StoreError`` as ``FetchSource`` says.
  /// - Complexity: as `fetch`; the texts of all results are split into words once more.
  public nonisolated(nonsending) func search<E: Entity>(
    _ query: Query<E>, excerptLength: Int = 24
  ) async throws -> [SearchResult<E>] {
    try await _answer(
      _FetchRequest { fetch throws(StoreError) in
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
