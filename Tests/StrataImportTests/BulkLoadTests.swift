import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataImport
@testable import StrataSQLite

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Options with which 1,000 rows are many.
private let fewRows = {
  var options = Stack.Options()
  options.bounds.indexedRows = 1_000
  return options
}()

/// Tests imports of many rows into an empty table. Such an import drops the table's indexes and
/// makes them again at its end.
@Suite(.inTurn, .stack(Author.self, Book.self, options: fewRows))
struct BulkLoadTests {
  /// More rows than the threshold of a bulk load, in chunks. A test can read the store between two
  /// chunks.
  private static let chunks = (0..<6).map { chunk in
    Data((Book.lines((chunk * 300 + 1)...(chunk * 300 + 300)) + "\n").utf8)
  }

  private let stack = Stack.test

  init() async throws {
    try await stack.withScratch { $0.insert(Author(id: 1, name: "Ann")) }
  }

  /// Imports all chunks. `between` runs before each chunk and before the end.
  private static func load(
    into stack: Stack, between: @escaping @Sendable (Int) async throws -> Void
  ) async throws -> ImportResult {
    let next = Lock(0)
    let source = AsyncThrowingStream<Data, any Error> {
      let number = next.withLock { next in
        defer { next += 1 }
        return next
      }
      try await between(number)
      return number < chunks.count ? chunks[number] : nil
    }
    var options = ImportOptions()
    options.batchSize = 100
    return try await stack.importJSON(
      Book.self, from: .chunks(source), as: .lines, mapping: Book.json, options: options)
  }

  @Test func `the indexes are gone while it is filled and there at the end`() async throws {
    let counts = Lock<[Int]>([])
    let result = try await Self.load(into: stack) { [stack] _ in
      let count = try await StoreFile.indexes(of: "books", stack)
      counts.withLock { $0.append(count) }
    }
    #expect(result.inserted == 1_800)
    #expect(counts.withLock(\.self).first == 3)
    #expect(counts.withLock(\.self).last == 0)
    #expect(try await StoreFile.indexes(of: "books", stack) == 3)
    #expect(try await stack.fetch(Book.where { $0.shelf == 1 }).count == 600)
    let deferred = try await stack.read(
      "SELECT count(*) FROM sqlite_schema WHERE name = 'strata_deferred_index'", as: Int.self)
    #expect(deferred == [0])
  }

  @Test func `a table that has rows of others keeps its indexes`() async throws {
    try await stack.withScratch { $0.insert(Book(id: 0, title: "mine", authorID: 1)) }
    _ = try await Self.load(into: stack) { [stack] _ in
      let count = try await StoreFile.indexes(of: "books", stack)
      #expect(count == 3)
    }
  }

  @Test func `an import that fails or is cancelled makes the indexes, too`() async throws {
    struct Failure: Error {}
    await #expect(throws: ImportError.self) {
      try await Self.load(into: stack) { if $0 == 5 { throw Failure() } }
    }
    #expect(try await stack.viewContext.count(Book.all) >= 1_200)
    #expect(try await StoreFile.indexes(of: "books", stack) == 3)

    let other = try await Stack.temporary(
      Author.self, Book.self, options: fewRows)
    try await other.withScratch { $0.insert(Author(id: 1, name: "Ann")) }
    await #expect(throws: ImportError.self) {
      try await Self.load(into: other) { if $0 == 5 { withUnsafeCurrentTask { $0?.cancel() } } }
    }
    #expect(try await other.viewContext.count(Book.all) > fewRows.bounds.indexedRows)
    #expect(try await StoreFile.indexes(of: "books", other) == 3)
    await other.close()
  }

  /// The indexes can be made only after the resumption. The cancelled import must not wait for
  /// that.
  @Test func `an import that is cancelled during a suspension does not wait for its end`()
    async throws
  {
    let stack = stack
    await #expect(throws: ImportError.self) {
      try await Self.load(into: stack) { number in
        if number != 5 { return }
        await stack.suspend()
        withUnsafeCurrentTask { $0?.cancel() }
      }
    }
    try await stack.resume()
    while try await StoreFile.indexes(of: "books", stack) < 3 { await Task.yield() }
  }

  /// A deletion makes the missing indexes first. It must also succeed without room for them,
  /// because deletions make room.
  @Test func `rows can be deleted although there is no room for the indexes`() async throws {
    let stack = stack
    let result = try await Self.load(into: stack) { number in
      if number != 5 { return }
      try await stack.store.writer.enqueue(.urgent) { writer throws(StoreError) in
        let connection = try writer.connection
        let pages = try connection.prepared("PRAGMA page_count").firstInteger() ?? 0
        try connection.run("PRAGMA max_page_count = \(pages)")
      }.value
      let book = try #require(try await stack.find(Book.self, 1))
      try await stack.withScratch { $0.delete(book) }
      #expect(try await StoreFile.indexes(of: "books", stack) == 0)
      try await stack.store.writer.enqueue(.urgent) { writer throws(StoreError) in
        let connection = try writer.connection
        try connection.run("PRAGMA max_page_count = 1073741823")
      }.value
    }
    #expect(result.inserted == 1_800)
    #expect(try await StoreFile.indexes(of: "books", stack) == 3)
    #expect(try await stack.viewContext.count(Book.all) == 1_799)
  }

  /// Without an index, a cascade would read the whole table for every deleted row.
  @Test func `a deletion has its indexes, and rows that come later as well`() async throws {
    let stack = stack
    let result = try await Self.load(into: stack) { number in
      if number < 4 { return }
      try await stack.withScratch { scratch in
        if number == 4 { scratch.insert(Author(id: 2, name: "Bo")) }
        if number == 5 { scratch.delete(Author(id: 2, name: "Bo")) }
      }
      #expect(try await StoreFile.indexes(of: "books", stack) == (number == 4 ? 0 : 3))
    }
    #expect(result.inserted == 1_800)
    #expect(try await StoreFile.indexes(of: "books", stack) == 3)
  }

  @Test func `another process reads, writes and opens the store meanwhile`() async throws {
    let file = try StoreFile()
    let stack = try await file.open(Author.self, Book.self, options: fewRows)
    try await stack.withScratch { $0.insert(Author(id: 1, name: "Ann")) }
    let other = try await file.open(Author.self, Book.self, options: fewRows)
    _ = try await Self.load(into: stack) { number in
      try await other.withScratch { $0.insert(Author(id: 10 + number, name: "Other")) }
      _ = try await other.fetch(Book.where { $0.shelf == 1 })
      if number == 5 {
        // Opening makes the indexes only if no batch is being written.
        _ = await stack.store.writer.commit
        #expect(try await StoreFile.indexes(of: "books", stack) == 0)
        let third = try await file.open(Author.self, Book.self, options: fewRows)
        #expect(try await StoreFile.indexes(of: "books", third) == 3)
        await third.close()
      }
    }
    #expect(try await StoreFile.indexes(of: "books", stack) == 3)
    #expect(try await other.fetch(Book.where { $0.shelf == 1 }).count == 600)
    #expect(try await other.viewContext.count(Author.all) == 8)
    await other.close()
    await stack.close()
  }

  @Test func `an index that is being made gives way to what is urgent`() async throws {
    _ = try await Self.load(into: stack) { _ in }
    let writer = stack.store.writer
    let indexes = stack.store.model.table(of: Book.self).plainIndexes
    try await writer.enqueue(.bulk) { writer throws(StoreError) in
      _ = try writer.transaction { transaction throws(StoreError) in
        do { try DeferredIndexes.drop(indexes, of: "books", transaction.connection) } catch {
          Issue.record(error)
        }
        (transaction.hasDeferredIndexes, transaction.hasNewSchema) = (true, true)
        transaction.isCounted = true
      }
    }.value
    let order = Lock<[String]>([])
    let steps = try await writer.enqueue(.bulk) { writer throws(StoreError) in
      _ = writer.enqueue(.urgent) { _ in order.withLock { $0.append("urgent") } }
      return try writer.makeNextDeferredIndex(givesWay: true)
    }.value
    #expect(steps == .gaveWay)
    #expect(try await StoreFile.indexes(of: "books", stack) == 0)
    // This unit comes after the urgent unit.
    try await writer.enqueue(.urgent) { _ in }.value
    #expect(order.withLock(\.self) == ["urgent"])
    // A step makes an index if no urgent ticket waits or if `givesWay` is false.
    for (givesWay, step) in [
      (true, DeferredIndexes.Step.moreLeft), (false, .moreLeft), (true, .done),
    ] {
      let next = try await writer.enqueue(.bulk) { writer throws(StoreError) in
        try writer.makeNextDeferredIndex(givesWay: givesWay)
      }.value
      #expect(next == step)
    }
    #expect(try await StoreFile.indexes(of: "books", stack) == 3)
  }

  @Test func `the indexes that a killed bulk load dropped are made when the store is opened`()
    async throws
  {
    let file = try StoreFile()
    let path = file.url.path
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let stack = try await Stack.open(
        Author.self, Book.self, at: URL(fileURLWithPath: path), options: fewRows)
      try await stack.withScratch { $0.insert(Author(id: 1, name: "Ann")) }
      _ = try await BulkLoadTests.load(into: stack) { number in
        if number < 5 { return }
        if try await StoreFile.indexes(of: "books", stack) == 0 { raise(SIGKILL) }
      }
    }
    let stack = try await file.open(Author.self, Book.self, options: fewRows)
    #expect(try await stack.viewContext.count(Book.all) > fewRows.bounds.indexedRows)
    #expect(try await StoreFile.indexes(of: "books", stack) == 3)
    await stack.close()
  }
}
