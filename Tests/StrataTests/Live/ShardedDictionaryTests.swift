import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn) struct ShardedDictionaryTests {
  @Test
  func `a sharded dictionary has the values of a dictionary, also in copies of earlier versions`() {
    var random = SeededRandom.printingSeed()
    var (sharded, plain) = (ShardedDictionary<Int, Int>(), [Int: Int]())
    var copies: [(ShardedDictionary<Int, Int>, [Int: Int])] = []
    for step in 0..<3_000 {
      let (key, value) = (random.below(900), random.oneIn(3) ? nil : step)
      sharded.update(key) { found in
        #expect(found == plain[key])
        found = value
      }
      plain[key] = value
      if step % 500 == 0 { copies.append((sharded, plain)) }
    }
    for (sharded, plain) in copies + [(sharded, plain)] {
      #expect(sharded.count == plain.count && sharded.isEmpty == plain.isEmpty)
      for key in 0..<900 { #expect(sharded[key] == plain[key]) }
      var all: [Int: Int] = [:]
      sharded.forEach { #expect(all.updateValue($1, forKey: $0) == nil) }
      #expect(all == plain)
    }
  }
}
