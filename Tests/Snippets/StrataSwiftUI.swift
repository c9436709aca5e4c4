// The declarations that the snippets in StrataSwiftUI's comments use.

private struct Song: Entity {
  var id = UUID.timeOrdered()
  var title = ""
  var genre = ""
  var loved = false

  static let schema = Schema<Song>("songs", key: \.id) {
    Attribute(\.title)
    Attribute(\.genre)
    Attribute(\.loved)
  }
}
