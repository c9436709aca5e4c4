import Foundation
import Strata
import StrataImport

extension CancelOperation {
  static let imports: [CancelOperation] = [
    importing("import", from: 1000, .someNotes) { site, json, options in
      try await site.stack.importJSON(
        Note.self, from: .data(json), as: .lines, options: options(.batched))
    },
    importing("import at once", from: 2000, .whole) { site, json, options in
      try await site.stack.importJSON(
        Note.self, from: .data(json), as: .lines, options: options(.atomic))
    },
    importing("import of a file", from: 4000, .someNotes) { site, json, options in
      let file = site.store.appendingPathExtension("lines")
      try? json.write(to: file)
      return try await site.stack.importJSON(
        Note.self, from: .file(file), as: .lines, options: options(.batched))
    },
    importing("import of chunks", from: 5000, .someNotes) { site, json, options in
      let chunks = stride(from: 0, to: json.count, by: 1000).map {
        json[$0..<min($0 + 1000, json.count)]
      }
      return try await site.stack.importJSON(
        Note.self, from: .chunks(Slowly(elements: chunks)), as: .lines,
        options: options(.batched))
    },
    importing("import of bytes", from: 6000, .whole) { site, json, options in
      try await site.stack.importJSON(
        Note.self, from: .bytes(Slowly(elements: Array(json))), as: .lines,
        options: options(.atomic))
    },
    importing("import of pages", from: 7000, .someNotes) { site, json, options in
      let half = json.count / 2
      let end = json[half...].firstIndex(of: UInt8(ascii: "\n")) ?? half
      return try await site.stack.importJSON(
        Note.self, from: [.data(json[..<end]), .data(json[(end + 1)...])], as: .lines,
        options: options(.batched))
    },
    importing("import of what is all", from: 8000, .whole) { site, json, options in
      let document = JSONDocument { JSONRecords(Note.self, at: "notes") }
      return try await site.stack.importJSON(
        document, from: .data(object(json)),
        absent: .delete(within: Note.where { $0.id >= 8000 && $0.id < 9000 }),
        options: options(.atomic))
    },
    importing("import into a scratch context", from: 9000, .whole) { site, json, options in
      let scratch = site.stack.makeScratch()
      let result = try await scratch.importJSON(
        Note.self, from: .data(json), as: .lines, options: options(.batched))
      try await scratch.save()
      return result
    },
    importing("import of a document into a scratch context", from: 10_000, .whole) {
      site, json, options in
      let scratch = site.stack.makeScratch()
      let document = JSONDocument { JSONRecords(Note.self, at: "notes") }
      let result = try await scratch.importJSON(
        document, from: .data(object(json)), options: options(.batched))
      try await scratch.save()
      return result
    },
  ]
  static let exports: [CancelOperation] = [
    CancelOperation("export") { site in
      let file = site.store.appendingPathExtension("json")
      let count = try await site.stack.exportJSON(Account.all, mapping: accounts, toFile: file)
      try CancelSurprise.unless(count == FaultTemplate.accounts, "\(count) accounts")
    },
    CancelOperation("export of data") { site in
      let data = try await site.stack.exportJSON(Account.all, as: .lines, mapping: accounts)
      let lines = data.split(separator: UInt8(ascii: "\n")).count
      try CancelSurprise.unless(lines == FaultTemplate.accounts, "\(lines) accounts")
    },
    CancelOperation("export to a closure") { site in
      let count = try await site.stack.exportJSON(Account.all, mapping: accounts) { _ in
        await Task.yield()
      }
      try CancelSurprise.unless(count == FaultTemplate.accounts, "\(count) accounts")
    },
  ]

  private static let accounts = JSONMapping<Account> { Field(\.id, "id") }

  private typealias OptionsFor = @Sendable (ImportOptions.Commits) -> ImportOptions

  /// Returns an operation that imports 400 notes.
  private static func importing(
    _ name: String, from first: Int, _ part: Part,
    _ run:
      @escaping @Sendable (CancelSite, Data, OptionsFor) async throws -> ImportResult
  ) -> CancelOperation {
    let notes = first..<first + 400
    return CancelOperation(name, part: part, effect: { $0.notes.formUnion(notes) }) { site in
      let lines = notes.map { #"{"id":\#($0),"text":"note \#($0)","deleter":1}"# }
      let json = Data(lines.joined(separator: "\n").utf8)
      do {
        _ = try await run(site, json) { commits in
          var options = ImportOptions()
          options.commits = commits
          options.longestTransaction = .microseconds(200)
          return options
        }
      } catch let error as ImportError {
        let there = try await Task.detached {
          try await site.stack.count(
            Note.where { $0.id >= notes.lowerBound && $0.id < notes.upperBound })
        }.value
        try CancelSurprise.unless(
          there >= error.result.inserted,
          "\(there) of \(error.result.inserted) acknowledged notes")
        throw error
      }
    }
  }

  /// Returns an object whose only member is an array of the lines.
  private static func object(_ lines: Data) -> Data {
    let elements = lines.split(separator: UInt8(ascii: "\n")).joined(separator: [UInt8(ascii: ",")])
    return Data(#"{"notes":["#.utf8) + Data(elements) + Data("]}".utf8)
  }
}

/// A sequence of elements that suspends after every hundred elements.
private struct Slowly<Element: Sendable>: AsyncSequence, Sendable {
  let elements: [Element]

  struct Iterator: AsyncIteratorProtocol {
    var left: ArraySlice<Element>

    mutating func next() async -> Element? {
      if left.count % 100 == 0 { await Task.yield() }
      return left.popFirst()
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(left: elements[...]) }
}
