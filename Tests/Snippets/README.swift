private struct Song: Entity {
  var id = UUID.timeOrdered()
  var title = ""
  var bpm: Double?
  var loved = false

  static let schema = Schema<Song>("songs", key: \.id) {
    Attribute(\.title)
    Attribute(\.bpm)
    Attribute(\.loved)
  }
}
