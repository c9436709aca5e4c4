public import Strata

/// The attributes of an entity that make its annotation.
///
///     static let pins = AnnotationMapping<Quake>(latitude: \.latitude, longitude: \.longitude)
///       .title(\.place)
///       .subtitle(\.magnitude) { "M \($0)" }
///       .style(\.magnitude) { $0 > 6 ? "red" : "orange" }
///       .priority(\.magnitude)
///
/// A mapping is a value: every modifier returns a changed copy. If a part is given twice, the last
/// one counts, but every cluster value is kept. A change of attributes that no part reads costs the
/// map nothing. Therefore a part is a key path with a formatting closure, and not a closure over
/// the whole entity. The formatting closure must depend on nothing but its argument.
///
/// ```swift
/// let pins = AnnotationMapping<Quake>(latitude: \.latitude, longitude: \.longitude)
///   .title(\.place)
///   .subtitle(\.magnitude) { "magnitude \($0)" }
///   .style(\.magnitude) { $0 > 6 ? "red" : "orange" }
///   .clusterValue(\.magnitude, max)
/// ```
public struct AnnotationMapping<E: Entity>: Sendable {
  /// A part of an annotation: the attribute that it is read from, and the conversion.
  struct Part<Output>: Sendable {
    let path: any PartialKeyPath<E> & Sendable
    let read: @Sendable (E) -> Output

    init<V>(
      _ path: any KeyPath<E, V> & Sendable, _ transform: @escaping @Sendable (V) -> Output
    ) {
      self.path = path
      read = { transform($0[keyPath: path]) }
    }
  }

  /// The source of the coordinate.
  private enum Place: Sendable {
    case own(latitude: Part<Double?>, longitude: Part<Double?>)
    case related(RelatedPlace<E>)
  }

  private let place: Place
  var title: Part<String>?
  var subtitle: Part<String>?
  var style: Part<String>?
  var priority: Part<Double>?
  var clusterGroup: Part<String?>?
  var values: [Part<Double>] = []
  /// The functions with which clusters combine the values, one function for each value.
  private(set) package var combinations: [ClusterValues.Combination] = []

  /// Creates a mapping that reads the coordinate from two attributes, in degrees.
  public init(
    latitude: any KeyPath<E, Double> & Sendable, longitude: any KeyPath<E, Double> & Sendable
  ) {
    place = .own(latitude: Part(latitude) { $0 }, longitude: Part(longitude) { $0 })
  }

  /// Creates a mapping that reads the coordinate from two attributes, in degrees.
  ///
  /// An element is withheld from the map while one of the attributes is nil.
  public init(
    latitude: any KeyPath<E, Double?> & Sendable, longitude: any KeyPath<E, Double?> & Sendable
  ) {
    place = .own(latitude: Part(latitude) { $0 }, longitude: Part(longitude) { $0 })
  }

  /// Creates a mapping that reads the coordinate from a related entity, in degrees.
  ///
  ///     AnnotationMapping(
  ///       through: \Stop.stationID, latitude: \Station.latitude, longitude: \Station.longitude)
  ///
  /// If the related entity moves, the annotation moves in the same turn. If the related entity is
  /// deleted, the annotation is withheld in the same turn. For this, a registry observes all
  /// related entities.
  public init<Target: Entity>(
    through key: any KeyPath<E, Target.ID?> & Sendable,
    latitude: any KeyPath<Target, Double?> & Sendable,
    longitude: any KeyPath<Target, Double?> & Sendable
  ) {
    let target = AnnotationMapping<Target>(latitude: latitude, longitude: longitude)
    place = .related(RelatedPlace(key, target))
  }

  /// Creates a mapping that reads the coordinate from a related entity, in degrees.
  ///
  /// If the related entity moves, the annotation moves in the same turn. If the related entity is
  /// deleted, the annotation is withheld in the same turn. For this, a registry observes all
  /// related entities.
  public init<Target: Entity>(
    through key: any KeyPath<E, Target.ID?> & Sendable,
    latitude: any KeyPath<Target, Double> & Sendable,
    longitude: any KeyPath<Target, Double> & Sendable
  ) {
    let target = AnnotationMapping<Target>(latitude: latitude, longitude: longitude)
    place = .related(RelatedPlace(key, target))
  }

  /// The reference to the related entity that has the coordinate; nil if the entity itself has it.
  package var relatedPlace: RelatedPlace<E>? {
    switch place {
    case .own: nil
    case .related(let related): related
    }
  }

  /// The key paths that the mapping reads: coordinate, title, subtitle, style, priority,
  /// cluster group, values.
  package var keyPaths: [any PartialKeyPath<E> & Sendable] {
    let optional = [title?.path, subtitle?.path, style?.path, priority?.path, clusterGroup?.path]
    return coordinatePaths + optional.compactMap { $0 } + values.map(\.path)
  }

  /// The key paths that the coordinate depends on.
  var coordinatePaths: [any PartialKeyPath<E> & Sendable] {
    switch place {
    case .own(let latitude, let longitude): [latitude.path, longitude.path]
    case .related(let related): [related.path]
    }
  }

  /// Returns the coordinate of an entity's own attributes; nil if there is none, or if it is not
  /// valid.
  func coordinate(of entity: E) -> Coordinate? {
    guard case .own(let latitude, let longitude) = place,
      let latitude = latitude.read(entity), let longitude = longitude.read(entity)
    else { return nil }
    let coordinate = Coordinate(latitude: latitude, longitude: longitude)
    return coordinate.isValid ? coordinate : nil
  }

  /// Returns the annotation of an entity; nil if it is withheld, as it has no valid coordinate
  /// itself.
  package func annotation(for entity: E, id: RecordKey) -> SurfaceAnnotation? {
    annotation(for: entity, id: id, at: coordinate(of: entity))
  }

  /// Returns the annotation of an entity at a coordinate; nil without a coordinate.
  func annotation(for entity: E, id: RecordKey, at coordinate: Coordinate?) -> SurfaceAnnotation? {
    guard let coordinate else { return nil }
    return SurfaceAnnotation(
      id: id, coordinate: coordinate, title: title?.read(entity) ?? "",
      subtitle: subtitle?.read(entity) ?? "", style: style?.read(entity) ?? "",
      priority: priority?.read(entity) ?? 0,
      clusterGroup: clusterGroup.map { $0.read(entity) } ?? "",
      values: values.map { $0.read(entity) })
  }

  /// Lets clusters combine a number that is made from an attribute.
  ///
  /// ``SurfaceAnnotation/values`` has the numbers in the order of these calls.
  ///
  ///     .clusterValue(\.magnitude, max)
  ///
  /// - Parameters:
  ///   - path: the attribute.
  ///   - combine: combines two numbers independent of order and grouping, such as a sum or a
  ///     maximum.
  public func clusterValue<V: AttributeValue & BinaryFloatingPoint>(
    _ path: any KeyPath<E, V> & Sendable,
    _ combine: @escaping @Sendable (Double, Double) -> Double
  ) -> Self {
    clusterValue(path, { Double($0) }, combine)
  }

  /// Lets clusters combine a number made from an attribute, such as 1 for a certain kind and 0
  /// otherwise.
  ///
  /// - Parameters:
  ///   - path: the attribute.
  ///   - number: makes the number from the attribute's value.
  ///   - combine: combines two numbers independent of order and grouping, such as a sum or a
  ///     maximum.
  public func clusterValue<V: AttributeValue>(
    _ path: any KeyPath<E, V> & Sendable, _ number: @escaping @Sendable (V) -> Double,
    _ combine: @escaping @Sendable (Double, Double) -> Double
  ) -> Self {
    var copy = self
    copy.values.append(Part(path, number))
    copy.combinations.append(combine)
    return copy
  }
}
