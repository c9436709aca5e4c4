import Strata

/// A consumer of a stream of changes, which keeps a copy of the books.
@MainActor
final class RaceFollower {
  private let transcript: SharedTranscript
  private var task: Task<Void, any Error>?
  private var copy: [Int: PlainRow] = [:]
  /// The commit that the consumer has taken last.
  private var commit: Int64 = 0
  private var hasEnded = false

  /// - Parameter books: returns an element's changes of books.
  init<Element>(
    _ elements: ChangeStream<Element>, of stack: Stack, _ transcript: SharedTranscript,
    books: @escaping @Sendable (Element) -> Changes<Book>
  ) {
    self.transcript = transcript
    task = Task { [weak self] in
      defer { self?.hasEnded = true }
      var isExact = true
      for await element in elements {
        let changes = books(element)
        if changes.isReset {
          // The fetch may see later commits than the set is of.
          isExact = false
          guard let books = try await Self.books(stack, transcript) else { return }
          self?.copy = books
        } else {
          self?.apply(changes)
        }
        self?.took(changes.commit, isExact: isExact)
      }
    }
  }

  /// Reads all books, again as long as the disk fails; nil once the process is dead.
  private static func books(
    _ stack: Stack, _ transcript: SharedTranscript
  ) async throws -> [Int: PlainRow]? {
    while !transcript.disk.isDead(0) {
      do { return try await stack.bookRows() } catch { try transcript.tolerate(error, in: 0) }
    }
    return nil
  }

  private func apply(_ changes: Changes<Book>) {
    for book in changes.deleted { copy[book.id] = nil }
    for book in changes.inserted { copy[book.id] = book.row }
    for update in changes.updated { copy[update.after.id] = update.after.row }
  }

  private func took(_ commit: Int64, isExact: Bool) {
    self.commit = commit
    transcript.didReport(commit, by: 0)
    if isExact { note(commit) }
  }

  private func note(_ commit: Int64) {
    transcript { [copy] in $0.copies.append(.init(commit: commit, books: copy)) }
  }

  /// Waits until the consumer has taken a commit.
  func rest(at newest: Int64) async throws {
    await Pause.until { commit >= newest || hasEnded }
    try Contradiction.unless(!hasEnded, "changes end before their stack")
    try Contradiction.unless(commit >= newest, "changes end at \(commit) of \(newest)")
    note(newest)
  }

  /// Ends the consumer once its stack is closed.
  func end() async throws { try await task?.value }
}
