extension Fields {
  /// Whether the entity's full text has every one of the words.
  ///
  /// The same as `matches(.words(words))`: nothing in the text is syntax.
  public func matches(_ words: String) -> Filter<Root> { matches(.words(words)) }

  /// Whether the entity's full text has what is looked for.
  ///
  /// - Complexity: O(*m* log *n*), *m* the matches among *n* entities.
  public func matches(_ text: SearchText) -> Filter<Root> {
    Filter(node: .fullText(FullTextReference(hops: hops, text: text, paths: [])))
  }

  /// Whether some attributes of the entity have what is looked for, together.
  public func matches<each Value: TextValue>(
    _ text: SearchText, in paths: repeat any KeyPath<Target, each Value> & Sendable
  ) -> Filter<Root> {
    var all: [SendablePath] = []
    repeat all.append(each paths)
    return Filter(node: .fullText(FullTextReference(hops: hops, text: text, paths: all)))
  }
}

extension Query {
  /// Only those whose full text has every one of the words; nothing in the text is syntax.
  public func matching(_ words: String) -> Self { matching(.words(words)) }

  /// Only those whose full text has what is looked for.
  public func matching(_ text: SearchText) -> Self { self.where { $0.matches(text) } }

  /// The best matches first, within the order given so far.
  ///
  /// For a query with ``matching(_:)-(SearchText)``; of several, the first one counts. How good a
  /// match is, FTS5's BM25 says, with the attributes' weights: rare words count more, and words in
  /// short texts. It depends on all entities of the type, so a live query in this order is loaded
  /// again whenever one of them changes.
  public func sortedByRelevance() -> Self {
    var copy = self
    copy.ranking = Ranking(kind: .relevance, position: sorts.count)
    return copy
  }
}

extension Entity {
  /// The query for the entities whose full text has every one of the words.
  public static func matching(_ words: String) -> Query<Self> { Query().matching(words) }

  /// The query for the entities whose full text has what is looked for.
  public static func matching(_ text: SearchText) -> Query<Self> { Query().matching(text) }
}

/// A search in the full text of an entity, or of one that it refers to.
struct FullTextReference: Sendable {
  /// The to-one references to follow.
  let hops: [AttributeReference.Hop]
  let text: SearchText
  /// The attributes that are searched; none for all.
  let paths: [SendablePath]
}

/// A search whose entity is a table.
struct ResolvedSearch: Sendable {
  /// Its place among the searches of one table.
  let number: Int
  /// The table that is searched, numbered as in ``Join/source``.
  let join: Int
  let index: TableSearch.Text
  /// What FTS5 is asked.
  let expression: String
  /// The row number of the table that is searched, as SQL.
  let rowID: String
  /// Whether the query reads the index itself, because its order is that of the matches.
  var isRanked = false
}

extension ResolvedSearch {
  /// The columns that it looks at.
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
