// The declarations that the snippets in the article FindingARace use.

private struct Song: Entity {
  var id = UUID.timeOrdered()
  var title = ""

  static let schema = Schema<Song>("songs", key: \.id) { Attribute(\.title) }
}

@MainActor private final class SearchModel {
  let stack: Stack
  var text = ""
  var songs: [Song] = []

  init(_ stack: Stack) { self.stack = stack }
}
