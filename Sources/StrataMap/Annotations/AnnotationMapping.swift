public import Strata

/// Which attributes of an entity make its annotation.
///
///     static let pins = AnnotationMapping<Quake>(latitude: \.latitude, longitude: \.longitude)
///       .title(\.place)
///       .subtitle(\.magnitude) { "M \($0)" }
///       .style(\.magnitude) { $0 > 6 ? "red" : "orange" }
///       .priority(\.magnitude)
///
/// A mapping is a value: every modifier returns a changed copy, and a part given twice is the one
/// given last. A change to attributes that no part reads costs the map nothing, which is why a part
/// is a key path with a formatting closure, and not a closure over the whole entity: the closure
/// must depend on nothing but its argument.
public struct AnnotationMapping<E: Entity>: Sendable {
  /// One part of an annotation: the attribute it is read from, and how.
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

  private let latitude: Part<Double?>
  private let longitude: Part<Double?>
  var title: Part<String>?
  var subtitle: Part<String>?
  var style: Part<String>?
  var priority: Part<Double>?
  var clusterGroup: Part<String?>?
  var values: [Part<Double>] = []
  /// How clusters combine the values, one function for each.
  private(set) package var combinations: [ClusterValues.Combination] = []

  /// Creates a mapping that reads the coordinate from two attributes, in degrees.
  public init(
    latitude: any KeyPath<E, Double> & Sendable, longitude: any KeyPath<E, Double> & Sendable
  ) {
    self.latitude = Part(latitude) { $0 }
    self.longitude = Part(longitude) { $0 }
  }

  /// Creates a mapping that reads the coordinate from two attributes, in degrees.
  ///
  /// An element is withheld from the map while either of them is nil.
  public init(
    latitude: any KeyPath<E, Double?> & Sendable, longitude: any KeyPath<E, Double?> & Sendable
  ) {
    self.latitude = Part(latitude) { $0 }
    self.longitude = Part(longitude) { $0 }
  }

  /// The key paths that the mapping reads: coordinate, title, subtitle, style, priority,
  /// cluster group, values.
  package var keyPaths: [any PartialKeyPath<E> & Sendable] {
    let optional = [title?.path, subtitle?.path, style?.path, priority?.path, clusterGroup?.path]
    return [latitude.path, longitude.path] + optional.compactMap { $0 } + values.map(\.path)
  }

  /// The annotation of one entity; nil, and so withheld, when it has no valid coordinate.
  package func annotation(for entity: E, id: RecordKey) -> Annotation? {
    guard let latitude = latitude.read(entity), let longitude = longitude.read(entity) else {
      return nil
    }
    let coordinate = Coordinate(latitude: latitude, longitude: longitude)
    guard coordinate.isValid else { return nil }
    return Annotation(
      id: id, coordinate: coordinate, title: title?.read(entity) ?? "",
      subtitle: subtitle?.read(entity) ?? "", style: style?.read(entity) ?? "",
      priority: priority?.read(entity) ?? 0,
      clusterGroup: clusterGroup.map { $0.read(entity) } ?? "",
      values: values.map { $0.read(entity) })
  }

  /// Has clusters combine a number made from an attribute: ``Annotation/values`` has it, in the order
  /// of these calls.
  ///
  ///     .clusterValue(\.magnitude, max)
  ///
  /// - Parameter combine: must not care about order and grouping: sums, least and greatest values.
  public func clusterValue<V: AttributeValue & BinaryFloatingPoint>(
    _ path: any KeyPath<E, V> & Sendable,
    _ combine: @escaping @Sendable (Double, Double) -> Double
  ) -> Self {
    clusterValue(path, { Double($0) }, combine)
  }

  /// Has clusters combine a number made from an attribute, such as 1 for those of a kind, and 0 for
  /// others.
  ///
  /// - Parameter combine: must not care about order and grouping: sums, least and greatest values.
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
