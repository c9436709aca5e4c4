import Strata
import StrataMap
import StrataTestTurns
import Testing

@Suite(.inTurn) struct CoordinateTests {
  @Test(arguments: [(0, 0), (90, 180), (-90, -180), (48.85, 2.35), (-0.0, -0.0)])
  func `a coordinate in range is valid`(latitude: Double, longitude: Double) {
    #expect(Coordinate(latitude: latitude, longitude: longitude).isValid)
  }

  @Test(arguments: [90.000001, -91, .nan, .infinity, -.infinity, .signalingNaN])
  func `a latitude out of range is invalid`(latitude: Double) {
    #expect(!Coordinate(latitude: latitude, longitude: 0).isValid)
  }

  @Test(arguments: [180.000001, -181, .nan, .infinity, -.infinity, .signalingNaN])
  func `a longitude out of range is invalid`(longitude: Double) {
    #expect(!Coordinate(latitude: 0, longitude: longitude).isValid)
  }

  @Test func `a priority that is no number is kept as zero`() {
    var annotation = SurfaceAnnotation(
      id: key(1), coordinate: Coordinate(latitude: 0, longitude: 0), priority: .nan)
    #expect(annotation.priority == 0)
    annotation.priority = 3
    annotation.priority = .nan
    #expect(annotation.priority == 0)
    #expect(annotation == annotation)
  }
}
