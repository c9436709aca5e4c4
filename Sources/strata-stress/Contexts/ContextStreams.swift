import Strata

/// Consumers of changes that also read the store.
///
/// Their copies must equal the store's rows whenever they have taken all changes.
@MainActor
final class ContextStreams {
  private let stack: Stack
  private let all: ChangeStream<ChangeSet>.Iterator
  private let ofView: ChangeStream<Changes<Book>>.Iterator
  private var copies: [[Int: Book]] = [[:], [:]]
  private var hasUnread = false
  private var hasUnreadBooks = false

  init(_ stack: Stack) {
    self.stack = stack
    all = stack.changes.makeAsyncIterator()
    ofView = stack.viewContext.changes(of: Book.self).makeAsyncIterator()
  }

  /// Notes that a commit is on its way to the streams.
  func willHear(_ rows: PlainRows, _ old: PlainRows) {
    hasUnread = true
    if rows.rows(.books) != old.rows(.books) { hasUnreadBooks = true }
  }

  /// Reads the store without taking changes, or takes all changes.
  func step(_ history: ContextHistory) async throws {
    if history.random.oneIn(2) {
      try await history.finishSave()
      copies[0] = keyed(try await stack.fetch(Book.all))
      copies[1] = copies[0]
      history.note("consumers read", "reads")
    } else {
      try await drain(history)
    }
  }

  func drain(_ history: ContextHistory) async throws {
    try await history.finishSave()
    try await history.view.waitUntilMerged(history.newest)
    let expected = history.current.rows(.books)
    var (all, ofView) = (all, ofView)
    if hasUnread {
      guard let changes = await all.next() else {
        throw Contradiction(description: "stack.changes ends")
      }
      copies[0] = try await copy(copies[0], after: changes.changes(of: Book.self))
      try check(copies[0], expected, "stack.changes", history)
    }
    if hasUnreadBooks {
      guard let changes = await ofView.next() else {
        throw Contradiction(description: "view.changes ends")
      }
      copies[1] = try await copy(copies[1], after: changes)
      try check(copies[1], expected, "view.changes", history)
    }
    (hasUnread, hasUnreadBooks) = (false, false)
    history.note("consumers take what there is", "streamed")
  }

  private func copy(
    _ copy: [Int: Book], after changes: Changes<Book>
  ) async throws -> [Int: Book] {
    if changes.isReset { return keyed(try await stack.fetch(Book.all)) }
    var copy = copy
    for book in changes.deleted { copy[book.id] = nil }
    for book in changes.inserted { copy[book.id] = book }
    for update in changes.updated { copy[update.after.id] = update.after }
    return copy
  }

  private func keyed(_ books: [Book]) -> [Int: Book] {
    Dictionary(uniqueKeysWithValues: books.map { ($0.id, $0) })
  }

  private func check(
    _ copy: [Int: Book], _ expected: [Int: PlainRow], _ name: String, _ history: ContextHistory
  ) throws {
    let rows = copy.mapValues(\.row)
    for key in Set(rows.keys).union(expected.keys) where rows[key] != expected[key] {
      try history.require(
        false,
        "\(name): the copy has \(history.words(rows[key])) for book \(key), not "
          + history.words(expected[key]))
    }
  }
}
