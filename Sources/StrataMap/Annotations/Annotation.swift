public import Strata

/// One pin: everything of an element that a map can show.
///
/// Two equal annotations look the same, so a change that leaves the annotation equal causes no
/// ``AnnotationOperation``.
public struct Annotation: Identifiable, Hashable, Sendable {
  /// The key of the record that the annotation stands for, the same for as long as it exists.
  public let id: RecordKey
  /// Where the annotation is.
  public var coordinate: Coordinate
  /// The main line of text, empty for none.
  public var title: String
  /// The second line of text, empty for none.
  public var subtitle: String
  /// A name that the surface knows how to draw, such as a colour; empty for its default.
  public var style: String
  /// Which annotation wins where two would overlap: the greater one. NaN is kept as 0.
  public var priority: Double {
    didSet { if priority.isNaN { priority = 0 } }
  }

  /// With which others the annotation may be clustered; nil for none.
  public var clusterGroup: String?
  /// Numbers that clusters combine, in the order in which the mapping names them. NaN is kept as 0.
  public var values: [Double] {
    didSet { values = values.map { $0.isNaN ? 0 : $0 } }
  }
  /// What the annotation stands for, if that is more than the element of its id.
  public var cluster: Cluster?

  /// The annotations that are displayed as one.
  public struct Cluster: Hashable, Sendable {
    /// How many they are.
    public var count: Int
    /// A zoom level at which they are one: the map's. While they stay the same, no surface is told
    /// of another one.
    public var zoom: Int

    /// Creates a cluster.
    public init(count: Int, zoom: Int) {
      self.count = count
      self.zoom = zoom
    }
  }

  /// Creates an annotation; what is not given is empty, or 0.
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

extension Annotation {
  /// Whether a map shows another annotation of the same id as it shows this one: all is equal but
  /// with whom they may be clustered, and the zoom level of a cluster.
  package func looks(like other: Annotation) -> Bool {
    coordinate == other.coordinate && title == other.title && subtitle == other.subtitle
      && style == other.style && priority == other.priority && values == other.values
      && cluster?.count == other.cluster?.count
  }
}
