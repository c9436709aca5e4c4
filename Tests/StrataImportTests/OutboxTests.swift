import Foundation
import Strata
import StrataTesting
import Testing

@testable import StrataImport

/// Local changes on their way to a server that fails, and imports that come meanwhile.
@Suite(.timeLimit(.minutes(10))) struct OutboxTests {
  private struct Unreachable: Error {}

  private let url = FileManager.default.temporaryDirectory
    .appendingPathComponent("strata-\(UUID()).sqlite")

  private func open() async throws -> Stack {
    var options = Stack.Options()
    options.history = .keep(bytes: 1)
    options.author = "app"
    return try await Stack.open(Author.self, Book.self, at: url, options: options)
  }

  private func finish(_ stack: Stack) async {
    await stack.close()
    try? FileManager.default.removeItem(at: url)
  }

  private func edit(_ stack: Stack, _ id: Int, _ change: (inout Book) -> Void) async throws {
    try await stack.withScratch { scratch in
      let book = try #require(try await scratch.find(Book.self, id))
      scratch.update(book, change)
    }
  }

  private func described(_ request: PushRequest) -> String {
    "\(request.kind) \(request.entity) \(request.key) \(request.attributes.sorted())"
  }

  @Test func `changes become requests in order, one for each row`() async throws {
    let stack = try await open()
    try await stack.withScratch { $0.insert(Author(id: 1)) }
    try await stack.books(Book.lines(1...4))
    let outbox = try await stack.outbox()
    #expect(try await outbox.requests().isEmpty)
    try await edit(stack, 1) { $0.note = "a" }
    try await edit(stack, 1) { ($0.note, $0.shelf) = ("b", 9) }
    // What an import brings is the server's own.
    try await stack.books(Book.lines([2], title: "server"))
    try await stack.withScratch { scratch in
      scratch.insert(Book(id: 10, title: "ours", authorID: 7))
      scratch.insert(Author(id: 7))
      scratch.insert(Book(id: 11, title: "gone", authorID: 7))
    }
    try await stack.withScratch { scratch in
      for id in [3, 11] { scratch.delete(try #require(try await scratch.find(Book.self, id))) }
    }
    let sent = Lock<[String]>([])
    let count = try await outbox.push { request in
      if request.kind == .update {
        #expect(request.value(as: Book.self)?.note == "b")
        #expect(request.value(as: Author.self) == nil)
      }
      sent.withLock { $0.append(described(request)) }
    }
    #expect(count == 4)
    #expect(
      sent.withLock { $0 } == [
        #"insert Author 7 ["id", "name"]"#,
        #"insert Book 10 ["authorID", "id", "note", "shelf", "title"]"#,
        #"update Book 1 ["note", "shelf"]"#,
        #"delete Book 3 []"#,
      ])
    #expect(try await outbox.push { _ in throw Unreachable() } == 0)
    await finish(stack)
  }

  @Test func `what was acknowledged is not sent again, also after a relaunch`() async throws {
    var stack = try await open()
    var outbox = try await stack.outbox()
    try await stack.withScratch { scratch in for id in 1...5 { scratch.insert(Author(id: id)) } }
    let sent = Lock<[RecordKey]>([])
    let send: @Sendable (PushRequest) async throws -> Void = { request in
      let isFull = sent.withLock { $0.count == 2 }
      if isFull { throw Unreachable() }
      sent.withLock { $0.append(request.key) }
    }
    await #expect(throws: Unreachable.self) { try await outbox.push(send) }
    // As much is pruned as may be: what waits must stay.
    for name in 0..<200 {
      try await stack.withScratch { scratch in
        let author = try #require(try await scratch.find(Author.self, 4))
        scratch.update(author) { $0.name = "\(name)" }
      }
    }
    await stack.close()
    stack = try await open()
    outbox = try await stack.outbox()
    #expect(try await outbox.requests().map(\.key) == [3, 4, 5, 4].map { RecordKey(.integer($0)) })
    try await outbox.push { request in sent.withLock { $0.append(request.key) } }
    #expect(sent.withLock { $0 } == [1, 2, 3, 4, 5, 4].map { RecordKey(.integer($0)) })
    #expect(try await outbox.requests().isEmpty)
    await finish(stack)
  }

  @Test(arguments: [ImportOptions.Commits.batched, .atomic])
  func `a full sync neither deletes nor overwrites what waits`(
    commits: ImportOptions.Commits
  ) async throws {
    let stack = try await open()
    try await stack.withScratch { $0.insert(Author(id: 1)) }
    try await stack.books(Book.lines(1...6))
    let outbox = try await stack.outbox()
    try await edit(stack, 1) { $0.title = "mine" }
    try await edit(stack, 2) { $0.shelf = 50 }
    try await stack.withScratch { scratch in
      scratch.delete(try #require(try await scratch.find(Book.self, 3)))
      scratch.insert(Book(id: 100, title: "new", authorID: 1))
    }
    let options = ImportOptions(batchSize: 2) { $0.commits = commits }
    let result = try await stack.books(
      Book.lines([1, 3, 4], title: "server"), absent: .delete, options: options)
    // 1 keeps its title, 2 and 100 stay although absent, 3 stays deleted, 5 and 6 go.
    let books = try await stack.fetch(Book.all)
    #expect(books.map(\.id) == [1, 2, 4, 100])
    #expect(books.map(\.title) == ["mine", "T", "server", "new"])
    #expect(result.deleted == 2 && result.kept >= 2)
    #expect(try await outbox.push { _ in } == 4)
    // Now the server knows better.
    try await stack.books(Book.lines([1], title: "server"), absent: .delete, options: options)
    #expect(try await stack.fetch(Book.all).map(\.title) == ["server"])
    await finish(stack)
  }
}
