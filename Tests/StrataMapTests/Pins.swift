import Strata
import StrataMap

/// Returns an annotation whose id and title come from a number. Equal arguments make equal
/// annotations.
func pin(
  _ number: Int, at latitude: Double = 0, _ longitude: Double = 0, style: String = ""
) -> SurfaceAnnotation {
  SurfaceAnnotation(
    id: key(number), coordinate: Coordinate(latitude: latitude, longitude: longitude),
    title: "pin \(number)", style: style)
}

func key(_ number: Int) -> RecordKey { RecordKey(.integer(Int64(number))) }
