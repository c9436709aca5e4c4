import Foundation
import StrataTestTurns
import Testing

@testable import Strata

/// An entity whose names SQL would misread without quotes.
private struct Odd: Entity, Equatable {
  var id: Int64 = 0
  var quoted = ""
  var keyword = ""
  var spaced: Int64?
  var foreign = 0.0
  var apostrophe = ""
  var otherID: Int64?

  static let other = toOne(\.otherID, Odd.self, "to \"one\"")
  static let others = toMany(\Odd.otherID)
  static let schema = Schema<Odd>("the \"odd\" ; table – größe '日'", key: \.id) {
    Attribute(\.quoted, "say \"hi\"").indexed()
    Attribute(\.keyword, "select").unique()
    Attribute(\.spaced, "a b")
    Attribute(\.foreign, "größe 日")
    Attribute(\.apostrophe, "x'y--")
    other
    others
    Unique(\.spaced, \.foreign)
  }
}

@Suite(.inTurn) struct QuotingTests {
  private let odds = [
    Odd(id: 1, quoted: "a", keyword: "x", spaced: 1, foreign: 1.5, apostrophe: "'", otherID: 2),
    Odd(id: 2, quoted: "b", keyword: "y", spaced: nil, foreign: 2.5, apostrophe: "\"", otherID: 1),
    Odd(id: 3, quoted: "c", keyword: "z", spaced: 3, foreign: 3.5, apostrophe: "", otherID: nil),
  ]

  @Test func `entities with odd names are saved, changed, deleted and found`() async throws {
    let stack = try await Stack.temporary(Odd.self)
    try await stack.withScratch { scratch in for odd in odds { scratch.insert(odd) } }
    #expect(try await stack.fetch(Odd.sorted(by: \.foreign, order: .reverse)) == odds.reversed())
    let query = Odd.where { $0.quoted == "a" && $0.spaced > 0 && $0.keyword.contains("x") }
    #expect(try await stack.fetch(query) == [odds[0]])
    #expect(try await stack.fetch(Odd.where { $0.other.quoted == "b" }) == [odds[0]])
    #expect(try await stack.fetch(Odd.others(of: odds[0])) == [odds[1]])
    try await stack.withScratch { scratch in
      scratch.update(odds[0]) { $0.apostrophe = "changed" }
      // The rows swap unique values, so they are parked and inserted again with their row numbers.
      scratch.update(odds[1]) { $0.keyword = "z" }
      scratch.update(odds[2]) { $0.keyword = "y" }
    }
    let changed = try await stack.fetch(Odd.all)
    #expect(changed.map(\.apostrophe) == ["changed", "\"", ""])
    #expect(changed.map(\.keyword) == ["x", "z", "y"])
    // Row 2 is deleted, so the reference of row 1 becomes nil.
    try await stack.withScratch { $0.delete(changed[1]) }
    #expect(try await stack.fetch(Odd.all).map(\.otherID) == [nil, nil])
    await stack.close()
  }

  @Test func `a uniqueness violation names the odd attributes`() async throws {
    let stack = try await Stack.temporary(Odd.self)
    let scratch = stack.makeScratch()
    scratch.insert(odds[0])
    scratch.insert(Odd(id: 9, keyword: "x"))
    let error = await #expect(throws: StoreError.self) { try await scratch.save() }
    #expect(error?.code == .uniquenessViolated && error?.attributes == ["select"])
    await stack.close()
  }

  @Test(arguments: [
    ("songs", "\"songs\""), ("a\"b", "\"a\"\"b\""), ("\"", "\"\"\"\""), ("\"\"", "\"\"\"\"\"\""),
    ("größe", "\"größe\""),
  ])
  func `quotes in a name are doubled`(name: String, quoted: String) {
    #expect(name.quotedIdentifier == quoted)
  }
}
