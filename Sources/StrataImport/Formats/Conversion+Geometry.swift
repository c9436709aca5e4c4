public import Strata

extension Conversion where Value == Double {
  /// The latitude of a GeoJSON geometry, in degrees: a point's own, otherwise that of its centroid.
  ///
  /// The centroid of areas if there are any, else of lines, else of points, in the plane of
  /// longitude and latitude. What is no geometry is refused, an empty one, too.
  public static var centroidLatitude: Self {
    Self(.json) { cell throws(ValueError) in .real(try centroid(cell).latitude) }
  }

  /// The longitude of a GeoJSON geometry, like `centroidLatitude`.
  public static var centroidLongitude: Self {
    Self(.json) { cell throws(ValueError) in .real(try centroid(cell).longitude) }
  }
}

extension Conversion where Value == Double? {
  /// The latitude of a GeoJSON geometry, in degrees: a point's own, otherwise that of its centroid;
  /// nil of a null geometry.
  ///
  /// The centroid of areas if there are any, else of lines, else of points, in the plane of
  /// longitude and latitude. What is no geometry is refused, an empty one, too.
  public static var centroidLatitude: Self {
    Self(.json, Conversion<Double>.centroidLatitude.convert)
  }

  /// The longitude of a GeoJSON geometry, like `centroidLatitude`.
  public static var centroidLongitude: Self {
    Self(.json, Conversion<Double>.centroidLongitude.convert)
  }
}

private func centroid(_ cell: Cell) throws(ValueError) -> Geometry.Position {
  guard case .text(let json) = cell else { throw ValueError("not a geometry of GeoJSON") }
  guard let centroid = try Geometry(json).centroid else {
    throw ValueError("a geometry without a position")
  }
  return centroid
}
