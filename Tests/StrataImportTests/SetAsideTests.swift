import Foundation
import Strata
import StrataTestTurns
import StrataTesting
import Testing

@testable import StrataImport

private struct Invoice: Entity, Equatable {
  var id = 0
  var number: Int?
  var title = ""

  static let schema = Schema<Invoice>("invoices", key: \.id) {
    Attribute(\.number).unique()
    Attribute(\.title)
  }
  static let json = JSONMapping<Invoice> {
    Field(\.id, "id")
    Field(\.number, "number")
    Field(\.title, "title")
  }
}

/// Unique values that were taken here while the server gave them to another row.
@Suite(.inTurn, .stack(Invoice.self)) struct SetAsideTests {
  let stack = Stack.test

  @discardableResult
  private func hear(_ json: String, _ change: (inout ImportOptions) -> Void = { _ in }) async throws
    -> ImportResult
  {
    var options = ImportOptions()
    change(&options)
    return try await stack.importJSON(
      Invoice.self, from: .data(Data(json.utf8)), mapping: Invoice.json, options: options)
  }

  private func stored() async throws -> [String] {
    try await stack.fetch(Invoice.all.sorted(by: \.id)).map {
      "\($0.id): \($0.number ?? 0) \($0.title)"
    }
  }

  private static let feed =
    #"[{"id": 1, "number": 8, "title": "a"}, {"id": 2, "number": 9, "title": "b"}]"#
  private static let batches = [ImportOptions.Commits.batched, .atomic]

  @Test(arguments: batches, [true, false])
  func `a number that was taken offline blocks nothing and is told`(
    _ commits: ImportOptions.Commits, _ skips: Bool
  ) async throws {
    let outbox = try await stack.outbox()
    try await stack.withScratch { $0.insert(Invoice(id: 100, number: 8, title: "mine")) }
    let result = try await hear(Self.feed) {
      $0.commits = commits
      if skips { $0.refusedRecords = .skip() }
    }
    #expect(result.inserted == 2 && result.deleted == 0 && result.skipped == 0)
    #expect(try await stored() == ["1: 8 a", "2: 9 b"])
    let refusal = try #require(try await outbox.refusals().first)
    #expect(refusal.request.value(as: Invoice.self)?.title == "mine")
    #expect(refusal.reason == "Invoice 100 and 1 have the same number 8; the server has 1")
    // An edit repairs it.
    try await stack.withScratch { $0.insert(Invoice(id: 100, number: 10, title: "mine")) }
    #expect(try await outbox.refusals().isEmpty)
    #expect(try await outbox.requests().map(\.kind) == [.insert])
    #expect(try await stored() == ["1: 8 a", "2: 9 b", "100: 10 mine"])
    // Nothing changes when the feed comes again.
    #expect(try await hear(Self.feed).unchanged == 2)
  }

  @Test func `an edit gives way to the server's row, and can be retried or given up`() async throws
  {
    let outbox = try await stack.outbox()
    try await hear(#"[{"id": 5, "number": 5, "title": "a"}]"#)
    try await stack.withScratch { scratch in
      scratch.update(try #require(try await scratch.find(Invoice.self, 5))) {
        $0.number = 8
        $0.title = "mine"
      }
    }
    try await hear(Self.feed)
    #expect(try await stored() == ["1: 8 a", "2: 9 b", "5: 5 a"])
    let refusal = try #require(try await outbox.refusals().first)
    await #expect(throws: StoreError.self) { try await outbox.retry(refusal) }
    // Once the number is free, the edit returns.
    try await hear(#"[{"id": 1, "number": 7, "title": "a"}]"#)
    #expect(try await outbox.retry(refusal))
    #expect(try await stored() == ["1: 7 a", "2: 9 b", "5: 8 mine"])
    #expect(try await outbox.requests().first?.attributes == ["number", "title"])
  }

  @Test func `a server's row with an edit of the same number keeps the server's number`()
    async throws
  {
    let outbox = try await stack.outbox()
    try await hear(#"[{"id": 1, "number": 1}, {"id": 2, "number": 2}]"#)
    try await stack.withScratch { scratch in
      scratch.update(try #require(try await scratch.find(Invoice.self, 1))) { $0.number = 3 }
      scratch.update(try #require(try await scratch.find(Invoice.self, 2))) { $0.title = "mine" }
    }
    // Both rows have edits; only the first row's number is an edit.
    try await hear(#"[{"id": 1, "number": 1}, {"id": 2, "number": 3}]"#)
    #expect(try await stored() == ["1: 1 ", "2: 3 mine"])
    #expect(try await outbox.refusals().map { $0.request.key.cell } == [.integer(1)])
    #expect(try await outbox.requests().map { $0.key.cell } == [.integer(2)])
  }

  @Test func `a request under way whose row was set aside brings the row back when it is done`()
    async throws
  {
    let outbox = try await stack.outbox()
    try await stack.withScratch { $0.insert(Invoice(id: 100, number: 8, title: "mine")) }
    try await outbox.push { [stack] _ in
      try await stack.importJSON(
        Invoice.self, from: .data(Data(#"[{"id": 1, "number": 8}]"#.utf8)), mapping: Invoice.json)
      #expect(try await stack.find(Invoice.self, 100) == nil)
      try await stack.importJSON(
        Invoice.self, from: .data(Data(#"[{"id": 1, "number": 7}]"#.utf8)), mapping: Invoice.json)
      return .done
    }
    #expect(try await stored() == ["1: 7 ", "100: 8 mine"])
    #expect(try await outbox.requests().isEmpty)
  }

  /// The push had put the requests in order before.
  @Test func `an answer that sets the row of a later request aside loses nothing`() async throws {
    let outbox = try await stack.outbox()
    try await stack.withScratch { $0.insert(Invoice(id: 1, number: 7)) }
    try await stack.withScratch { $0.insert(Invoice(id: 2, number: 8, title: "mine")) }
    let result = try await outbox.push { [stack] _ in
      try await stack.importJSON(
        Invoice.self, from: .data(Data(#"[{"id": 3, "number": 8}]"#.utf8)), mapping: Invoice.json)
      return .done
    }
    #expect(result.sent == 1)
    let refusal = try #require(try await outbox.refusals().first)
    #expect(refusal.isSetAside && refusal.request.value(as: Invoice.self)?.title == "mine")
  }

  @Test func `two rows of the server are still an error`() async throws {
    _ = try await stack.outbox()
    try await hear(#"[{"id": 1, "number": 8}]"#)
    let error = await #expect(throws: ImportError.self) {
      try await hear(#"[{"id": 2, "number": 8}]"#)
    }
    #expect(error?.storeError?.code == .uniquenessViolated)
  }

  // A feed that has the whole state left the server's row out, at each pull and without a refusal.
  @Test(arguments: batches, [true, false])
  func `an edit gives way whatever the import does with absent rows`(
    _ commits: ImportOptions.Commits, _ isKnown: Bool
  ) async throws {
    let outbox = try await stack.outbox()
    for (index, absent) in [AbsentRows.keep, .delete, .delete(within: Invoice.all)].enumerated() {
      for batchSize in [nil, 1] {
        for lacksEdited in [false, true] {
          var options = ImportOptions()
          options.commits = commits
          options.batchSize = batchSize
          func hear(_ records: String...) async throws -> ImportResult {
            try await stack.importJSON(
              Invoice.self, from: .data(Data("[\(records.joined(separator: ","))]".utf8)),
              mapping: Invoice.json, absent: absent, options: options)
          }
          try await outbox.acknowledgeEverything()
          try await stack.withScratch { scratch in
            scratch.author = Stack.evictionAuthor
            try await scratch.delete(Invoice.all)
          }
          let old = #"{"id": 5, "number": 5, "title": "a"}"#
          _ = try await hear(old)
          try await stack.withScratch { scratch in
            if isKnown {
              scratch.update(try #require(try await scratch.find(Invoice.self, 5))) {
                $0.number = 8
              }
            } else {
              scratch.insert(Invoice(id: 100, number: 8, title: "mine"))
            }
          }
          let way = "\(index), \(batchSize ?? 0), \(lacksEdited)"
          for _ in 1...2 {
            let new = #"{"id": 1, "number": 8, "title": "theirs"}"#
            _ = lacksEdited ? try await hear(new) : try await hear(new, old)
            #expect(try await stack.find(Invoice.self, 1)?.title == "theirs", "\(way)")
            #expect(try await outbox.refusals().map(\.isSetAside) == [true], "\(way)")
          }
        }
      }
    }
  }

  // MARK: - Values that move among the server's rows

  private static let moves = [
    // A new row gets the value of a removed row, an old row does, two rows swap, three rows turn.
    (#"[{"id": 3, "number": 1}, {"id": 2, "number": 2}]"#, "2: 2 ;3: 1 "),
    (#"[{"id": 2, "number": 1}]"#, "2: 1 "),
    (#"[{"id": 1, "number": 2}, {"id": 2, "number": 1}]"#, "1: 2 ;2: 1 "),
    (
      #"[{"id": 1, "number": 2}, {"id": 2, "number": 3}, {"id": 3, "number": 1}]"#,
      "1: 2 ;2: 3 ;3: 1 "
    ),
  ]

  @Test(
    arguments: moves,
    [(batches[0], false), (batches[1], false), (batches[0], true), (batches[1], true)])
  func `a value may move to another row, wherever the batches end`(
    _ move: (feed: String, rows: String), _ way: (commits: ImportOptions.Commits, skips: Bool)
  ) async throws {
    try await hear(#"[{"id": 1, "number": 1}, {"id": 2, "number": 2}]"#)
    var options = ImportOptions(batchSize: 1) { $0.commits = way.commits }
    if way.skips { options.refusedRecords = .skip() }
    let result = try await stack.importJSON(
      Invoice.self, from: .data(Data(move.feed.utf8)), mapping: Invoice.json, absent: .delete,
      options: options)
    #expect(result.skipped == 0)
    #expect(try await stored().joined(separator: ";") == move.rows)
  }
}
