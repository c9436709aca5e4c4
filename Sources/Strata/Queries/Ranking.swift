internal import StrataSQLite

/// An order that no attribute has: by relevance, or by distance.
struct Ranking: Sendable {
  enum Kind: Sendable {
    case relevance
    case distance(PlaceReference, Coordinate)
  }

  let kind: Kind
  /// The number of sorts that come before it.
  let position: Int
}

/// A ranking whose attributes are columns. What it sorts by is a cell behind those of the row.
enum ResolvedRanking: Sendable {
  /// FTS5's BM25: the less, the better, and never more than 0.
  case relevance(ResolvedSearch)
  case distance(ResolvedPlace, Coordinate)

  /// The name of the cell in SQL.
  static let name = "strata_rank"

  /// The index that a query has to read beside its table.
  var source: String {
    switch self {
    case .relevance(let search):
      " JOIN \(search.index.index.name.quotedIdentifier) AS f ON f.rowid = \(search.rowID)"
    case .distance: ""
    }
  }

  func append(to sql: inout SQLBuilder) {
    switch self {
    case .relevance(let search):
      sql.append("bm25(f.\(search.index.index.name.quotedIdentifier)")
      for weight in search.index.weights {
        sql.append(", ")
        sql.append(parameter: .real(weight))
      }
      sql.append(")")
    case .distance(let place, let center): place.appendMeters(to: center, in: &sql)
    }
    sql.append(" AS \(Self.name)")
  }

  /// The row with the cell.
  ///
  /// - Parameter stored: the row as a query returned it, if it did. A row that matches only with
  ///   edits that the index does not know has the least relevance.
  func rank(_ record: Record, like stored: Record?) -> Record {
    switch self {
    case .relevance:
      let cell = stored.map { $0[record.count] } ?? .real(0)
      return record.appending(cell)
    case .distance(let place, let center):
      let found = record.withView {
        $0.place(latitude: place.latitude.column, longitude: place.longitude.column)
      }
      return record.appending(found.map { .real($0.meters(to: center)) } ?? .null)
    }
  }
}

// MARK: - The nearest

extension QueryPlan {
  /// Whether only the rows around a place are wanted.
  func isNarrowed(by limit: Int?) -> Bool {
    guard limit != nil, case .distance? = ranking else { return false }
    return isRankedFirst
  }

  /// The query within a circle that has as many rows as are wanted: the whole Earth need not be
  /// sorted to find the nearest ten.
  ///
  /// - Complexity: O(*m* log *n*), *m* the places in a circle of at most four times the radius
  ///   needed.
  func narrowed(
    to limit: Int?, _ connection: Connection, _ model: Model
  ) throws(StoreError) -> QueryPlan {
    guard isNarrowed(by: limit), let limit, case .distance(let place, let center)? = ranking else {
      return self
    }
    var meters = 16.0
    while meters < GreatCircle.radius {
      let circle = filtered(by: .place(place, .circle(center, meters: meters)))
      let statement = try connection.prepared(circle.count(upTo: limit), model)
      defer { statement.reset() }
      let count = try translatingErrors { () throws(SQLiteError) in
        try statement.step() ? Int(statement.integer(0)) : 0
      }
      if count >= limit { return circle }
      meters *= 4
    }
    return self
  }
}
