import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// Edits that are laid over other rows, compared attribute by attribute with the written rule.
@Suite(.inTurn) struct RebaseTests {
  /// Every change over every target, missing rows included.
  private static let cases: [(change: Change, target: Record?)] = SmallRecords.rows.flatMap {
    before in
    SmallRecords.rows.filter { $0 != before }.flatMap { after in
      SmallRecords.rows.map { (Change(before: before, after: after), $0) }
    }
  }

  @Test func `an update keeps its edits and takes the rest from the target`() {
    for (change, target) in Self.cases {
      guard let before = change.before, let after = change.after, let target else { continue }
      let merged = target.combining(after) { before[$0] != after[$0] }
      #expect(change.rebased(onto: target)?.after ?? target == merged)
      #expect((change.rebased(onto: target) == nil) == (merged == target))
      if let rebased = change.rebased(onto: target) { #expect(rebased.before == target) }
    }
  }

  @Test func `an edit shows its attributes over any row, and that row's others`() {
    for (change, target) in Self.cases {
      guard let before = change.before, let after = change.after, let target else {
        #expect(change.applied(to: target) == change.after)
        continue
      }
      let expected = target.combining(after) { before[$0] != after[$0] }
      #expect(change.applied(to: target) == expected)
    }
  }

  @Test func `an edit that is rebased onto its own row stays as it is`() {
    for (change, _) in Self.cases {
      #expect(change.rebased(onto: change.before) == change)
      #expect(change.applied(to: change.before) == change.after)
    }
  }

  @Test func `an edit that is rebased onto its own result is empty`() {
    for (change, _) in Self.cases {
      #expect(change.rebased(onto: change.after) == nil || change.after == nil)
    }
  }

  @Test func `a deletion deletes the target and is done when the target is gone`() {
    let (row, other) = (SmallRecords.all[1], SmallRecords.all[2])
    let deletion = Change(before: row, after: nil)
    #expect(deletion.rebased(onto: other) == Change(before: other, after: nil))
    #expect(deletion.rebased(onto: nil) == nil)
  }

  @Test func `an insertion sets every attribute of a row that came meanwhile`() {
    let (row, other) = (SmallRecords.all[1], SmallRecords.all[2])
    let insertion = Change(before: nil, after: row)
    #expect(insertion.rebased(onto: other) == Change(before: other, after: row))
    #expect(insertion.rebased(onto: row) == nil)
  }

  @Test func `an update of a row that is gone stays an update of nothing`() {
    let update = Change(before: SmallRecords.all[1], after: SmallRecords.all[2])
    #expect(update.rebased(onto: nil) == update)
  }
}
