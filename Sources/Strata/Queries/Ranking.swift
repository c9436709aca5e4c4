internal import StrataSQLite

/// An order by relevance or by distance, which no attribute holds.
struct Ranking: Sendable {
  enum Kind: Sendable {
    case relevance
    case distance(PlaceReference, Coordinate)
  }

  let kind: Kind
  /// The number of sorts that come before the ranking.
  let position: Int
}

/// A ranking whose attributes are columns.
///
/// It sorts by an additional cell that follows the row's cells.
enum ResolvedRanking: Sendable {
  /// FTS5's BM25, which is never more than 0 and is lower for better matches.
  case relevance(ResolvedSearch)
  case distance(ResolvedPlace, Coordinate)

  /// The name of the cell in SQL.
  static let name = "strata_rank"

  /// The join with the index that a query has to read beside its table.
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

  /// Returns the row with the ranking's cell.
  ///
  /// - Parameter stored: the row as a query returned it; nil if it did not. A row that matches only
  ///   with edits, which the index does not know, has the least relevance.
  func rank(_ record: Record, like stored: Record?) -> Record {
    switch self {
    case .relevance: return record.appending(number: stored.map { $0[record.count] } ?? .real(0))
    case .distance(let place, let center):
      let found = record.withView {
        $0.place(latitude: place.latitude.column, longitude: place.longitude.column)
      }
      return record.appending(number: found.map { .real($0.meters(to: center)) } ?? .null)
    }
  }
}

// MARK: - The nearest

extension QueryPlan {
  /// Returns whether only the rows around a place are wanted.
  func isNarrowed(by limit: Int?) -> Bool {
    guard limit != nil, case .distance? = ranking else { return false }
    return isRankedFirst
  }

  /// Returns the query within a circle that has as many rows as are wanted.
  ///
  /// Finding the nearest ten rows then need not sort the whole Earth.
  ///
  /// - Complexity: O(*m* log *n*), with *m* places in a circle of at most four times the radius
  ///   needed, among *n* places.
  func narrowed(
    to limit: Int?, _ connection: Connection, _ model: Model
  ) throws(StoreError) -> QueryPlan {
    guard isNarrowed(by: limit), let limit, case .distance(let place, let center)? = ranking else {
      return self
    }
    var meters = 16.0
    while meters < GreatCircle.radius {
      let circle = filtered(by: .place(place, .circle(center, meters: meters)))
      let count = try connection.prepared(circle.count(upTo: limit), model).firstInteger() ?? 0
      if count >= limit { return circle }
      meters *= 4
    }
    return self
  }
}
