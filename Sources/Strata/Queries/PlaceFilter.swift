/// A place in a filter, to be compared with regions and distances.
///
/// ```swift
/// struct Cafe: Entity {
///   var id = Key<Cafe>()
///   var latitude = 0.0
///   var longitude = 0.0
///
///   static let place = spatial(\.latitude, \.longitude)
///   static let schema = Schema<Cafe>("cafes", key: \.id) {
///     Attribute(\.latitude)
///     Attribute(\.longitude)
///     place
///   }
/// }
///
/// Cafe.where { $0.place.isWithin(meters: 500, of: harbour) }
/// ```
public struct QueryPlace<Root>: Sendable {
  let reference: PlaceReference

  /// Tests whether the place lies in a region, edges included.
  ///
  /// - Complexity: O(*m* log *n*), with *m* places in the region among *n* places.
  public func isIn(_ region: GeoRegion) -> Filter<Root> { filter(.region(region)) }

  /// Tests whether the place is at most `meters` away from another place, along the great circle.
  ///
  /// - Parameters:
  ///   - meters: the largest distance, 0 or more.
  ///   - center: the other place.
  /// - Complexity: O(*m* log *n*), with *m* places about as far away among *n* places.
  public func isWithin(meters: Double, of center: Coordinate) -> Filter<Root> {
    filter(.circle(center, meters: meters))
  }

  /// Whether the entity has a place, with both numbers present and in range.
  public var isKnown: Filter<Root> { filter(.anywhere) }

  private func filter(_ area: PlaceArea) -> Filter<Root> {
    Filter(node: .place(reference, area))
  }
}

extension Fields {
  /// A place of the entity.
  public subscript(
    dynamicMember place: any KeyPath<Target.Type, SpatialIndex<Target>> & Sendable
  ) -> QueryPlace<Root> {
    QueryPlace(reference: PlaceReference(Target.self[keyPath: place].definition, hops: hops))
  }
}

extension Query {
  /// Returns the query for only the entities with a place, the nearest first, within the order so
  /// far.
  ///
  /// With a limit, the query reads only as many places around `place` as it needs to be sure of the
  /// result.
  public func nearest(to place: Coordinate, by index: SpatialIndex<Root>) -> Self {
    let reference = PlaceReference(index.definition, hops: [])
    var copy = self
    let isPlace = FilterNode.place(reference, .anywhere)
    copy.filter = filter.map { .and($0, isPlace) } ?? isPlace
    copy.ranking = Ranking(kind: .distance(reference, place), position: sorts.count)
    return copy
  }
}

extension Entity {
  /// Returns the query for the entities that have a place, the nearest first.
  public static func nearest(
    to place: Coordinate, by index: SpatialIndex<Self>
  ) -> Query<Self> { Query().nearest(to: place, by: index) }
}

/// The place of the query's entity, or of an entity that it refers to.
struct PlaceReference: Sendable {
  /// The to-one references to follow.
  let hops: [AttributeReference.Hop]
  let latitude: SendablePath
  let longitude: SendablePath

  init(_ definition: SpatialDefinition, hops: [AttributeReference.Hop]) {
    self.hops = hops
    latitude = definition.latitude
    longitude = definition.longitude
  }
}

/// A place whose attributes are resolved to columns.
struct ResolvedPlace: Sendable {
  let latitude: ResolvedAttribute
  let longitude: ResolvedAttribute
  let index: SearchIndex
  /// The row number of the table that has the place, as SQL.
  let rowID: String

  /// Appends the distance to a place in meters, which is null for a row without a place.
  ///
  /// The query's filter leaves only places that are in range.
  func appendMeters(to center: Coordinate, in sql: inout SQLBuilder) {
    sql.append("strata_meters(\(latitude.name), \(longitude.name), ")
    sql.append(parameter: .real(center.latitude))
    sql.append(", ")
    sql.append(parameter: .real(center.longitude))
    sql.append(")")
  }

  /// Appends the condition that the place is in an area.
  ///
  /// The index finds candidates, and the row's own numbers decide.
  func append(_ area: PlaceArea, to sql: inout SQLBuilder, negated: Bool) {
    sql.append("(")
    // The index finds only places inside the area, so a negation cannot use it.
    if !negated, let boxes = area.boxes {
      append(boxes, to: &sql)
      sql.append(" AND ")
    }
    sql.append("(")
    switch area {
    case .region(let region): append(region, to: &sql)
    case .anywhere, .circle:
      sql.append("\(latitude.name) BETWEEN -90 AND 90 AND \(longitude.name) BETWEEN -180 AND 180")
    }
    if case .circle(let center, let meters) = area {
      sql.append(" AND ")
      appendMeters(to: center, in: &sql)
      sql.append(" <= ")
      sql.append(parameter: .real(meters))
    }
    sql.append(negated ? ") IS NOT TRUE)" : "))")
  }

  /// The margin of boxes in the index, in degrees.
  ///
  /// An R*Tree rounds outwards, except for numbers below its least 32-bit number, which become 0.
  private static let slack = 1e-9

  private func append(
    _ boxes: [(latitudes: ClosedRange<Double>, longitudes: ClosedRange<Double>)],
    to sql: inout SQLBuilder
  ) {
    sql.append("\(rowID) IN (")
    for (position, box) in boxes.enumerated() {
      // Each box has a SELECT of its own, because SQLite uses an R*Tree only for conditions that
      // are all met, not for alternatives.
      if position > 0 { sql.append(" UNION ALL ") }
      sql.append("SELECT id FROM \(index.name.quotedIdentifier) WHERE north >= ")
      sql.append(parameter: .real(box.latitudes.lowerBound - Self.slack))
      sql.append(" AND south <= ")
      sql.append(parameter: .real(box.latitudes.upperBound + Self.slack))
      sql.append(" AND east >= ")
      sql.append(parameter: .real(box.longitudes.lowerBound - Self.slack))
      sql.append(" AND west <= ")
      sql.append(parameter: .real(box.longitudes.upperBound + Self.slack))
    }
    sql.append(")")
  }

  private func append(_ region: GeoRegion, to sql: inout SQLBuilder) {
    sql.append("\(latitude.name) BETWEEN ")
    sql.append(parameter: .real(region.south))
    sql.append(" AND ")
    sql.append(parameter: .real(region.north))
    sql.append(" AND (")
    for (position, range) in region.meridians.enumerated() {
      if position > 0 { sql.append(" OR ") }
      sql.append("\(longitude.name) BETWEEN ")
      sql.append(parameter: .real(range.lowerBound))
      sql.append(" AND ")
      sql.append(parameter: .real(range.upperBound))
    }
    sql.append(")")
  }
}
