/// The options for clustering annotations.
///
/// ```swift
/// let registry = AnnotationRegistry(
///   quakes, mapping: Quake.pins, on: surface,
///   clusters: ClusterOptions(radius: 60, maximumZoom: 14, minimumPoints: 3))
/// ```
public struct ClusterOptions: Sendable, Hashable {
  /// The least distance of two displayed items at a whole zoom level, in points of the screen.
  ///
  /// It is more than 0 and at most half of ``tileSize``.
  public var radius: Double
  /// The greatest zoom level at which annotations are clustered, 0 to 22.
  ///
  /// At greater zoom levels every annotation is displayed by itself, also annotations at one place. The
  /// map's own greatest zoom level is a good choice: annotations at one place then stay a cluster on the
  /// map, and can be spread out. ``ClusterIndex/expansionZoom(of:)`` of such a cluster is one level more.
  public var maximumZoom: Int
  /// The least number of annotations that make a cluster, 2 or more.
  ///
  /// Fewer annotations are displayed by themselves.
  public var minimumPoints: Int
  /// The width of the world at zoom level 0, in points of the screen.
  public var tileSize: Double

  /// Creates options; values out of range are brought into range when they are used.
  public init(
    radius: Double = 40, maximumZoom: Int = 16, minimumPoints: Int = 2, tileSize: Double = 512
  ) {
    self.radius = radius
    self.maximumZoom = maximumZoom
    self.minimumPoints = minimumPoints
    self.tileSize = tileSize
  }
}
