import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

/// A feed that has a key twice. If each record were written as its batch comes, every import of the
/// same feed would change the row to the first record's values and back.
@Suite(.inTurn, .stack(Author.self, Book.self)) struct RepeatedKeyTests {
  let stack = Stack.test

  enum Form: CaseIterable, Sendable { case array, lines, atomic }

  private func options(_ form: Form, _ batchSize: Int?) -> ImportOptions {
    var options = ImportOptions()
    options.commits = form == .atomic ? .atomic : .batched
    options.batchSize = batchSize
    return options
  }

  private func importing(
    _ records: [String], _ form: Form, _ batchSize: Int?,
    mapping: JSONMapping<Book> = Book.partial
  ) async throws -> ImportResult {
    let text =
      form == .lines
      ? records.joined(separator: "\n") : "[" + records.joined(separator: ",") + "]"
    return try await stack.importJSON(
      Book.self, from: .data(Data(text.utf8)), as: form == .lines ? .lines : .array,
      mapping: mapping, options: options(form, batchSize))
  }

  /// Random records of few keys, some of them with a part of the attributes, and the rows they make.
  private func feed(
    _ count: Int, keys: Int, _ random: inout SeededRandom
  ) -> (records: [String], rows: [Int: Book]) {
    var rows: [Int: Book] = [:]
    var records: [String] = []
    for _ in 0..<count {
      let id = random.below(keys)
      var members = ["\"id\": \(id)"]
      var book = rows[id] ?? Book(id: id, authorID: 1)
      if rows[id] == nil { members.append("\"author\": 1") }
      if random.oneIn(2) {
        book.title = "t\(random.below(3))"
        members.append("\"title\": \"\(book.title)\"")
      }
      if random.oneIn(2) {
        book.shelf = random.below(3)
        members.append("\"shelf\": \(book.shelf)")
      }
      rows[id] = book
      records.append("{\(members.joined(separator: ", "))}")
    }
    return (records, rows)
  }

  @Test(arguments: Form.allCases, [1, 7, 50])
  func `the last record counts, and a second import changes nothing`(
    form: Form, batchSize: Int
  ) async throws {
    try await stack.withScratch { $0.insert(Author(id: 1)) }
    var random = SeededRandom.printingSeed()
    // An atomic import reads portions of 2,000 staged rows.
    let (count, keys) = form == .atomic ? (2_500, 700) : (200, 40)
    for _ in 0..<2 {
      let (records, rows) = feed(count, keys: keys, &random)
      let first = try await importing(records, form, batchSize)
      let commit = await stack.viewContext.commit
      let expected = rows.values.sorted { $0.id < $1.id }
      #expect(try await stack.fetch(Book.sorted(by: \.id)) == expected)
      let second = try await importing(records, form, batchSize)
      #expect(second.inserted + second.updated + second.deleted == 0, "\(second)")
      #expect(second.unchanged > 0)
      #expect(await stack.viewContext.commit == commit)
      // Records that an atomic import stages in two batches and writes together are not counted.
      for result in [first, second] where form != .atomic {
        #expect(
          result.records == result.inserted + result.updated + result.unchanged
            + result.duplicates, "\(result)")
      }
      try await stack.withScratch { for id in rows.keys { $0.delete(Book.self, id) } }
    }
  }

  @Test(arguments: Form.allCases)
  func `batches of their usual size change nothing`(form: Form) async throws {
    try await stack.withScratch { $0.insert(Author(id: 1)) }
    func record(_ id: Int, _ title: String) -> String {
      #"{"id": \#(id), "title": "\#(title)", "author": 1}"#
    }
    let records = [record(0, "first")] + (1...2_500).map { record($0, "t") } + [record(0, "last")]
    let first = try await importing(records, form, nil)
    #expect(first.inserted == 2_501)
    let second = try await importing(records, form, nil)
    #expect(second.updated == 0 && second.unchanged == 2_501)
    #expect(try await stack.find(Book.self, 0)?.title == "last")
  }

  @Test func `updates that do not fit into memory are written as they come`() async throws {
    try await stack.withScratch { $0.insert(Author(id: 1)) }
    let count = HeldUpdates.limit + 500
    func records(_ title: String) -> [String] {
      (0..<count).map { #"{"id": \#($0), "title": "\#(title)", "author": 1}"# }
    }
    _ = try await importing(records("a"), .array, 100)
    let result = try await importing(records("b") + records("c"), .array, 100)
    #expect(result.updated >= count)
    #expect(try await stack.fetch(Book.all).allSatisfy { $0.title == "c" })
    #expect(try await stack.fetch(Book.all).count == count)
  }

  @Test func `updates before a fault of the input are written`() async throws {
    try await stack.withScratch { scratch in
      scratch.insert(Author(id: 1))
      for id in 0..<20 { scratch.insert(Book(id: id, title: "a", authorID: 1)) }
    }
    let records = (0..<20).map { #"{"id": \#($0), "title": "b"}"# } + ["nonsense"]
    let error = await #expect(throws: ImportError.self) {
      _ = try await importing(records, .array, 5)
    }
    #expect(error?.code == .syntax && error?.result.updated == 20)
    #expect(try await stack.fetch(Book.all).allSatisfy { $0.title == "b" })
  }

  /// The checkpoint must not promise an update that is held in memory.
  @Test func `a checkpoint is not after an update that is held back`() async throws {
    try await stack.withScratch { scratch in
      scratch.insert(Author(id: 1))
      scratch.insert(Book(id: 3, title: "a", authorID: 1))
    }
    let gate = TestGate()
    let lines = (0..<20).map { #"{"id": \#($0), "title": "b", "author": 1}"# + "\n" }
    let feed = HeldFeed([lines[..<10].joined(), lines[10...].joined()], gate)
    let monitor = ImportMonitor()
    let importing = Task { [stack] in
      try await stack.importJSON(
        Book.self, from: .chunks(feed), as: .lines, mapping: Book.partial,
        options: options(.lines, 1), monitor: monitor)
    }
    await gate.waitForArrivals()
    let checkpoint = monitor.progress.checkpoint
    #expect((checkpoint?.records ?? 0) <= 3)
    await gate.open()
    #expect(try await importing.value.updated == 1)
    #expect(try await stack.find(Book.self, 3)?.title == "b")
  }

  /// A held update must not bring back a row that a later record of the feed deletes, here by a delete
  /// rule.
  @Test(arguments: [ImportOptions.Commits.batched, .atomic])
  func `an update does not bring back a row that is deleted meanwhile`(
    commits: ImportOptions.Commits
  ) async throws {
    try await stack.withScratch { scratch in
      for id in 1...2 { scratch.insert(Author(id: id)) }
      for id in 0..<2_600 { scratch.insert(Book(id: id, title: "a", authorID: id == 1 ? 1 : 2)) }
    }
    let books = (0..<2_600).map { #"{"id": \#($0), "title": "\#($0 == 1 ? "b" : "a")"}"# }
    let (first, last) = (books[..<500].joined(separator: ","), books[500...].joined(separator: ","))
    let text = #"{"books": [\#(first)], "gone": [1], "more": [\#(last)]}"#
    let document = JSONDocument {
      JSONRecords(at: "books", Book.partial)
      JSONRecords.deleted(Author.self, at: "gone")
      JSONRecords(at: "more", Book.partial)
    }
    var options = ImportOptions()
    options.commits = commits
    options.batchSize = 100
    let result = try await stack.importJSON(
      document, from: .data(Data(text.utf8)), options: options)
    #expect(try await stack.find(Book.self, 1) == nil)
    #expect(try await stack.fetch(Book.all).count == 2_599)
    #expect(result.kept == 1 && result.inserted == 0 && result.updated == 0)
  }
}

private struct Seat: Entity, Equatable {
  var id = 0
  var place = ""
  var guest = ""
  static let schema = Schema<Seat>("seats", key: \.id) {
    Attribute(\.place).unique()
    Attribute(\.guest)
  }
}

/// An update that frees a unique value is written before the row that takes the value.
@Suite(.inTurn, .stack(Seat.self)) struct RepeatedKeyOfUniqueRowsTests {
  let stack = Stack.test

  @Test(arguments: [ImportOptions.Commits.batched, .atomic])
  func `a new row takes a unique value that an update frees`(
    commits: ImportOptions.Commits
  ) async throws {
    let count = 2_500
    try await stack.withScratch { scratch in
      for id in 0..<count { scratch.insert(Seat(id: id, place: "p\(id)")) }
    }
    let records = (0..<count).map { id in
      #"{"id": \#(id), "place": "q\#(id)"}, {"id": \#(id + count), "place": "p\#(id)"}"#
    }
    var options = ImportOptions()
    options.commits = commits
    options.batchSize = 99
    for _ in 0..<2 {
      let source = JSONSource.data(Data("[\(records.joined(separator: ","))]".utf8))
      try await stack.importJSON(Seat.self, from: source, options: options)
    }
    let seats = try await stack.fetch(Seat.sorted(by: \.id)).map(\.place)
    #expect(seats == (0..<count).map { "q\($0)" } + (0..<count).map { "p\($0)" })
  }
}
