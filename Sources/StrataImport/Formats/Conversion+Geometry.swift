public import Strata

extension Conversion where Value == Double {
  /// The latitude of a GeoJSON geometry's centroid, in degrees.
  ///
  /// A geometry with areas has the centroid of its areas. Without areas it has the centroid of its
  /// lines, and without lines that of its points; a point is its own centroid. The centroid is
  /// computed in the plane of longitude and latitude. A value that is not a geometry is refused,
  /// and so is an empty geometry.
  public static var centroidLatitude: Self {
    Self(.json) { cell throws(ValueError) in .real(try centroid(cell).latitude) }
  }

  /// The longitude of a GeoJSON geometry's centroid, in degrees, like `centroidLatitude`.
  public static var centroidLongitude: Self {
    Self(.json) { cell throws(ValueError) in .real(try centroid(cell).longitude) }
  }
}

extension Conversion where Value == Double? {
  /// The latitude of a GeoJSON geometry's centroid, in degrees; nil for a null geometry.
  ///
  /// A geometry with areas has the centroid of its areas. Without areas it has the centroid of its
  /// lines, and without lines that of its points; a point is its own centroid. The centroid is
  /// computed in the plane of longitude and latitude. A value that is not a geometry is refused,
  /// and so is an empty geometry.
  public static var centroidLatitude: Self {
    Self(.json, Conversion<Double>.centroidLatitude.convert)
  }

  /// The longitude of a GeoJSON geometry's centroid, in degrees, like `centroidLatitude`.
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
