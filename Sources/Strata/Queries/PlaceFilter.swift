/// A place in a filter, to be compared with regions and distances.
public struct QueryPlace<Root>: Sendable {
  let reference: PlaceReference

  /// Whether the place lies in a region, edges included.
  ///
  /// - Complexity: O(*m* log *n*), *m* the places in the region among *n*.
  public func isIn(_ region: GeoRegion) -> Filter<Root> { filter(.region(region)) }

  /// Whether the place is at most so many meters from another one, along the great circle.
  ///
  /// - Parameters:
  ///   - meters: 0 or more.
  ///   - center: the other place.
  /// - Complexity: O(*m* log *n*), *m* the places about as far away among *n*.
  public func isWithin(meters: Double, of center: Coordinate) -> Filter<Root> {
    filter(.circle(center, meters: meters))
  }

  /// Whether the entity has a place at all: both numbers, and in range.
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
  /// Only those that have a place, the nearest first, within the order given so far.
  ///
  /// With a limit, as few places are looked at as are near enough to be sure.
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
  /// The query for the entities that have a place, the nearest first.
  public static func nearest(
    to place: Coordinate, by index: SpatialIndex<Self>
  ) -> Query<Self> { Query().nearest(to: place, by: index) }
}

/// The place of an entity, or of one that it refers to.
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

/// A place whose attributes are columns.
struct ResolvedPlace: Sendable {
  let latitude: ResolvedAttribute
  let longitude: ResolvedAttribute
  let index: SearchIndex
  /// The row number of the table that has the place, as SQL.
  let rowID: String

  /// The distance to a place in meters as SQL; null for what is no place.
  ///
  /// Only places that are in range are asked for.
  func appendMeters(to center: Coordinate, in sql: inout SQLBuilder) {
    sql.append("strata_meters(\(latitude.name), \(longitude.name), ")
    sql.append(parameter: .real(center.latitude))
    sql.append(", ")
    sql.append(parameter: .real(center.longitude))
    sql.append(")")
  }

  /// Whether the place is in an area: the index finds candidates, the row's own numbers decide.
  func append(_ area: PlaceArea, to sql: inout SQLBuilder, negated: Bool) {
    sql.append("(")
    // What is in no area is no candidate either, so a negation has no use for the index.
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

  /// An R*Tree rounds outwards, except numbers below its least one: those become 0.
  private static let slack = 1e-9

  private func append(
    _ boxes: [(latitudes: ClosedRange<Double>, longitudes: ClosedRange<Double>)],
    to sql: inout SQLBuilder
  ) {
    sql.append("\(rowID) IN (")
    for (position, box) in boxes.enumerated() {
      // One box each: SQLite uses an R*Tree for conditions that are all met, not for alternatives.
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
