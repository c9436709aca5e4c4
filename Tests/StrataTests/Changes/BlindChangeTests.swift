import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// Blind changes, which are functions from rows to rows.
///
/// Every function has exactly one value.
@Suite(.inTurn) struct BlindChangeTests {
  private func meaning(_ change: BlindChange) -> [Record?] {
    SmallRecords.rows.map(change.applied)
  }

  @Test func `composing is applying one after the other`() {
    var random = SeededRandom.printingSeed()
    for _ in 0..<5_000 {
      let a = random.blind()
      let b = random.blind()
      let both = a.composed(with: b)
      for row in SmallRecords.rows where both.applied(to: row) != b.applied(to: a.applied(to: row))
      {
        Issue.record("\(a), then \(b), on \(String(describing: row))")
      }
    }
  }

  @Test func `composing is associative`() {
    var random = SeededRandom.printingSeed()
    for _ in 0..<10_000 {
      let (a, b, c) = (random.blind(), random.blind(), random.blind())
      let left = a.composed(with: b).composed(with: c)
      let right = a.composed(with: b.composed(with: c))
      if left != right { Issue.record("\(a), \(b), \(c): \(left) or \(right)") }
    }
  }

  @Test func `two changes are equal exactly if they do the same to every row`() {
    var random = SeededRandom.printingSeed()
    for _ in 0..<5_000 {
      let (a, b, c) = (random.blind(), random.blind(), random.blind())
      let x = a.composed(with: b)
      if (x == c) != (meaning(x) == meaning(c)) { Issue.record("\(a) then \(b), and \(c)") }
    }
  }

  @Test func `a patch of every attribute is a set`() {
    let record = SmallRecords.all[6]
    #expect(BlindChange.patching(.all(3), onInsert: record) == .set(record))
    #expect(
      BlindChange.patching([0, 1].set, onInsert: record)
        .composed(with: .patching([2].set, onInsert: SmallRecords.all[0]))
        == .set(SmallRecords.all[2]))
  }

  @Test func `a patch leaves the other attributes alone and inserts a whole row`() {
    let patch = BlindChange.patching([1].set, onInsert: SmallRecords.all[7])
    #expect(patch.applied(to: SmallRecords.all[0]) == SmallRecords.all[2])
    #expect(patch.applied(to: nil) == SmallRecords.all[7])
  }

  @Test func `a known change as a function does to its own row what it did`() {
    for before in SmallRecords.rows {
      for after in SmallRecords.rows where before != after {
        let function = BlindChange(Change(before: before, after: after))
        #expect(function.applied(to: before) == after)
      }
    }
  }
}

extension [Int] {
  fileprivate var set: AttributeSet { AttributeSet(self) }
}
