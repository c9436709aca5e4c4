import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

@Suite(.inTurn, .stack(Author.self, Book.self)) struct FullSyncTests {
  let stack = Stack.test

  private func ids() async throws -> [Int] { try await stack.fetch(Book.all).map(\.id) }

  init() async throws {
    try await stack.withScratch { $0.insert(Author(id: 1, name: "Ann")) }
  }

  @Test func `the same feed again commits nothing and wakes nobody`() async throws {
    let feed = Book.lines(1...1_000)
    try await stack.books(feed, absent: .delete, options: .init(batchSize: 100))
    let token = stack.historyToken
    let changes = stack.changes
    let result = try await stack.books(feed, absent: .delete, options: .init(batchSize: 100))
    #expect(result.unchanged == 1_000 && result.inserted + result.updated + result.deleted == 0)
    #expect(stack.historyToken == token)
    // The first reported commit is the one of this insertion.
    try await stack.withScratch { $0.insert(Author(id: 2)) }
    for await change in changes {
      #expect(change.changes(of: Author.self).inserted.map(\.id) == [2])
      break
    }
  }

  @Test func `the import deletes absent rows of its scope alone`() async throws {
    try await stack.books(Book.lines(1...9))
    let result = try await stack.books(
      Book.lines([3]), absent: .delete(within: Book.where { $0.shelf == 0 }))
    #expect(result.deleted == 2 && result.unchanged == 1)
    #expect(try await ids() == [1, 2, 3, 4, 5, 7, 8])
  }

  @Test func `a scope of rows that the feed cannot have is refused`() async throws {
    try await stack.books(Book.lines(1...3))
    let error = await #expect(throws: ImportError.self) {
      try await stack.books(Book.lines([1]), absent: .delete(within: Author.all))
    }
    #expect(error?.code == .invalidMapping)
    #expect(try await stack.fetch(Author.all).count == 1)
    #expect(try await ids() == [1, 2, 3])
  }

  @Test func `an import that goes on at a checkpoint may not delete absent rows`() async throws {
    let monitor = ImportMonitor()
    let feed = JSONSource.data(Data(Book.lines(1...9).utf8))
    try await stack.importJSON(
      Book.self, from: feed, as: .lines, mapping: Book.json, options: .init(batchSize: 2),
      monitor: monitor)
    let checkpoint = try #require(monitor.progress.checkpoint)
    for (format, absent) in [(JSONFormat.lines, AbsentRows.delete), (.array, .keep)] {
      let error = await #expect(throws: ImportError.self) {
        try await stack.importJSON(
          Book.self, from: feed, as: format, mapping: Book.json, absent: absent,
          options: .init { $0.checkpoint = checkpoint })
      }
      #expect(error?.code == .invalidMapping)
    }
    #expect(try await ids() == Array(1...9))
  }

  @Test func `absent rows go page by page, and the last page marks the feed`() async throws {
    try await stack.books(Book.lines(1...1_000))
    let before = stack.historyToken.commit
    let result = try await stack.importJSON(
      Book.self, from: .data(Data(Book.lines(1...10).utf8)), as: .lines, mapping: Book.json,
      absent: .delete, marksFresh: [.feed("books")], options: .init(batchSize: 100))
    #expect(result.deleted == 990 && result.unchanged == 10)
    // The deletions take ten pages. The last page also marks the feed.
    #expect(result.commit == before + 10)
    #expect(try await stack.lastImported(.feed("books")) != nil)
    #expect(try await ids() == Array(1...10))
  }

  @Test func `rows that other contexts make or edit during an import stay`() async throws {
    try await stack.books(Book.lines(1...4))
    let gate = TestGate()
    let feed = HeldFeed([Book.lines([1]) + "\n", Book.lines([2])], gate)
    let importing = Task { [stack] in
      try await stack.importJSON(
        Book.self, from: .chunks(feed), as: .lines, mapping: Book.json, absent: .delete)
    }
    await gate.waitForArrivals()
    try await stack.withScratch { scratch in
      let book = try #require(try await scratch.find(Book.self, 3))
      scratch.update(book) { $0.note = "mine" }
      scratch.insert(Book(id: 9, title: "new", authorID: 1))
    }
    await gate.open()
    let result = try await importing.value
    #expect(result.deleted == 1 && result.kept == 1)
    #expect(try await ids() == [1, 2, 3, 9])
  }

  @Test func `an import that leaves a record out deletes no absent row`() async throws {
    try await stack.books(Book.lines(1...4))
    let result = try await stack.books(
      Book.lines([1]) + "\n" + #"{"id": 2, "title": 5}"#, absent: .delete,
      options: .init { $0.refusedRecords = .skip() })
    #expect(result.skipped == 1 && result.deleted == 0)
    #expect(try await ids() == [1, 2, 3, 4])
  }

  @Test func `an attribute that no feed has keeps the user's value`() async throws {
    try await stack.books(Book.lines([1], title: "A"))
    try await stack.withScratch { scratch in
      let book = try #require(try await scratch.find(Book.self, 1))
      scratch.update(book) { $0.note = "mine" }
    }
    let token = stack.historyToken
    #expect(try await stack.books(Book.lines([1], title: "A")).unchanged == 1)
    #expect(stack.historyToken == token)
    #expect(try await stack.books(Book.lines([1], title: "B")).updated == 1)
    let book = try #require(try await stack.fetch(Book.all).first)
    #expect(book.title == "B" && book.note == "mine")
  }

  @Test @MainActor func `pending edits survive, and meet the row below them`() async throws {
    try await stack.books(Book.lines([1], title: "A"))
    let live = stack.viewContext.live(Book.all)
    try await live.waitUntilLoaded()
    stack.viewContext.update(live.elements[0]) { $0.shelf = 77 }
    try await stack.books(Book.lines([1], title: "B"))
    #expect(live.elements[0].title == "B" && live.elements[0].shelf == 77)
    try await stack.viewContext.save()
    #expect(try await stack.fetch(Book.all).map(\.shelf) == [77])
  }
}
