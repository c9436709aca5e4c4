import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// An entity that kills the process when its row is about to be written.
private struct Bomb: Entity {
  var id = 0
  var name = ""
  static let schema = Schema<Bomb>("bombs", key: \.id) {
    Attribute(\.name).indexed().validated("must not explode") { name in
      if name == "now" { kill(getpid(), SIGKILL) }
      return true
    }
  }
  static let json = JSONMapping<Bomb> {
    Field(\.id, "id")
    Field(\.name, "name")
  }
}

@Suite(.inTurn, .stack(Author.self, Book.self)) struct AtomicImportTests {
  let stack = Stack.test
  private let atomic = ImportOptions(batchSize: 100) { $0.commits = .atomic }

  init() async throws {
    try await stack.withScratch { $0.insert(Author(id: 1, name: "Ann")) }
  }

  @Test func `an atomic import is one commit, deletions included`() async throws {
    try await stack.books(Book.lines([1, 2, 9_999]))
    let before = stack.historyToken.commit
    let changes = stack.changes
    let result = try await stack.books(
      Book.lines(2...5_000, title: "new"), absent: .delete, options: atomic)
    #expect(result.inserted == 4_998 && result.updated == 1 && result.deleted == 2)
    #expect(result.commit == before + 1)
    for await change in changes {
      #expect(change.count == 5_001)
      break
    }
  }

  @Test func `a failure leaves nothing behind`() async throws {
    let before = stack.historyToken
    let lines = Book.lines(1...500)
    for end in ["\n{", "\n" + Book.lines([501], title: "cursed"), "\n{\"id\": 5}"] {
      await #expect(throws: ImportError.self) {
        try await stack.books(lines + end, options: atomic)
      }
    }
    #expect(stack.historyToken == before)
    #expect(try await stack.viewContext.count(Book.all) == 0)
  }

  @Test func `rows find what they refer to in any order, and a later one of a key wins`()
    async throws
  {
    let lines =
      Book.lines(1...4_000) + "\n" + Book.lines(1...4_000, title: "late")
    let result = try await stack.books(lines, options: atomic)
    #expect(result.inserted == 4_000 && result.updated == 4_000)
    #expect(try await stack.viewContext.count(Book.where { $0.title == "late" }) == 4_000)
  }

  /// The import makes the indexes again. Other connections must not take this for a change of the
  /// tables.
  @Test func `an empty table has its indexes after the load, for everybody`() async throws {
    let file = try StoreFile()
    let stack = try await file.open(Author.self, Book.self)
    let other = try await file.open(Author.self, Book.self)
    try await stack.withScratch { $0.insert(Author(id: 1, name: "Ann")) }
    #expect(try await other.fetch(Book.all).isEmpty)
    try await stack.books(Book.lines(1...3_000), options: atomic)
    #expect(try await stack.fetch(Book.where { $0.shelf == 1 }).count == 1_000)
    #expect(try await other.fetch(Book.where { $0.shelf == 1 }).count == 1_000)
    try await other.withScratch { $0.insert(Book(id: 5_000, title: "other", authorID: 1)) }
    try await stack.withScratch { $0.insert(Book(id: 5_001, title: "mine", authorID: 1)) }
    #expect(try await StoreFile.indexes(of: "books", stack) == 3)
    await other.close()
    await stack.close()
    // Opening checks that the tables match the model.
    let again = try await file.open(Author.self, Book.self)
    #expect(try await again.viewContext.count(Book.all) == 3_002)
    await again.close()
  }

  /// The import must not make the indexes of a table that is not in the feed. Their commit would
  /// have no known number.
  @Test func `indexes of tables that the feed does not have are left alone`() async throws {
    func schema() async throws -> [Int] {
      try await stack.read(
        "SELECT rowid FROM sqlite_schema WHERE tbl_name = 'books' ORDER BY rowid", as: Int.self)
    }
    let before = try await schema()
    let feed = Data(#"[{"id": 1, "name": "Ann"}, {"id": 2, "name": "Bo"}]"#.utf8)
    try await stack.importJSON(
      Author.self, from: .data(feed), mapping: Author.json, options: atomic)
    #expect(try await schema() == before)
  }

  @Test func `a kill in the middle leaves an empty table and all indexes`() async throws {
    let file = try StoreFile()
    let path = file.url.path
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let stack = try await Stack.open(Bomb.self, at: URL(fileURLWithPath: path))
      // The last of three portions kills the process in the middle of the transaction.
      let rows = (1...6_000).map { #"{"id": \#($0), "name": "\#($0 == 5_500 ? "now" : "x")"}"# }
      var options = ImportOptions()
      options.commits = .atomic
      try await stack.importJSON(
        Bomb.self, from: .data(Data(rows.joined(separator: "\n").utf8)), as: .lines,
        mapping: Bomb.json, options: options)
    }
    let stack = try await file.open(Bomb.self)
    #expect(try await stack.viewContext.count(Bomb.all) == 0)
    #expect(try await StoreFile.indexes(of: "bombs", stack) == 1)
    await stack.close()
    let left = try FileManager.default.contentsOfDirectory(
      atPath: file.url.deletingLastPathComponent().path)
    #expect(left == ["store.sqlite"])
  }
}
