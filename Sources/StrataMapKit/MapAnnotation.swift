#if canImport(MapKit)
  public import MapKit
  internal import Strata
  public import StrataMap

  /// The object that represents one `SurfaceAnnotation` in a map view, the same object while its id is
  /// shown.
  ///
  /// The map view observes the properties (KVO), so that a move changes the annotation in place.
  public final class RegistryAnnotation: NSObject, MKAnnotation {
    /// The annotation as the registry delivered it last.
    public private(set) var annotation: SurfaceAnnotation

    /// The coordinate of the annotation.
    #if canImport(ObjectiveC)
      @objc
    #endif
    public private(set) dynamic var coordinate: CLLocationCoordinate2D

    /// The main line of text, or nil for none; for a cluster, its count.
    #if canImport(ObjectiveC)
      @objc
    #endif
    public private(set) dynamic var title: String?

    /// The second line of text, or nil for none.
    #if canImport(ObjectiveC)
      @objc
    #endif
    public private(set) dynamic var subtitle: String?

    init(_ annotation: SurfaceAnnotation) {
      self.annotation = annotation
      coordinate = CLLocationCoordinate2D(annotation.coordinate)
      super.init()
      showTexts()
    }

    func move(to place: Coordinate) {
      annotation.coordinate = place
      coordinate = CLLocationCoordinate2D(place)
    }

    func restyle(as annotation: SurfaceAnnotation) {
      self.annotation = annotation
      showTexts()
    }

    private func showTexts() {
      let text = annotation.cluster.map { "\($0.count)" } ?? annotation.title
      title = text.isEmpty ? nil : text
      subtitle = annotation.subtitle.isEmpty ? nil : annotation.subtitle
    }
  }
#endif
