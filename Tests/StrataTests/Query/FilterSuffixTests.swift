import StrataTestTurns
import Testing

@testable import Strata

/// Filters on the suffix of an empty text.
///
/// SQLite's `substr` makes null of an empty blob, and a comparison with null is never true. The
/// negation of a suffix must not leave out rows with an empty text.
@Suite(.inTurn) struct FilterSuffixTests {
  @Test func `an empty text does not end with anything, in the store and in memory`() async throws {
    let stack = try await Stack.temporary(Track.self, Album.self)
    let query = Track.where { !$0.title.hasSuffix("x") && !$0.subtitle.hasSuffix("x") }
    let scratch = stack.makeScratch()
    for subtitle in [nil, "", "xy", "x"] { scratch.insert(Track(title: "", subtitle: subtitle)) }
    #expect(try await scratch.fetch(query).count == 3)
    try await scratch.save()
    #expect(try await stack.fetch(query).count == 3)
    #expect(try await stack.fetch(Track.where { $0.title.hasSuffix("") }).count == 4)
    #expect(try await stack.fetch(Track.where { $0.subtitle.hasSuffix("x") }).count == 1)
    await stack.close()
  }
}
