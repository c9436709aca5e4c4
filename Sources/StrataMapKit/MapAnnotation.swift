#if canImport(MapKit)
  public import MapKit
  internal import Strata
  public import StrataMap

  /// What a map view has of one `Annotation`: the same object for as long as its id is shown.
  ///
  /// Its properties are observed by the map view (KVO), so that a move is a change in place.
  public final class MapAnnotation: NSObject, MKAnnotation {
    /// The annotation as it was told last.
    public private(set) var annotation: Annotation

    /// Where it is.
    #if canImport(ObjectiveC)
      @objc
    #endif
    public private(set) dynamic var coordinate: CLLocationCoordinate2D

    /// The main line of text, nil for none; of a cluster its count.
    #if canImport(ObjectiveC)
      @objc
    #endif
    public private(set) dynamic var title: String?

    /// The second line of text, nil for none.
    #if canImport(ObjectiveC)
      @objc
    #endif
    public private(set) dynamic var subtitle: String?

    init(_ annotation: Annotation) {
      self.annotation = annotation
      coordinate = CLLocationCoordinate2D(annotation.coordinate)
      super.init()
      showTexts()
    }

    func move(to place: Coordinate) {
      annotation.coordinate = place
      coordinate = CLLocationCoordinate2D(place)
    }

    func restyle(as annotation: Annotation) {
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
