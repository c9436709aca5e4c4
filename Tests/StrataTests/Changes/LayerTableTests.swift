import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// The table of a layer, compared with a dictionary.
///
/// The keys come in order or out of order.
@Suite(.inTurn) struct LayerTableTests {
  private func key(_ number: Int) -> RecordKey { RecordKey(.integer(Int64(number))) }

  private func check(_ table: LayerTable, _ expected: [RecordKey: LayerChange]) {
    #expect(table.count == expected.count && table.isEmpty == expected.isEmpty)
    #expect(Dictionary(uniqueKeysWithValues: table.map { ($0.key, $0.change) }) == expected)
    let ordered = table.inKeyOrder.filter { $0.change != nil }
    #expect(ordered.map(\.key) == expected.keys.sorted())
    #expect(ordered.allSatisfy { expected[$0.key] == $0.change })
  }

  @Test func `generated edits agree with a dictionary`() {
    var random = SeededRandom.printingSeed()
    for _ in 0..<60 {
      var table = LayerTable()
      var expected: [RecordKey: LayerChange] = [:]
      let bound = random.pick([3, 20, 100])
      let removals = random.pick([2, 3, 10])
      for _ in 0..<300 {
        let key = key(random.below(bound))
        let value: LayerChange? = random.oneIn(removals) ? nil : .blind(.set(random.row()))
        table[key] = value
        expected[key] = value
        if table[key] != value { Issue.record("\(key) is \(table[key] as Any)") }
      }
      check(table, expected)
      for number in 0..<bound { #expect(table[key(number)] == expected[key(number)]) }
      for number in (0..<bound).shuffled(using: &random) { table[key(number)] = nil }
      check(table, [:])
      table[key(7)] = .blind(.set(nil))
      check(table, [key(7): .blind(.set(nil))])
    }
  }

  @Test func `keys that come in order are kept in order, whatever is removed meanwhile`() {
    var random = SeededRandom.printingSeed()
    for _ in 0..<60 {
      var table = LayerTable()
      var expected: [RecordKey: LayerChange] = [:]
      for number in 0..<200 {
        let change = LayerChange.blind(.set(random.row()))
        table[key(number)] = change
        expected[key(number)] = change
        if random.oneIn(2) {
          let removed = key(random.below(number + 1))
          table[removed] = nil
          expected[removed] = nil
        }
      }
      #expect(table.map(\.key) == expected.keys.sorted())
      check(table, expected)
      let last = key(random.below(200))
      table[last] = .blind(.set(nil))
      expected[last] = .blind(.set(nil))
      check(table, expected)
    }
  }

  @Test func `replacing a change sees the one before`() {
    var table = LayerTable()
    var seen: [LayerChange?] = []
    for change: LayerChange? in [.blind(.set(nil)), nil, nil, .blind(.set(SmallRecords.all[1]))] {
      table.replace(key(1)) { old in
        seen.append(old)
        return change
      }
    }
    #expect(seen == [nil, .blind(.set(nil)), nil, nil])
    #expect(table.count == 1 && table[key(2)] == nil)
  }

  @Test func `a copy keeps what it had`() {
    var table = LayerTable()
    table[key(2)] = .blind(.set(nil))
    let copy = table
    table[key(1)] = .blind(.set(nil))
    table[key(2)] = nil
    #expect(copy.map(\.key) == [key(2)] && table.map(\.key) == [key(1)])
  }
}
