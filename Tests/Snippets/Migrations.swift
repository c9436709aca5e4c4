private struct Song: Entity {
  var id = UUID.timeOrdered()
  var title = ""
  var bpm = 120.0
  var rating = 3

  static let schema = Schema<Song>("songs", key: \.id) {}
}

private struct Artist: Entity {
  var id = UUID.timeOrdered()
  var name = ""

  static let schema = Schema<Artist>("artists", key: \.id) { Attribute(\.name) }
}

@MainActor private var options = Stack.Options()
private let schemas = URL(filePath: "Tests/Schemas")
