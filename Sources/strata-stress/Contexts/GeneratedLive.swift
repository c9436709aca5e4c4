import Strata

/// A live query whose generated query is changed now and then.
@MainActor
final class GeneratedLive {
  private let live: LiveQuery<Book>
  private var query: PlainQuery

  init(_ view: ViewContext, _ query: PlainQuery) {
    live = view.live(query.query)
    self.query = query
  }

  func waitUntilLoaded() async throws { try await live.waitUntilLoaded() }

  /// Changes the query, and returns when the new result is shown.
  func change(to query: PlainQuery) async throws {
    try await live.change(to: query.query)
    self.query = query
  }

  /// The query and its elements; nil if it has not loaded.
  var contents: (PlainQuery, [ScreenContents.Element])? {
    ScreenContents.elements(of: live).map { (query, $0) }
  }
}
