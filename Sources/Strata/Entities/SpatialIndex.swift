/// An index of the places of entities, made of a latitude and a longitude attribute.
///
/// ```swift
/// struct Quake: Entity {
///   var id = UUID.timeOrdered()
///   var latitude: Double?
///   var longitude: Double?
///
///   static let location = spatial(\.latitude, \.longitude)
///   static let schema = Schema<Quake>("quakes", key: \.id) {
///     Attribute(\.latitude)
///     Attribute(\.longitude)
///     location
///   }
/// }
///
/// Quake.where { $0.location.isWithin(meters: 5_000, of: harbour) }
/// Quake.nearest(to: harbour, by: Quake.location).limit(10)
/// ```
///
/// A row whose coordinate is missing or out of range has no place. It is in no region and has no
/// distance. See <doc:SpatialQueries>.
public struct SpatialIndex<Root: Entity>: SchemaElement {
  let definition: SpatialDefinition

  public var _element: _ElementDefinition { _ElementDefinition(content: .spatial(definition)) }
}

/// Two attributes that form a place, without their entity's type.
struct SpatialDefinition: Sendable {
  let latitude: SendablePath
  let longitude: SendablePath
  let source: SourceLine
}

extension Entity {
  /// Creates an index of the places that two attributes form, in degrees north and degrees east.
  ///
  /// The index is exact at every commit, because the writer changes it in the transaction of the
  /// row. It costs nothing when only other attributes change.
  ///
  /// - Parameters:
  ///   - latitude: the attribute with degrees north, -90 to 90. It is a `Double`, a `Float`, a type
  ///     that is stored like them, or an optional of these.
  ///   - longitude: the attribute with degrees east, -180 to 180.
  ///   - fileID: the file of the declaration, for error messages.
  ///   - line: the line of the declaration.
  public static func spatial<Latitude: ComparableValue, Longitude: ComparableValue>(
    _ latitude: AttributePath<Self, Latitude>, _ longitude: AttributePath<Self, Longitude>,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> SpatialIndex<Self> {
    SpatialIndex(
      definition: SpatialDefinition(
        latitude: latitude, longitude: longitude, source: SourceLine(fileID, line)))
  }
}
