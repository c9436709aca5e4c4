#if canImport(MapKit)
  public import MapKit
  public import Strata

  extension CLLocationCoordinate2D {
    /// Creates a coordinate of the same place.
    public init(_ coordinate: Coordinate) {
      self.init(latitude: coordinate.latitude, longitude: coordinate.longitude)
    }
  }

  extension Coordinate {
    /// Creates a coordinate of the same place.
    public init(_ place: CLLocationCoordinate2D) {
      self.init(latitude: place.latitude, longitude: place.longitude)
    }
  }

  extension GeoRegion {
    /// Creates the region that a map view shows.
    public init(_ region: MKCoordinateRegion) {
      self.init(
        center: Coordinate(region.center), latitudeSpan: region.span.latitudeDelta,
        longitudeSpan: min(region.span.longitudeDelta, 360))
    }
  }
#endif
