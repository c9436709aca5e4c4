import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn) struct ChangeTests {
  @Test func `changes that meet compose to the first before and the last after`() {
    for before in SmallRecords.rows {
      for middle in SmallRecords.rows where middle != before {
        for after in SmallRecords.rows where after != middle {
          let first = LayerChange.known(Change(before: before, after: middle))
          let both = first.composed(with: .known(Change(before: middle, after: after)))
          let expected = Change(before: before, after: after)
          #expect(both == (expected.isIdentity ? nil : .known(expected)))
        }
      }
    }
  }

  @Test func `a change and its inverse change nothing, in either order`() {
    for before in SmallRecords.rows {
      for after in SmallRecords.rows {
        let change = Change(before: before, after: after)
        #expect(LayerChange.known(change).composed(with: .known(change.inverse)) == nil)
        #expect(LayerChange.known(change.inverse).composed(with: .known(change)) == nil)
        #expect(change.inverse.inverse == change)
        #expect(change.isIdentity == (before == after))
      }
    }
  }

  @Test func `an insertion and its deletion are no change, a deletion and an insertion an update`()
  {
    let (old, new) = (SmallRecords.all[1], SmallRecords.all[2])
    let insert = LayerChange.known(Change(before: nil, after: new))
    #expect(insert.composed(with: .known(Change(before: new, after: nil))) == nil)
    let update = LayerChange.known(Change(before: old, after: nil)).composed(with: insert)
    #expect(update == .known(Change(before: old, after: new)))
  }

  @Test func `an insertion and a deletion have no differences, and an update has`() {
    let (old, new) = (SmallRecords.all[0], SmallRecords.all[5])
    #expect(Change(before: old, after: new).differences?.positions == [0, 2])
    #expect(Change(before: nil, after: new).differences == nil)
    #expect(Change(before: old, after: nil).differences == nil)
  }

  /// An attribute that is not edited follows the store in between.
  @Test func `an attribute that both edit keeps its first before, the others the later one's`() {
    for before in SmallRecords.all {
      for middle in SmallRecords.all where middle != before {
        for store in SmallRecords.all {
          let first = Change(before: before, after: middle)
          guard let shown = first.applied(to: store) else { continue }
          for after in SmallRecords.all where after != shown {
            let next = LayerChange.known(Change(before: shown, after: after))
            let both = LayerChange.known(first).composed(with: next)
            let start = shown.combining(before) { before[$0] != middle[$0] }
            let expected = Change(before: start, after: after)
            #expect(both == (expected.isIdentity ? nil : .known(expected)))
          }
        }
      }
    }
  }
}
