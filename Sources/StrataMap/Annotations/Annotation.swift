public import Strata

/// The values of an element that a map can show.
///
/// Two equal annotations look the same, so a change that leaves the annotation equal causes no
/// ``AnnotationOperation``.
///
/// ```swift
/// let pin = SurfaceAnnotation(id: key, coordinate: place, title: "Vienna", style: "red")
/// print(pin.cluster?.count ?? 1)
/// ```
public struct SurfaceAnnotation: Identifiable, Hashable, Sendable {
  /// The key of the element's record, the same for as long as the annotation exists.
  public let id: RecordKey
  /// The coordinate of the annotation.
  public var coordinate: Coordinate
  /// The main line of text, empty for none.
  public var title: String
  /// The second line of text, empty for none.
  public var subtitle: String
  /// A name that the surface knows how to draw, such as a colour; empty for its default.
  public var style: String
  /// The rank of the annotation where annotations overlap: the greatest wins. NaN is stored as 0.
  public var priority: Double {
    didSet { if priority.isNaN { priority = 0 } }
  }

  /// The name of the group within which the annotation may be clustered; nil for no clustering.
  public var clusterGroup: String?
  /// The numbers that clusters combine, in the order in which the mapping names them. NaN is stored
  /// as 0.
  public var values: [Double] {
    didSet { values = values.map { $0.isNaN ? 0 : $0 } }
  }
  /// The cluster that the annotation stands for; nil if it stands only for the element of its id.
  public var cluster: Cluster?

  /// The annotations that are displayed as one.
  public struct Cluster: Hashable, Sendable {
    /// The number of annotations in the cluster.
    public var count: Int
    /// A zoom level of the map at which the annotations are displayed as one.
    ///
    /// If the map's level changes and the cluster stays the same, the surface receives no
    /// operation.
    public var zoom: Int

    /// Creates a cluster.
    public init(count: Int, zoom: Int) {
      self.count = count
      self.zoom = zoom
    }
  }

  /// Creates an annotation; every text that is not given is empty, and every number 0.
  public init(
    id: RecordKey, coordinate: Coordinate, title: String = "", subtitle: String = "",
    style: String = "", priority: Double = 0, clusterGroup: String? = "", values: [Double] = []
  ) {
    self.id = id
    self.coordinate = coordinate
    self.title = title
    self.subtitle = subtitle
    self.style = style
    self.priority = priority.isNaN ? 0 : priority
    self.clusterGroup = clusterGroup
    self.values = values.map { $0.isNaN ? 0 : $0 }
  }
}

extension SurfaceAnnotation {
  /// Returns whether a map shows another annotation of the same id exactly as this annotation.
  ///
  /// The cluster group and the zoom level of a cluster do not count; all other values have to be
  /// equal.
  package func looks(like other: SurfaceAnnotation) -> Bool {
    coordinate == other.coordinate && title == other.title && subtitle == other.subtitle
      && style == other.style && priority == other.priority && values == other.values
      && cluster?.count == other.cluster?.count
  }
}
