// The declarations that the snippets in StrataPostgres's article and comments use.

private struct Song: Entity {
  var id = UUID.timeOrdered()
  var title = ""

  static let schema = Schema<Song>("songs", key: \.id) { Attribute(\.title) }
}
