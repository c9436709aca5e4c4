import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Tests pushes while an import reads an older answer of the server.
@Suite(.inTurn, .stack(Author.self, Book.self)) struct PushDuringImportTests {
  let stack = Stack.test

  private func edit(_ id: Int, _ change: (inout Book) -> Void) async throws {
    try await stack.withScratch { scratch in
      scratch.update(try #require(try await scratch.find(Book.self, id)), change)
    }
  }

  private func delete(_ id: Int) async throws {
    try await stack.withScratch { scratch in
      scratch.delete(try #require(try await scratch.find(Book.self, id)))
    }
  }

  /// The older answer lacks the acknowledged insertion and has the deleted row. The import must
  /// neither delete the inserted row nor insert the deleted row again.
  @Test(arguments: [ImportOptions.Commits.batched, .atomic], [true, false])
  func `an older answer does not undo it`(
    commits: ImportOptions.Commits, isWhole: Bool
  ) async throws {
    try await stack.withScratch { $0.insert(Author(id: 1)) }
    try await stack.books(Book.lines(1...5))
    let outbox = try await stack.outbox()
    try await stack.withScratch { $0.insert(Book(id: 100, title: "new", authorID: 1)) }
    try await delete(2)
    try await edit(4) { $0.title = "mine" }
    let gate = TestGate()
    let feed = HeldFeed([Book.lines([1]) + "\n", Book.lines(2...5, title: "server")], gate)
    let importing = Task { [stack] in
      try await stack.importJSON(
        Book.self, from: .chunks(feed), as: .lines, mapping: Book.json,
        absent: isWhole ? .delete : .keep, options: .init(batchSize: 2) { $0.commits = commits })
    }
    await gate.waitForArrivals()
    // These changes are made during the import. The import must not undo them either.
    try await delete(3)
    try await stack.withScratch { $0.insert(Book(id: 101, title: "newer", authorID: 1)) }
    try await edit(5) { $0.shelf = 50 }
    #expect(try await outbox.push { _ in .done }.sent == 6)
    await gate.open()
    let result = try await importing.value
    let books = try await stack.fetch(Book.all)
    #expect(books.map(\.id) == [1, 4, 5, 100, 101])
    #expect(books.map(\.title) == ["T", "mine", "server", "new", "newer"])
    #expect(books.map(\.shelf) == [1, 1, 50, 0, 0])
    #expect(result.kept == (isWhole ? 3 : 2))
    // The next answer is newer than the push, so it wins.
    try await stack.books(Book.lines([1, 4]), absent: .delete)
    #expect(try await stack.fetch(Book.all).map(\.title) == ["T", "T"])
  }

  @Test func `a row that is pushed while the answer of a feed is on its way is not absent`()
    async throws
  {
    let gate = TestGate()
    let server = TestServer { _, _ in .init(body: #"[{"id": 1, "name": "A"}]"#, gate: gate) }
    let outbox = try await stack.outbox()
    try await stack.withScratch { $0.insert(Author(id: 2, name: "waits")) }
    let refresher = Refresher(stack, transport: .urlSession(server.configuration), retries: .never)
    let feed = Feed(
      "authors", Author.self, from: try server.request("authors"), mapping: Author.json,
      absent: .delete)
    let refreshing = Task { try await refresher.refresh(feed) }
    await gate.waitForArrivals()
    #expect(try await outbox.push { _ in .done }.sent == 1)
    try await outbox.acknowledgeEverything()
    let other = stack.makeScratch()
    other.author = "import"
    other.insert(Author(id: 3, name: "of another import"))
    try await other.save()
    await gate.open()
    _ = try await refreshing.value
    #expect(try await stack.fetch(Author.all).map(\.id) == [1, 2, 3])
    // Both rows existed before the second refresh, so this refresh deletes them.
    _ = try await refresher.refresh(feed)
    #expect(try await stack.fetch(Author.all).map(\.id) == [1])
  }

  @Test(arguments: [ImportOptions.Commits.batched, .atomic])
  @MainActor func `an import into a child of the view context leaves what waits alone`(
    commits: ImportOptions.Commits
  ) async throws {
    try await stack.withScratch { scratch in
      scratch.author = Stack.importAuthor
      for id in 1...2 { scratch.insert(Author(id: id)) }
    }
    try await stack.books(Book.lines(1...6))
    let outbox = try await stack.outbox()
    try await edit(1) { $0.title = "mine" }
    try await edit(2) { $0.shelf = 50 }
    try await delete(3)
    try await stack.withScratch { $0.insert(Book(id: 100, title: "new", authorID: 1)) }
    let sheet = stack.viewContext.makeScratch()
    let feed = Book.lines([1, 3, 4], title: "server")
    let result = try await sheet.importJSON(
      Book.self, from: .data(Data(feed.utf8)), as: .lines, mapping: Book.json, absent: .delete,
      options: .init(batchSize: 2) { $0.commits = commits })
    #expect(result.deleted == 2 && result.kept == 3)
    // An author with a pending book stays, too.
    let authors = try await sheet.importJSON(
      Author.self, from: .data(Data("[]".utf8)), absent: .delete)
    #expect(authors.deleted == 1 && authors.kept == 1)
    try await sheet.save()
    try await stack.viewContext.save()
    let books = try await stack.fetch(Book.all)
    #expect(books.map(\.id) == [1, 2, 4, 100])
    #expect(books.map(\.title) == ["mine", "T", "server", "new"])
    #expect(try await outbox.requests().count >= 4)
  }
}
