import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// Sets of positions, which behave like a `Set<Int>` on both sides of the 64-bit word.
@Suite(.inTurn) struct AttributeSetTests {
  private func positions(_ random: inout SeededRandom) -> Set<Int> {
    let bound = random.pick([3, 64, 65, 130, 300])
    return Set((0..<random.below(8)).map { _ in random.below(bound) })
  }

  @Test func `every operation agrees with a set of integers`() {
    var random = SeededRandom.printingSeed()
    for _ in 0..<5_000 {
      let a = positions(&random)
      let b = positions(&random)
      let x = AttributeSet(a)
      let y = AttributeSet(b)
      let agrees =
        x.positions == a.sorted() && x.count == a.count && x.isEmpty == a.isEmpty
        && (x == y) == (a == b) && x.union(y).positions == a.union(b).sorted()
        && x.intersection(y) == AttributeSet(a.intersection(b))
        && x.subtracting(y) == AttributeSet(a.subtracting(b))
        && x.isDisjoint(with: y) == a.isDisjoint(with: b)
        && [0, 1, 63, 64, 65, 127, 128, 299, 5_000].allSatisfy { x.contains($0) == a.contains($0) }
      if !agrees { Issue.record("\(a.sorted()) and \(b.sorted())") }
    }
  }

  @Test func `equal sets hash alike, however they came about`() {
    var random = SeededRandom.printingSeed()
    for _ in 0..<2_000 {
      let a = positions(&random)
      var shuffled = AttributeSet()
      for position in a.shuffled(using: &random) { shuffled.insert(position) }
      #expect(shuffled == AttributeSet(a))
      #expect(shuffled.hashValue == AttributeSet(a).hashValue)
    }
  }

  @Test(arguments: [0, 1, 2, 63, 64, 65, 128, 129, 200])
  func `the set of all attributes has the first positions and no more`(count: Int) {
    #expect(AttributeSet.all(count).positions == Array(0..<count))
    #expect(AttributeSet.all(count) == AttributeSet(0..<count))
    #expect(!AttributeSet.all(count).contains(count))
  }
}
