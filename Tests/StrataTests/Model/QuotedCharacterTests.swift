import StrataTestTurns
import Testing

@testable import Strata

private struct Accent: Entity {
  var id: Int64 = 0
  var text = ""
  static let schema = Schema<Accent>("a\"\u{301}b", key: \.id) {
    Attribute(\.text, "c\"\u{FE0F}d").indexed()
  }
}

/// Quotes with combining marks.
///
/// A quote and a combining mark are one `Character`, which does not equal the quote. Code that
/// splits a name by characters would miss such a quote, and the quote would end the identifier in
/// SQL.
@Suite(.inTurn) struct QuotedCharacterTests {
  @Test func `a quote with a combining mark is doubled, too`() async throws {
    #expect(Array("\"\u{301}".quotedIdentifier.utf8) == Array("\"\"\"\u{301}\"".utf8))
    let stack = try await Stack.temporary(Accent.self)
    try await stack.withScratch { $0.insert(Accent(id: 1, text: "x")) }
    #expect(try await stack.fetch(Accent.where { $0.text == "x" }).count == 1)
    await stack.close()
  }
}
