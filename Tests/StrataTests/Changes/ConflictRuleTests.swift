import StrataTestTurns
import Testing

@testable import Strata

/// An attribute conflicts if it was edited and the store has neither its `before` nor its `after`.
@Suite(.inTurn) struct ConflictRuleTests {
  private static func record(_ values: Int64...) throws -> Record {
    try Record(values.map { .integer($0) })
  }

  @Test(
    arguments: [
      (before: 1, after: 1, stored: 1, conflicts: false),
      (before: 1, after: 1, stored: 2, conflicts: false),
      (before: 1, after: 2, stored: 1, conflicts: false),
      (before: 1, after: 2, stored: 2, conflicts: false),
      (before: 1, after: 2, stored: 3, conflicts: true),
    ] as [(Int64, Int64, Int64, Bool)])
  func `each attribute is judged by itself`(
    before: Int64, after: Int64, stored: Int64, conflicts: Bool
  ) throws {
    // The second attribute is always edited and never conflicts. The third follows the store.
    let change = Change(
      before: try Self.record(before, 1, 0), after: try Self.record(after, 2, 0))
    let found = change.conflicts(with: try Self.record(stored, 1, 9), count: 3)
    #expect(found.positions == (conflicts ? [0] : []))
  }

  @Test func `every update against every stored row follows the rule`() {
    for before in SmallRecords.all {
      for after in SmallRecords.all {
        for stored in SmallRecords.all {
          let expected = (0..<3).filter {
            before[$0] != after[$0] && stored[$0] != before[$0] && stored[$0] != after[$0]
          }
          let change = Change(before: before, after: after)
          #expect(change.conflicts(with: stored, count: 3).positions == expected)
        }
      }
    }
  }

  @Test func `insertions and deletions edit every attribute`() throws {
    let (row, other) = (try Self.record(1, 2), try Self.record(1, 3))
    let insertion = Change(before: nil, after: row)
    #expect(insertion.conflicts(with: nil, count: 2).isEmpty)
    #expect(insertion.conflicts(with: row, count: 2).isEmpty)
    #expect(insertion.conflicts(with: other, count: 2) == .all(2))
    let deletion = Change(before: row, after: nil)
    #expect(deletion.conflicts(with: row, count: 2).isEmpty)
    #expect(deletion.conflicts(with: nil, count: 2).isEmpty)
    #expect(deletion.conflicts(with: other, count: 2) == .all(2))
  }

  @Test func `an update of a row that somebody deleted conflicts in every attribute`() throws {
    let update = Change(before: try Self.record(1, 2), after: try Self.record(1, 3))
    #expect(update.conflicts(with: nil, count: 2) == .all(2))
  }
}
