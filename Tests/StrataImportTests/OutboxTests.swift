import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

/// Tests pushes of local changes to a server that fails, with imports in between.
@Suite(.inTurn) struct OutboxTests {
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
    // The outbox makes no requests of imported changes.
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
    let result = try await outbox.push { request in
      if request.kind == .update {
        #expect(request.value(as: Book.self)?.note == "b")
        #expect(request.value(as: Author.self) == nil)
      }
      sent.withLock { $0.append(described(request)) }
      return .done
    }
    #expect(result.sent == 4 && result.left == 0)
    #expect(
      sent.withLock { $0 } == [
        #"update Book 1 ["note", "shelf"]"#,
        #"insert Author 7 ["id", "name"]"#,
        #"insert Book 10 ["authorID", "id", "note", "shelf", "title"]"#,
        #"delete Book 3 []"#,
      ])
    #expect(try await outbox.push { _ in throw Unreachable() }.sent == 0)
    await finish(stack)
  }

  @Test func `an acknowledged request is not sent again, also after a relaunch`() async throws {
    var stack = try await open()
    var outbox = try await stack.outbox()
    try await stack.withScratch { scratch in for id in 1...5 { scratch.insert(Author(id: id)) } }
    let sent = Lock<[RecordKey]>([])
    let send: @Sendable (PushRequest) async throws -> PushVerdict = { request in
      let isFull = sent.withLock { $0.count == 2 }
      if isFull { throw Unreachable() }
      sent.withLock { $0.append(request.key) }
      return .done
    }
    await #expect(throws: Unreachable.self) { try await outbox.push(send) }
    for name in 0..<200 {
      try await stack.withScratch { scratch in
        let author = try #require(try await scratch.find(Author.self, 4))
        scratch.update(author) { $0.name = "\(name)" }
      }
    }
    await stack.close()
    stack = try await open()
    outbox = try await stack.outbox()
    #expect(try await outbox.requests().map(\.key) == [3, 5, 4].map { RecordKey(.integer($0)) })
    try await outbox.push { request in
      if request.key == RecordKey(.integer(4)) {
        #expect(request.kind == .insert && request.value(as: Author.self)?.name == "199")
      }
      sent.withLock { $0.append(request.key) }
      return .done
    }
    #expect(sent.withLock { $0 } == [1, 2, 3, 5, 4].map { RecordKey(.integer($0)) })
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
    // Book 1 keeps its title. Books 2 and 100 stay although they are absent. Book 3 stays deleted.
    // Books 5 and 6 are deleted.
    let books = try await stack.fetch(Book.all)
    #expect(books.map(\.id) == [1, 2, 4, 100])
    #expect(books.map(\.title) == ["mine", "T", "server", "new"])
    // `kept` counts book 3, which the import does not insert again, and books 2 and 100, which it
    // does not delete. Book 1 counts as updated or unchanged, because the import may write its
    // other attributes.
    #expect(result.deleted == 2 && result.kept == 3 && result.unchanged + result.updated == 2)
    #expect(try await outbox.push { _ in .done }.sent == 4)
    // After the push, the server's values win.
    try await stack.books(Book.lines([1], title: "server"), absent: .delete, options: options)
    #expect(try await stack.fetch(Book.all).map(\.title) == ["server"])
    await finish(stack)
  }

  /// The server may have applied a request whose answer was lost. The outbox must send the book's
  /// later change before it sends the deletion of the author. Otherwise the server has a book of a
  /// deleted author.
  @Test
  func `an edit whose answer was lost is undone before the row it refers to is deleted`()
    async throws
  {
    for isDeleted in [false, true] {
      let stack = try await open()
      let outbox = try await stack.outbox()
      let server = Lock(Server())
      try await stack.withScratch { scratch in
        for id in 1...3 { scratch.insert(Author(id: id, name: "\(id)")) }
      }
      try await outbox.push { request in
        server.withLock { $0.apply(request) }
        return .done
      }
      var book = Book(id: 7, title: "T", authorID: 3)
      try await stack.withScratch { [book] in $0.insert(book) }
      await #expect(throws: Unreachable.self) {
        try await outbox.push { request in
          server.withLock { $0.apply(request) }
          throw Unreachable()
        }
      }
      book.authorID = 1
      try await stack.withScratch { [book] in $0.upsert(book) }
      try await stack.withScratch { $0.delete(Author(id: 3, name: "3")) }
      if isDeleted {
        try await stack.withScratch { [book] in $0.delete(book) }
      } else {
        book.title = "later"
        try await stack.withScratch { [book] in $0.upsert(book) }
      }
      try await outbox.push { request in
        server.withLock { $0.apply(request) }
        return .done
      }
      let state = server.withLock { $0 }
      #expect(state.problems == [])
      #expect(state.authors.keys.sorted() == [1, 2])
      #expect(Array(state.books.values) == (isDeleted ? [] : [book]))
      await finish(stack)
    }
  }

  @Test func `the store and the server end up the same after any failures and edits`() async throws
  {
    var random = SeededRandom.printingSeed()
    let stack = try await open()
    let outbox = try await stack.outbox()
    let server = Lock(Server())
    for _ in 0..<40 {
      for _ in 0..<random.below(4) { try await editAtRandom(stack, &random) }
      server.withLock { [edit = random.next()] server in server.edit(edit) }
      let sending = Lock(random)
      _ = try? await outbox.push { request in
        let luck = sending.withLock { $0.below(8) }
        if luck == 0 { throw Unreachable() }
        if luck == 1 {
          var random = sending.withLock { $0 }
          try await editAtRandom(stack, &random)
        }
        server.withLock { $0.apply(request) }
        // The server applied the request, but its answer is lost.
        if luck == 2 { throw Unreachable() }
        return .done
      }
      random = sending.withLock { $0 }
      if random.oneIn(2) { try await pull(server, into: stack) }
    }
    try await outbox.push { request in
      server.withLock { $0.apply(request) }
      return .done
    }
    try await pull(server, into: stack)
    let state = server.withLock { $0 }
    #expect(state.problems == [])
    #expect(try await stack.fetch(Author.all) == state.authors.values.sorted { $0.id < $1.id })
    #expect(try await stack.fetch(Book.all) == state.books.values.sorted { $0.id < $1.id })
    #expect(try await outbox.requests().isEmpty)
    await finish(stack)
  }

  private func editAtRandom(_ stack: Stack, _ random: inout SeededRandom) async throws {
    let (choice, id, other) = (random.below(6), random.below(12), random.below(4))
    let text = "\(random.below(1000))"
    try await stack.withScratch { scratch in
      let book = try await scratch.find(Book.self, id)
      let author = try await scratch.find(Author.self, other)
      switch (choice, book, author) {
      case (0, let book?, _): scratch.delete(book)
      case (1, _, let author?) where id < 3: scratch.delete(author)
      case (2, let book?, _): scratch.update(book) { $0.note = text }
      case (3, let book?, let author?): scratch.update(book) { $0.authorID = author.id }
      case (_, nil, let author?):
        scratch.insert(Book(id: id, title: text, authorID: author.id))
      case (_, _, nil): scratch.insert(Author(id: other, name: text))
      default: if let book { scratch.update(book) { $0.title = text } }
      }
    }
  }

  /// Imports everything that the server has, as a full sync.
  private func pull(_ server: Lock<Server>, into stack: Stack) async throws {
    let state = server.withLock { $0 }
    for (records, isBook) in [(state.authorRecords, false), (state.bookRecords, true)] {
      // The records are in an array. Without records, lines would be empty input, which is no
      // complete feed.
      let source = JSONSource.data(Data("[\(records)]".utf8))
      // The server may have a book whose author is deleted in the store. The import skips such a
      // record.
      let options = ImportOptions { $0.refusedRecords = .skip() }
      if isBook {
        try await stack.importJSON(
          Book.self, from: source, absent: .delete, options: options)
      } else {
        try await stack.importJSON(
          Author.self, from: source, absent: .delete, options: options)
      }
    }
  }
}

/// A server that applies every request, however often it comes. It notes references to missing rows
/// as problems.
private struct Server: Sendable {
  var authors: [Int: Author] = [:]
  var books: [Int: Book] = [:]
  var problems: [String] = []

  var authorRecords: String {
    authors.values.map { #"{"id": \#($0.id), "name": "\#($0.name)"}"# }.joined(separator: ",")
  }

  var bookRecords: String {
    books.values.map { book in
      #"{"id": \#(book.id), "title": "\#(book.title)", "shelf": \#(book.shelf), "#
        + #""note": "\#(book.note)", "authorID": \#(book.authorID)}"#
    }.joined(separator: ",")
  }

  /// Deletes or edits a book, as another client of the server does.
  mutating func edit(_ number: UInt64) {
    let id = Int(number % 12)
    if number % 5 == 0 { books[id] = nil } else { books[id]?.shelf = Int(number % 100) }
  }

  mutating func apply(_ request: PushRequest) {
    guard case .integer(let key) = request.key.cell else { return }
    let id = Int(key)
    if let author = request.value(as: Author.self), request.kind != .delete {
      authors[id] = author
    } else if let book = request.value(as: Book.self), request.kind != .delete {
      if authors[book.authorID] == nil { problems.append("\(book) has no author") }
      if request.kind == .insert { return books[id] = book }
      if request.attributes.contains("title") { books[id]?.title = book.title }
      if request.attributes.contains("note") { books[id]?.note = book.note }
      if request.attributes.contains("shelf") { books[id]?.shelf = book.shelf }
      if request.attributes.contains("authorID") { books[id]?.authorID = book.authorID }
    } else if request.entity == "Author" {
      if books.values.contains(where: { $0.authorID == id }) {
        problems.append("author \(id) has books")
      }
      authors[id] = nil
    } else {
      books[id] = nil
    }
  }
}
