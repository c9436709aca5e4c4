import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn) struct OrderTreeTests {
  /// The order by the second column, descending, then by the key.
  let order = RecordOrder([.init(position: 1, isDescending: true)])

  private func record(_ key: Int, _ value: Int, _ text: String = "") throws -> Record {
    try Record([.integer(Int64(key)), .integer(Int64(value)), .text(text)])
  }

  private func sorted(_ records: some Sequence<Record>) -> [Record] {
    records.sorted { order.compare($0, $1) < 0 }
  }

  private func expectEqual(_ tree: OrderTree, _ records: [Record], _ seed: UInt64) {
    #expect(tree.count == records.count, "seed \(seed)")
    let inTree = (0..<tree.count).map { tree[$0] }
    #expect(inTree == records, "seed \(seed)")
    let ranks = records.map { tree.rank(of: $0) }
    #expect(ranks == records.indices.map { $0 }, "seed \(seed)")
  }

  @Test func `an empty tree has nothing`() throws {
    var tree = OrderTree([], by: order)
    let only = try record(1, 1)
    #expect(tree.count == 0 && tree.rank(of: only) == nil)
    #expect(tree.remove(only) == false)
    #expect(tree.replace(only) == false)
    tree.insert(only)
    #expect(tree.count == 1 && tree.rank(of: only) == 0)
  }

  @Test(arguments: [0, 1, 47, 48, 49, 64, 65, 2304, 2305, 5000])
  func `a tree built at once is as one built one by one`(_ count: Int) throws {
    let records = try (0..<count).map { try record($0, $0 * 7919 % 1000) }
    let built = OrderTree(ContiguousArray(records), by: order)
    var grown = OrderTree([], by: order)
    for record in records { grown.insert(record) }
    let expected = sorted(records)
    expectEqual(built, expected, 0)
    expectEqual(grown, expected, 0)
    expectEqual(OrderTree(sorted: ContiguousArray(expected), by: order), expected, 0)
  }

  @Test func `a tree equals a sorted array after any changes, and old versions stay`() throws {
    var random = SeededRandom.printingSeed()
    for _ in 0..<4 {
      var records: [Int: Record] = [:]
      var tree = OrderTree([], by: order)
      var versions: [(tree: OrderTree, records: [Record])] = []
      // The tree grows to thousands of records and shrinks to nothing, so that nodes split, join
      // and disappear.
      for step in 0..<2_500 {
        let key = random.below(3_000)
        let isGrowing = step < 3_000
        if let old = records[key] {
          if random.oneIn(isGrowing ? 4 : 1) {
            #expect(tree.remove(old) == true)
            records[key] = nil
          } else {
            let value = Int(old[1].description) ?? 0
            let new = try record(key, value, "step \(step)")
            #expect(tree.replace(new) == true)
            records[key] = new
          }
        } else if isGrowing || random.oneIn(8) {
          let new = try record(key, random.below(200))
          #expect(tree.remove(new) == false)
          #expect(tree.replace(new) == false)
          tree.insert(new)
          records[key] = new
        }
        if step % 1_000 == 999 { versions.append((tree, sorted(records.values))) }
      }
      for key in records.keys.sorted() where random.oneIn(2) {
        if let old = records.removeValue(forKey: key) { #expect(tree.remove(old) == true) }
      }
      versions.append((tree, sorted(records.values)))
      for record in records.values { #expect(tree.remove(record) == true) }
      #expect(tree.count == 0)
      for version in versions { expectEqual(version.tree, version.records, random.seed) }
    }
  }

  @Test func `going through leaf by leaf is going through rank by rank`() throws {
    let records = sorted(try (0..<700).map { try record($0, $0 % 13) })
    let tree = OrderTree(sorted: ContiguousArray(records), by: order)
    for rank in records.indices {
      let (leaf, position) = tree.leaf(at: rank)
      #expect(leaf[position] == records[rank])
    }
  }

  @Test func `a tree in key order finds records by key`() throws {
    let records = try stride(from: 0, to: 2_000, by: 2).map { try record($0, 1) }
    let tree = OrderTree(ContiguousArray(records.reversed()), by: .byKey)
    for record in records { #expect(tree.record(of: record.key(0)) == record) }
    for key in stride(from: -1, to: 2_001, by: 2) {
      #expect(tree.record(of: RecordKey(.integer(Int64(key)))) == nil)
    }
  }
}
