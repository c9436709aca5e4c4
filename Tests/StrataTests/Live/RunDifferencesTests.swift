import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// The differences of two versions of a run, which share the leaves that no change has touched.
@Suite(.inTurn) struct RunDifferencesTests {
  private let order = RecordOrder([RecordOrder.Column(position: 1, isDescending: false)])

  private func record(_ key: Int, _ value: Int, _ other: Int = 0) throws -> Record {
    try Record([.integer(Int64(key)), .integer(Int64(value)), .integer(Int64(other))])
  }

  @Test func `differences are the keys of all rows that differ and no other`() throws {
    var random = SeededRandom.printingSeed()
    for _ in 0..<200 {
      var rows: [Int: Record] = [:]
      for key in 0..<random.below(400) where random.oneIn(2) {
        rows[key] = try record(key, random.below(100))
      }
      var tree = ResultTree(ContiguousArray(rows.values), order: order)
      let old = (rows, ShownRows(tree, part(of: tree, &random)))
      for _ in 0..<random.below(6) {
        let key = random.below(400)
        let row = random.oneIn(3) ? nil : try record(key, random.below(100), random.below(2))
        rows[key] = row
        tree.set(row, for: RecordKey(.integer(Int64(key))))
      }
      let new = ShownRows(tree, part(of: tree, &random))
      let before = shown(old.1)
      let after = shown(new)
      let expected = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
      #expect(Set(RunDifferences(from: old.1, to: new)) == expected)
    }
  }

  private func shown(_ rows: ShownRows) -> [RecordKey: Record] {
    Dictionary(
      uniqueKeysWithValues: IteratorSequence(rows.records).map { ($0.key(Table.keyColumn), $0) })
  }

  private func part(of tree: ResultTree, _ random: inout SeededRandom) -> Range<Int> {
    if random.oneIn(2) || tree.count == 0 { return 0..<tree.count }
    let start = random.below(tree.count)
    return start..<(start + random.below(tree.count - start + 1))
  }
}
