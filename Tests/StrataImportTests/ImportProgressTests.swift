import Foundation
import Strata
import StrataTesting
import Testing

@testable import StrataImport

@Suite(.stack(Author.self, Book.self), .timeLimit(.minutes(10))) struct ImportProgressTests {
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
    await gate.arrived()
    importing.cancel()
    await gate.open()
    let error = await #expect(throws: ImportError.self) { try await importing.value }
    #expect(error?.code == .cancelled)
    let checkpoint = try #require(monitor.progress.checkpoint)
    let inserted = try #require(error?.result.inserted)
    #expect(try await stack.view.count(Book.all) == inserted)
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

  @Test func `an import that the view context does not show any more says what it did`()
    async throws
  {
    let stack = try await Stack.temporary(Author.self, Book.self)
    let result = try await stack.importJSON(Author.self, from: .data(Data(#"[{"id": 1}]"#.utf8)))
    await stack.close()
    var later = result
    later.commit += 1
    await #expect(throws: ImportError.self) {
      do throws(ImportError) { try await stack.showing(later) } catch {
        #expect(error.result == later && error.storeError?.code == .closed)
        throw error
      }
    }
  }
}
