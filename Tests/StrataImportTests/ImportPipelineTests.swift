import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

@Suite(.inTurn, .stack(Author.self, Book.self)) struct ImportPipelineTests {
  let stack = Stack.test

  init() async throws {
    try await stack.withScratch { $0.insert(Author(id: 1, name: "Ann")) }
  }

  @Test func `several files are one feed`() async throws {
    try await stack.books(Book.lines([900]))
    let parts = [1...300, 301...600, 601...800].map { Data(Book.lines($0).utf8) }
    let monitor = ImportMonitor()
    let result = try await stack.importJSON(
      Book.self, from: parts.map { .data($0) }, as: .lines, mapping: Book.json, absent: .delete,
      options: .init(batchSize: 50) { $0.workers = 2 }, monitor: monitor)
    #expect(result.inserted == 800 && result.deleted == 1 && result.records == 800)
    #expect(monitor.progress.bytes == parts.reduce(0) { $0 + $1.count })
    #expect(monitor.progress.fraction == 1)
    #expect(try await stack.viewContext.count(Book.all) == 800)
  }

  /// Batches span sources. Otherwise each source would have its own commit, or one commit would
  /// need all rows in memory.
  @Test func `many small sources make few commits`() async throws {
    let before = stack.historyToken.commit
    let sources = (1...300).map { JSONSource.data(Data(Book.lines([$0]).utf8)) }
    let result = try await stack.importJSON(
      Book.self, from: sources, as: .lines, mapping: Book.json,
      options: .init(batchSize: 50) { $0.workers = 2 })
    #expect(result.inserted == 300 && result.records == 300)
    // The two workers write full batches, and then their remaining rows.
    #expect((6...7).contains(result.commit - before))
    let none = await #expect(throws: ImportError.self) {
      try await stack.importJSON(
        Book.self, from: [], as: .lines, mapping: Book.json, absent: .delete)
    }
    #expect(none?.code == .source)
    #expect(try await stack.viewContext.count(Book.all) == 300)
  }

  @Test func `rows that wait are written batch by batch once what they need is there`() async throws
  {
    let feed =
      #"{"books": [\#((1...500).map { #"{"id": \#($0), "title": "t", "author": 7}"# }.joined(separator: ","))], "authors": [{"id": 7}]}"#
    let document = JSONDocument {
      JSONRecords(Book.self, at: "books", Book.json)
      JSONRecords(Author.self, at: "authors", Author.json)
    }
    let before = stack.historyToken.commit
    let result = try await stack.importJSON(
      document, from: .data(Data(feed.utf8)), options: .init(batchSize: 50))
    #expect(result.inserted == 501)
    #expect(result.commit - before >= 10)
  }

  @Test func `the error of one file stops the others and deletes nothing`() async throws {
    try await stack.books(Book.lines([900]))
    let parts = [Book.lines(1...300), "{", Book.lines(301...600)]
    let error = await #expect(throws: ImportError.self) {
      try await stack.importJSON(
        Book.self, from: parts.map { .data(Data($0.utf8)) }, as: .lines, mapping: Book.json,
        absent: .delete, options: .init(batchSize: 50) { $0.workers = 3 })
    }
    #expect(error?.code == .syntax)
    let count = try await stack.viewContext.count(Book.all)
    #expect(count == 1 + (error?.result.inserted ?? -1))
  }

  @Test func `batches shrink when a transaction takes longer than it may`() async throws {
    let session = ImportSession(
      nil, stack.makeScratch().beginImport(), ImportOptions(), [], [], [], FreshnessMarks(), nil)
    let first = session.batchSize
    var outcome = BatchOutcome()
    outcome.duration = .milliseconds(100)
    outcome.count = first
    session.note(outcome)
    #expect(session.batchSize == first / 10)
    (outcome.count, outcome.duration) = (first / 10, .milliseconds(1))
    session.note(outcome)
    #expect(session.batchSize == first / 10 * 3 / 2)
    outcome.duration = .zero
    for _ in 0..<40 {
      outcome.count = session.batchSize
      session.note(outcome)
    }
    #expect(session.batchSize == 10_000)
    (outcome.count, outcome.duration) = (10_000, .seconds(100))
    session.note(outcome)
    #expect(session.batchSize == 50)
  }

  @Test func `a row waits for what it refers to, and a later one of its key wins`() async throws {
    let gate = TestGate()
    let feed = HeldFeed(
      [
        #"{"id": 1, "title": "a", "author": 7} {"id": 2, "title": "b", "author": 7}"#
          .replacingOccurrences(of: "} {", with: "}\n{") + "\n",
        #"{"id": 2, "title": "c", "author": 1}"# + "\n",
      ], gate)
    let importing = Task { [stack] in
      try await stack.importJSON(
        Book.self, from: .chunks(feed), as: .lines, mapping: Book.partial,
        options: .init(batchSize: 1))
    }
    await gate.waitForArrivals()
    try await stack.withScratch { $0.insert(Author(id: 7)) }
    await gate.open()
    #expect(try await importing.value.inserted == 2)
    #expect(try await stack.fetch(Book.all).map(\.title) == ["a", "c"])
  }

  /// The row keeps the attributes of its first record.
  @Test func `a later record of a waiting row adds to it`() async throws {
    let gate = TestGate()
    let pieces = [
      #"{"id": 1, "title": "a", "author": 7}"#, #"{"id": 1, "author": 1}"#,
      #"{"id": 2, "title": "b", "author": 7}"#, #"{"id": 3, "title": "c", "author": 1}"#,
      #"{"id": 4, "title": "d", "author": 1}"#, #"{"id": 2, "shelf": 5}"#,
    ]
    let feed = HeldFeed(
      [
        pieces[..<5].joined(separator: "\n") + "\n", pieces[5] + "\n",
      ], gate)
    let importing = Task { [stack] in
      try await stack.importJSON(
        Book.self, from: .chunks(feed), as: .lines, mapping: Book.partial,
        options: .init(batchSize: 1))
    }
    await gate.waitForArrivals()
    try await stack.withScratch { $0.insert(Author(id: 7)) }
    await gate.open()
    _ = try await importing.value
    let books = try await stack.fetch(Book.all)
    #expect(books.map(\.title) == ["a", "b", "c", "d"])
    #expect(books.map(\.authorID) == [1, 7, 1, 1] && books.map(\.shelf) == [0, 5, 0, 0])
  }

  @Test func `a later record of a staged row that waits adds to it`() async throws {
    let others = (10...2_020).map { #"{"id": \#($0), "title": "x", "author": 1}"# }
    let books =
      [#"{"id": 1, "title": "a", "author": 7}"#] + others + [#"{"id": 1, "shelf": 5}"#]
    let feed = #"{"books": [\#(books.joined(separator: ","))], "authors": [{"id": 7}]}"#
    let document = JSONDocument {
      JSONRecords(Book.self, at: "books", Book.partial)
      JSONRecords(Author.self, at: "authors", Author.json)
    }
    try await stack.importJSON(
      document, from: .data(Data(feed.utf8)), options: .init { $0.commits = .atomic })
    let book = try await stack.fetch(Book.where { $0.id == 1 }).first
    #expect(book == Book(id: 1, title: "a", shelf: 5, authorID: 7))
  }

  @Test func `a row whose requirement never comes is named`() async throws {
    let lines = Book.lines(1...3) + "\n" + #"{"id": 4, "title": "x", "author": 99}"#
    let error = await #expect(throws: ImportError.self) {
      try await stack.books(lines, options: .init(batchSize: 1))
    }
    #expect(error?.storeError?.code == .missingReference)
    #expect(error?.result.inserted == 3)
    let result = try await stack.books(lines, options: .init { $0.refusedRecords = .skip() })
    #expect(result.unchanged == 3 && result.skipped == 1)
  }
}
