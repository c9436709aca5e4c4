private struct Quake: Entity {
  var id = ""
  var time = Date.distantPast
  var isFavourite = false

  static let schema = Schema<Quake>("quakes", key: \.id) {
    Attribute(\.time)
    Attribute(\.isFavourite)
  }
  static let recent = Quake.sorted(by: \.time, order: .reverse).limit(100)
  static let json = JSONMapping<Quake> { Field(\.id, "id") }
}

private struct Thumbnail: Entity {
  var id = ""
  var lastShown = Date.distantPast

  static let schema = Schema<Thumbnail>("thumbnails", key: \.id) { Attribute(\.lastShown) }
}

private struct Song: Entity {
  var id = UUID.timeOrdered()

  static let schema = Schema<Song>("songs", key: \.id) {}
}

private struct Server {
  func create(_ song: Song) async throws {}
  func patch(_ song: Song, _ attributes: Set<String>) async throws {}
  func delete(_ path: String) async throws {}
}

private let server = Server()
private let body = AsyncStream<Data> { $0.finish() }
private func report(_ error: StoreError, _ url: URL?) {}
