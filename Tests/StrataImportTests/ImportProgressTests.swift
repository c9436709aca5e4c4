import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

@Suite(.inTurn, .stack(Author.self, Book.self)) struct ImportProgressTests {
  let stack = Stack.test

  init() async throws {
    try await stack.withScratch { $0.insert(Author(id: 1, name: "Ann")) }
  }

  @Test func `progress tells bytes, counts and speed, and ends with the import`() async throws {
    let monitor = ImportMonitor()
    let watching = Task { [updates = monitor.updates] in
      var last = ImportProgress()
      for await progress in updates {
        #expect(progress.result.inserted >= last.result.inserted && progress.bytes >= last.bytes)
        last = progress
      }
      return last
    }
    let lines = Book.lines(1...5_000)
    let result = try await stack.books(lines, options: .init(batchSize: 500), monitor: monitor)
    let last = await watching.value
    #expect(last.result == result && result.inserted == 5_000 && last.bytes == lines.utf8.count)
    #expect(last.fraction == 1 && last.recordsPerSecond > 0 && last.remaining == .zero)
    var late = monitor.updates.makeAsyncIterator()
    #expect(await late.next() == last)
    #expect(await late.next() == nil)
  }

  @Test func `refused records are counted, and the first ones are listed`() async throws {
    let lines = (1...10).map { id in
      switch id {
      case 3: #"{"id": 3, "title": 5, "author": 1}"#
      case 5: #"{"id": 5, "title": "cursed", "author": 1}"#
      case 7: #"{"id": 7, "author": 1}"#
      default: Book.lines([id])
      }
    }
    let result = try await stack.books(
      lines.joined(separator: "\n"),
      options: .init(batchSize: 4) { $0.refusedRecords = .skip(listing: 2) })
    #expect(result.skipped == 3 && result.inserted == 7 && result.records == 10)
    #expect(result.refused.count == 2)
    let first = try #require(result.refused.first { $0.line == 3 })
    #expect(first.path == "title" && first.found == "5" && (first.column ?? 0) > 1)
  }

  @Test func `refused records are told to the log, once`() async throws {
    let reported = Lock<[StackEvent]>([])
    var options = Stack.Options()
    options.log = { event in
      if case .importRefused = event { reported.withLock { $0.append(event) } }
    }
    let other = try await Stack.temporary(Author.self, Book.self, options: options)
    try await other.withScratch { $0.insert(Author(id: 1, name: "Ann")) }
    let skipping = ImportOptions { $0.refusedRecords = .skip(listing: 1) }
    _ = try await other.books(Book.lines(1...3), options: skipping)
    #expect(reported.withLock(\.self).isEmpty)
    _ = try await other.books(
      #"{"id": 4, "title": 5, "author": 1}"# + "\n" + #"{"id": 5, "author": 1}"#,
      options: skipping)
    let event = try #require(reported.withLock(\.self).first)
    guard case .importRefused(records: 2, let first) = event else {
      Issue.record("\(event)")
      return
    }
    #expect(reported.withLock(\.count) == 1 && first.count == 1 && event.level == .warning)
    await other.close()
  }

  @Test func `an interrupted import goes on where it stopped`() async throws {
    let whole = Book.lines(1...1_000)
    let gate = TestGate()
    let cut = whole.index(whole.startIndex, offsetBy: whole.count / 2)
    let feed = HeldFeed([String(whole[..<cut]), String(whole[cut...])], gate)
    let monitor = ImportMonitor()
    let importing = Task { [stack] in
      try await stack.importJSON(
        Book.self, from: .chunks(feed), as: .lines, mapping: Book.json,
        options: .init(batchSize: 50), monitor: monitor)
    }
    await gate.waitForArrivals()
    importing.cancel()
    await gate.open()
    let error = await #expect(throws: ImportError.self) { try await importing.value }
    #expect(error?.code == .cancelled)
    let checkpoint = try #require(monitor.progress.checkpoint)
    let inserted = try #require(error?.result.inserted)
    #expect(try await stack.viewContext.count(Book.all) == inserted)
    #expect(checkpoint.records == inserted && inserted > 0)

    let result = try await stack.books(
      whole, options: .init(batchSize: 50) { $0.checkpoint = checkpoint })
    #expect(result.inserted == 1_000 - inserted && result.unchanged == 0)
    let broken = await #expect(throws: ImportError.self) {
      try await stack.books(
        whole + "\n{\"id\": }", options: .init { $0.checkpoint = checkpoint })
    }
    #expect(broken?.line == 1_001 && broken?.column == 8)
    let other = await #expect(throws: ImportError.self) {
      try await stack.books(
        Book.lines(1...1_000, title: "other"), options: .init { $0.checkpoint = checkpoint })
    }
    #expect(other?.code == .source)
  }

  /// A waiting row may join a later batch. The checkpoint must not pass the row's first record
  /// before the later batch is committed.
  @Test func `a checkpoint lies before no record that is not in the store`() async throws {
    let lines = [
      #"{"id": 1, "title": "A", "shelf": 5, "author": 9}"#, Book.lines([2]),
      #"{"id": 1, "author": 1}"#, Book.lines([3]), Book.lines([4]), Book.lines([5]),
    ]
    let checkpoints = Lock<Set<Int>>([])
    let monitor = ImportMonitor { progress in
      checkpoints.withLock { set in if let end = progress.checkpoint { set.insert(end.records) } }
    }
    try await stack.importJSON(
      Book.self, from: .data(Data(lines.joined(separator: "\n").utf8)), as: .lines,
      mapping: Book.partial, options: .init(batchSize: 1), monitor: monitor)
    #expect(checkpoints.withLock { $0 } == [3, 4, 5, 6])
    #expect(try await stack.fetch(Book.all).map(\.shelf) == [5, 2, 0, 1, 2])
  }

  /// Decoding must refuse a damaged checkpoint. An import with such a checkpoint would trap.
  @Test func `a checkpoint that cannot be one is refused`() throws {
    func decode(_ offset: Int, _ records: Int, _ lines: Int) throws -> ImportCheckpoint {
      let json = #"{"offset":\#(offset),"records":\#(records),"lines":\#(lines)}"#
      return try JSONDecoder().decode(ImportCheckpoint.self, from: Data(json.utf8))
    }
    for numbers in [
      (-5, 0, 0), (.max, 1, 1), (9, -1, 1), (9, 1, -1), (9, 1, .max), (9, .max, 1), (9, 10, 1),
    ] {
      #expect(throws: DecodingError.self, "\(numbers)") {
        try decode(numbers.0, numbers.1, numbers.2)
      }
    }
    let good = ImportCheckpoint(offset: 90, records: 2, lines: 3)
    #expect(try decode(90, 2, 3) == good)
    let json = try JSONEncoder().encode(good)
    #expect(try JSONDecoder().decode(ImportCheckpoint.self, from: json) == good)
  }

  @Test func `a monitor ends although the import could not begin`() async throws {
    let keyless = JSONMapping<Author> { Field(\.name, "name") }
    let pairs = JSONDocument { JSONRecords(Author.self, at: "a", keyless) }
    let source = JSONSource.data(Data())
    let imports: [(ImportMonitor) async throws -> Void] = [
      { try await stack.importJSON(Author.self, from: source, mapping: keyless, monitor: $0) },
      { try await stack.importJSON(pairs, from: source, monitor: $0) },
      {
        try await stack.makeScratch().importJSON(
          Author.self, from: source, mapping: keyless, monitor: $0)
      },
      {
        try await stack.importJSON(
          Author.self, from: [source, source],
          options: .init { $0.checkpoint = ImportCheckpoint(offset: 0, records: 0, lines: 0) },
          monitor: $0)
      },
      {
        try await stack.importJSON(Author.self, from: [], absent: .delete, monitor: $0)
      },
    ]
    for importing in imports {
      let monitor = ImportMonitor()
      await #expect(throws: ImportError.self) { try await importing(monitor) }
      #expect(await monitor.updates.reduce(0) { count, _ in count + 1 } == 1)
    }
  }

  @Test func `batches are bounded by their bytes, too`() async throws {
    let name = String(repeating: "x", count: 1 << 20)
    let lines = (10..<22).map { #"{"id": \#($0), "name": "\#(name)"}"# }.joined(separator: "\n")
    for count in [1, 2] {
      let before = stack.historyToken.commit
      let sources = Array(repeating: JSONSource.data(Data(lines.utf8)), count: count)
      try await stack.importJSON(
        Author.self, from: sources, as: .lines, mapping: Author.json,
        options: .init(batchSize: 1_000) { $0.workers = 1 })
      #expect(count == 2 || stack.historyToken.commit - before >= 3)
    }
  }

  @Test func `the size is that of all sources from the start`() async throws {
    let parts = [1...300, 301...600, 601...900].map { Data(Book.lines($0).utf8) }
    let total = parts.reduce(0) { $0 + $1.count }
    let monitor = ImportMonitor()
    let watching = Task { [updates = monitor.updates] in
      await updates.reduce(into: Set<Int>()) { sizes, progress in
        if progress.bytes > 0 { sizes.insert(progress.totalBytes ?? -1) }
      }
    }
    try await stack.importJSON(
      Book.self, from: parts.map { .data($0) }, as: .lines, mapping: Book.json,
      options: .init(batchSize: 10) { $0.workers = 1 }, monitor: monitor)
    #expect(await watching.value == [total])
  }

  @Test(arguments: [false, true])
  func `a source that arrives in pieces has the size that it is said to have`(isKnown: Bool)
    async throws
  {
    let lines = Data(Book.lines(1...300).utf8)
    let pieces = AsyncStream<Data> { continuation in
      for start in stride(from: 0, to: lines.count, by: 1_000) {
        continuation.yield(lines[start..<min(start + 1_000, lines.count)])
      }
      continuation.finish()
    }
    let monitor = ImportMonitor()
    let watching = Task { [updates = monitor.updates] in
      await updates.reduce(into: []) { $0.append($1.fraction) }
    }
    try await stack.importJSON(
      // -1 means an unknown size, as in `URLResponse.expectedContentLength`.
      Book.self, from: .chunks(pieces, size: isKnown ? lines.count : -1), as: .lines,
      mapping: Book.json, options: .init(batchSize: 10) { $0.workers = 1 }, monitor: monitor)
    let fractions = await watching.value
    #expect(fractions.compactMap(\.self).last == (isKnown ? 1 : nil))
    if !isKnown { #expect(fractions.allSatisfy { $0 == nil }) }
  }

  /// The sum of two claimed sizes may overflow. The total size is unknown then.
  @Test func `sizes that nothing can have are not known together`() async throws {
    let sources = [Book.lines(1...30), Book.lines(31...60)].map { lines in
      let pieces = AsyncStream<Data> { continuation in
        continuation.yield(Data(lines.utf8))
        continuation.finish()
      }
      return JSONSource.chunks(pieces, size: .max)
    }
    let monitor = ImportMonitor()
    let result = try await stack.importJSON(
      Book.self, from: sources, as: .lines, mapping: Book.json, monitor: monitor)
    #expect(result.inserted == 60 && monitor.progress.totalBytes == nil)
  }

  /// A huge claimed size and few received bytes give a duration that overflows.
  @Test func `the rest of a size that nothing can have takes longer than can be said`() {
    var progress = ImportProgress()
    (progress.bytes, progress.totalBytes, progress.elapsed) = (1, .max, .seconds(60))
    #expect(progress.remaining == nil)
    progress.totalBytes = 2
    #expect(progress.remaining == .seconds(60))
  }

  @Test func `a size is that of what is read: of gzip, decompressed`() {
    let data = JSONSource.data(Data(count: 10))
    #expect(data.byteCount == 10 && data.gunzipped().byteCount == nil)
    #expect(data.gunzipped(size: 70).byteCount == 70)
    #expect(data.gunzipped(size: -1).byteCount == nil)
    let bytes = AsyncStream<UInt8> { $0.finish() }
    #expect(JSONSource.bytes(bytes, size: 5).byteCount == 5)
    #expect(JSONSource.bytes(bytes, size: 5).gunzipped().byteCount == nil)
    #expect(JSONSource.bytes(bytes).byteCount == nil)
  }

}
