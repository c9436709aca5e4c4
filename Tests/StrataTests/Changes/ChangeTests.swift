import StrataTesting
import Testing

@testable import Strata

@Suite struct ChangeTests {
  @Test func `composing matched changes is associative`() {
    var random = SeededRandom.printingSeed()
    for _ in 0..<5_000 {
      let rows = (0..<4).map { _ in random.row() }
      let a = Change(before: rows[0], after: rows[1])
      let b = Change(before: rows[1], after: rows[2])
      let c = Change(before: rows[2], after: rows[3])
      let left = a.composed(with: b).composed(with: c)
      let right = a.composed(with: b.composed(with: c))
      if left != right { Issue.record("\(a), \(b), \(c)") }
      if left != Change(before: rows[0], after: rows[3]) { Issue.record("\(a), \(b), \(c)") }
    }
  }

  @Test func `a change and its inverse change nothing, in either order`() {
    for before in SmallRecords.rows {
      for after in SmallRecords.rows {
        let change = Change(before: before, after: after)
        #expect(change.composed(with: change.inverse).isIdentity)
        #expect(change.inverse.composed(with: change).isIdentity)
        #expect(change.inverse.inverse == change)
        #expect(change.isIdentity == (before == after))
      }
    }
  }

  @Test func `insert then delete is nothing, delete then insert is an update`() {
    let (old, new) = (SmallRecords.all[1], SmallRecords.all[2])
    let insert = Change(before: nil, after: new)
    let delete = Change(before: new, after: nil)
    #expect(insert.composed(with: delete).isIdentity)
    let update = Change(before: old, after: nil).composed(with: insert)
    #expect(update == Change(before: old, after: new))
  }

  @Test func `an update edits what differs, an insertion and a deletion edit everything`() {
    let (old, new) = (SmallRecords.all[0], SmallRecords.all[5])
    #expect(Change(before: old, after: new).editedAttributes(of: 3).positions == [0, 2])
    #expect(Change(before: nil, after: new).editedAttributes(of: 3) == .all(3))
    #expect(Change(before: old, after: nil).editedAttributes(of: 3) == .all(3))
  }

  @Test func `composing changes that do not meet is a mistake of the program`() async {
    await #expect(processExitsWith: .failure) {
      let (a, b, c) = (SmallRecords.all[0], SmallRecords.all[1], SmallRecords.all[2])
      _ = Change(before: nil, after: a).composed(with: Change(before: b, after: c))
    }
  }
}
