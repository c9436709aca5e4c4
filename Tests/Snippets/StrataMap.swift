// The declarations that the snippets in StrataMap's articles and comments use.

private struct Quake: Entity {
  var id = ""
  var place = ""
  var magnitude = 0.0
  var latitude = 0.0
  var longitude = 0.0

  static let schema = Schema<Quake>("quakes", key: \.id) {
    Attribute(\.place)
    Attribute(\.magnitude)
    Attribute(\.latitude)
    Attribute(\.longitude)
  }
  static let pins = AnnotationMapping<Quake>(latitude: \.latitude, longitude: \.longitude)
}

private let region = GeoRegion(south: -25, west: 170, north: -10, east: -175)
private let zoom = 4.0
private let key = RecordKey(.integer(1))
private let options = ClusterOptions()
private let place = Coordinate(latitude: 48, longitude: 16)
private func send(_ json: [UInt8]) {}
@MainActor private var quakes: LiveQuery<Quake> { fatalError() }
@MainActor private var registry: AnnotationRegistry<Quake> { fatalError() }
@MainActor private var surface: any AnnotationSurface { fatalError() }
