// What articles and comments of StrataTesting assume.

private struct Song: Entity {
  var id = UUID.timeOrdered()
  var title = ""

  static let schema = Schema<Song>("songs", key: \.id) { Attribute(\.title) }
}

private struct Artist: Entity {
  var id = UUID.timeOrdered()

  static let schema = Schema<Artist>("artists", key: \.id) {}
}

private let folder = URL(filePath: "Tests/Schemas")
