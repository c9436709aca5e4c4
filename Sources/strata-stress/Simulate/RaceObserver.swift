import Strata

/// Consumers of the changes of a stack and of its view context, and of a live query's updates.
@MainActor
final class RaceObserver {
  private let followers: [RaceFollower]
  private let task: Task<Void, any Error>

  init(_ stack: Stack, _ books: LiveQuery<Book>, _ transcript: SharedTranscript) {
    followers = [stack.changes, stack.viewContext.changes].map {
      RaceFollower($0, of: stack, transcript)
    }
    let updates = books.updates
    var list = Array(books.elements)
    task = Task {
      for await update in updates {
        update.apply(to: &list)
        try Contradiction.unless(
          list == Array(update.elements), "an update leads to \(list), not \(update.elements)")
      }
    }
  }

  /// Waits until the consumers of changes have taken a commit.
  func rest(at newest: Int64) async throws {
    for follower in followers { try await follower.rest(at: newest) }
  }

  /// Ends the consumers once their stack is closed.
  func end() async throws {
    for follower in followers { try await follower.end() }
    try await task.value
  }
}
