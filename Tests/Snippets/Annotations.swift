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
}

private struct Station: Entity {
  var id = ""
  var latitude: Double?
  var longitude: Double?

  static let schema = Schema<Station>("stations", key: \.id) {
    Attribute(\.latitude)
    Attribute(\.longitude)
  }
}

private struct Train: Entity {
  var id = ""
  var name = ""
  var stationID: Station.ID?

  static let station = toOne(\.stationID, Station.self)
  static let schema = Schema<Train>("trains", key: \.id) {
    Attribute(\.name)
    station
  }
}

@MainActor private var registry: AnnotationRegistry<Quake> { fatalError() }
private let quake = Quake()
private func point(at place: Coordinate) {}
