import Strata
import StrataTestTurns
import Testing

@testable import StrataMap

@Suite(.inTurn) struct SlotTableTests {
  @Test(arguments: [0, 1, 43, 100, 1_000])
  func `a table that loses its last slot takes others`(capacity: Int) {
    var table = SlotTable(capacity: capacity)
    table.insert(7, 1)
    table.remove(7, 1)
    table.fit()
    for slot in 1...100 { table.insert(UInt32(slot) &* 2_654_435_761, slot) }
    var slots: [Int] = []
    table.forEachSlot { slots.append($0) }
    #expect(slots.sorted() == Array(1...100) && table.count == 100)
  }

  @Test func `a table has the slots that were put into it and not removed`() {
    var random = SplitMix64(seed: 1)
    for capacity in [0, 90, 400] {
      var table = SlotTable(capacity: capacity)
      var expected: [Int: UInt32] = [:]
      for _ in 0..<3_000 {
        let slot = Int(random.next() % 12)
        // Few hashes, so that entries follow each other.
        let hash = UInt32(random.next() % 3) &* 1_431_655_765
        if let old = expected.removeValue(forKey: slot) {
          table.remove(old, slot)
        } else {
          expected[slot] = hash
          table.insert(hash, slot)
        }
        var slots: [Int] = []
        table.forEachSlot { slots.append($0) }
        #expect(slots.sorted() == expected.keys.sorted())
      }
    }
  }
}
