extension Fields {
  /// Tests whether the entity's full text has all of the words.
  ///
  /// It is the same as `matches(.words(words))`. Nothing in the text is syntax.
  public func matches(_ words: String) -> Filter<Root> { matches(.words(words)) }

  /// Tests whether the entity's full text matches a search.
  ///
  /// - Complexity: O(*m* log *n*), with *m* matches among *n* entities.
  public func matches(_ text: SearchText) -> Filter<Root> {
    Filter(node: .fullText(FullTextReference(hops: hops, text: text, paths: [])))
  }

  /// Tests whether some attributes of the entity, taken together, match a search.
  public func matches<each Value: TextValue>(
    _ text: SearchText, in paths: repeat any KeyPath<Target, each Value> & Sendable
  ) -> Filter<Root> {
    var all: [SendablePath] = []
    repeat all.append(each paths)
    return Filter(node: .fullText(FullTextReference(hops: hops, text: text, paths: all)))
  }
}

extension Query {
  /// Returns the query for only the entities whose full text has all of the words.
  ///
  /// Nothing in the text is syntax.
  public func matching(_ words: String) -> Self { matching(.words(words)) }

  /// Returns the query for only the entities whose full text matches a search.
  public func matching(_ text: SearchText) -> Self { self.where { $0.matches(text) } }

  /// Returns the query with the best matches first, within the order given so far.
  ///
  /// The query needs a search by ``matching(_:)-(SearchText)``. If there are several, the first one
  /// counts. FTS5's BM25 rates the matches with the attributes' weights. Rare words and words in
  /// short texts count more. The rating depends on all entities of the type, so a live query in
  /// this order is loaded again whenever one of them changes.
  public func sortedByRelevance() -> Self {
    var copy = self
    copy.ranking = Ranking(kind: .relevance, position: sorts.count)
    return copy
  }
}

extension Entity {
  /// Returns the query for the entities whose full text has all of the words.
  public static func matching(_ words: String) -> Query<Self> { Query().matching(words) }

  /// Returns the query for the entities whose full text matches a search.
  public static func matching(_ text: SearchText) -> Query<Self> { Query().matching(text) }
}

/// A search in the full text of the query's entity, or of an entity that it refers to.
struct FullTextReference: Sendable {
  /// The to-one references to follow.
  let hops: [AttributeReference.Hop]
  let text: SearchText
  /// The searched attributes, or an empty list for all.
  let paths: [SendablePath]
}

/// A search resolved against a table.
struct ResolvedSearch: Sendable {
  /// The position among the searches of one table.
  let number: Int
  /// The searched table, numbered as in ``Join/source``.
  let join: Int
  let index: TableSearch.Text
  /// The expression for FTS5.
  let expression: String
  /// The parts of texts that the search finds; nil if FTS5 alone can tell.
  let parts: [String]?
  /// The row number of the searched table, as SQL.
  let rowID: String
  /// Whether the query joins the index, because it sorts the rows by the relevance of their
  /// matches.
  var isRanked = false
}

extension ResolvedSearch {
  /// The columns that the search reads.
  var attributes: [ResolvedAttribute] {
    index.columns.map { ResolvedAttribute(join: join, column: $0, name: "") }
  }

  func append(to sql: inout SQLBuilder, negated: Bool) {
    let name = index.index.name.quotedIdentifier
    if isRanked && !negated {
      sql.append("f.\(name) MATCH ")
      sql.append(parameter: .text(expression))
      return
    }
    // A reference that leads nowhere has no row number.
    if negated { sql.append("(\(rowID) IS NULL OR ") }
    sql.append(
      "\(rowID) \(negated ? "NOT IN" : "IN") (SELECT rowid FROM \(name) WHERE \(name) MATCH ")
    sql.append(parameter: .text(expression))
    sql.append(negated ? "))" : ")")
  }
}
