import StrataTesting
import Testing

@testable import Strata

/// The same edit on another row, attribute by attribute, against the rule as it is written down.
@Suite struct RebaseTests {
  /// Every update and every target: 8 × 7 × 8 triples, and the same with missing rows.
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

  @Test func `an edit that the target already has vanishes, and only that one`() {
    for (change, target) in Self.cases {
      guard let before = change.before, let after = change.after, let target else { continue }
      let kept = (0..<3).filter { before[$0] != after[$0] && target[$0] != after[$0] }
      let edited = change.onTop(of: target)
      #expect(edited?.editedAttributes(of: 3).positions ?? [] == kept)
    }
  }

  @Test func `an edited attribute keeps its first before, the others follow the target`() {
    for (change, target) in Self.cases {
      guard let before = change.before, let after = change.after, let target,
        let edited = change.onTop(of: target)
      else { continue }
      for column in 0..<3 {
        let isKept = before[column] != after[column] && target[column] != after[column]
        #expect(edited.before?[column] == (isKept ? before : target)[column])
        #expect(edited.after?[column] == (isKept ? after : target)[column])
      }
    }
  }

  @Test func `onto the row it was made on, an edit stays what it is`() {
    for (change, _) in Self.cases {
      #expect(change.rebased(onto: change.before) == change)
      #expect(change.onTop(of: change.before) == change)
    }
  }

  @Test func `onto its own result, nothing is left of an edit`() {
    for (change, _) in Self.cases {
      #expect(change.rebased(onto: change.after) == nil || change.after == nil)
      #expect(change.onTop(of: change.after) == nil || change.after == nil)
    }
  }

  @Test func `a deletion deletes the target and is done when the target is gone`() {
    let (row, other) = (SmallRecords.all[1], SmallRecords.all[2])
    let deletion = Change(before: row, after: nil)
    #expect(deletion.rebased(onto: other) == Change(before: other, after: nil))
    #expect(deletion.onTop(of: other) == deletion)
    #expect(deletion.rebased(onto: nil) == nil && deletion.onTop(of: nil) == nil)
  }

  @Test func `an insertion sets every attribute of a row that came meanwhile`() {
    let (row, other) = (SmallRecords.all[1], SmallRecords.all[2])
    let insertion = Change(before: nil, after: row)
    #expect(insertion.rebased(onto: other) == Change(before: other, after: row))
    #expect(insertion.onTop(of: other) == insertion)
    #expect(insertion.rebased(onto: row) == nil && insertion.onTop(of: row) == nil)
  }

  @Test func `an update of a row that is gone stays an update of nothing`() {
    let update = Change(before: SmallRecords.all[1], after: SmallRecords.all[2])
    #expect(update.rebased(onto: nil) == update && update.onTop(of: nil) == update)
  }

  @Test func `the order in which other commits arrive does not matter to what conflicts`() {
    var random = SeededRandom.printingSeed()
    for _ in 0..<3_000 {
      let before = random.pick(SmallRecords.all)
      let after = random.pick(SmallRecords.all)
      let change = Change(before: before, after: after)
      if change.isIdentity { continue }
      let (first, last) = (random.pick(SmallRecords.all), random.pick(SmallRecords.all))
      // Both ways an edit ends on the same row; on the way it may have been done by somebody else.
      guard let onFirst = change.onTop(of: first), let slowly = onFirst.onTop(of: last) else {
        continue
      }
      let onFirstEdits = onFirst.editedAttributes(of: 3)
      guard onFirstEdits == change.editedAttributes(of: 3) else { continue }
      if change.onTop(of: last) != slowly
        || change.conflicts(with: last, count: 3) != slowly.conflicts(with: last, count: 3)
      {
        Issue.record("\(change) over \(first), then \(last): \(slowly)")
      }
    }
  }
}
