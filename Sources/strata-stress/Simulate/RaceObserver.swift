import Strata

/// Consumers of the changes of a stack and of its view context, and of a live query's updates.
@MainActor
final class RaceObserver {
  private let followers: [RaceFollower]
  private let list: RaceList<Book>
  private let view: RaceView

  init(_ stack: Stack, _ books: LiveQuery<Book>, _ transcript: SharedTranscript) {
    let context = stack.viewContext
    followers = [
      RaceFollower(stack.changes, of: stack, transcript) { $0.changes(of: Book.self) },
      RaceFollower(context.changes, of: stack, transcript) { $0.changes(of: Book.self) },
      RaceFollower(context.changes(of: Book.self), of: stack, transcript) { $0 },
    ]
    list = RaceList(books)
    view = RaceView(context, books)
  }

  /// Waits until every consumer has what the live query shows.
  func rest(at newest: Int64) async throws {
    for follower in followers { try await follower.rest(at: newest) }
    try await list.rest()
    try await view.rest()
  }

  /// Ends the consumers once their stack is closed.
  func end() async throws {
    for follower in followers { try await follower.end() }
    try await list.end()
  }
}
