import Strata

/// Consumers of the changes of a stack and of its view context, and of a live query's updates.
@MainActor
final class RaceObserver {
  private let followers: [RaceFollower]
  private let books: LiveQuery<Book>
  /// The books as the updates of the live query lead to them.
  private var list: [Book]
  private var task: Task<Void, any Error>?

  init(_ stack: Stack, _ books: LiveQuery<Book>, _ transcript: SharedTranscript) {
    followers = [stack.changes, stack.viewContext.changes].map {
      RaceFollower($0, of: stack, transcript)
    }
    self.books = books
    let updates = books.updates
    list = Array(books.elements)
    task = Task { [weak self] in
      for await update in updates { try self?.take(update) }
    }
  }

  private func take(_ update: LiveUpdate<Book>) throws {
    update.apply(to: &list)
    try Contradiction.unless(
      list == Array(update.elements), "an update leads to \(list), not \(update.elements)")
  }

  /// Waits until the consumers of changes have taken a commit, and the list is the live query's.
  func rest(at newest: Int64) async throws {
    for follower in followers { try await follower.rest(at: newest) }
    await Pause.until { list == Array(books.elements) }
    try Contradiction.unless(
      list == Array(books.elements), "the updates lead to \(list), not \(books.elements)")
  }

  /// Ends the consumers once their stack is closed.
  func end() async throws {
    for follower in followers { try await follower.end() }
    try await task?.value
  }
}
