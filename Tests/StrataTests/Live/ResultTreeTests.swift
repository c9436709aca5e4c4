import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn) struct ResultTreeTests {
  @Test(arguments: [Boat.all, Boat.sorted(by: \.name, order: .reverse).sorted(by: \.length)])
  func `a result equals a dictionary, and old versions stay`(_ query: Query<Boat>) throws {
    var random = SeededRandom.printingSeed()
    let chart = try Chart()
    let order = try QueryPlan(query, chart.model).order
    var boats: [Int: Record] = [:]
    var tree = ResultTree([], order: order)
    var versions: [(ResultTree, [Int: Record])] = []
    for step in 0..<3_000 {
      let boat = Boat(
        id: random.below(400), name: random.pick(["Gull", "Tern", "Swan"]), length: random.below(3))
      let record: Record? = random.oneIn(3) ? nil : try chart.record(boat)
      let old = tree.set(record, for: chart.key(boat))
      #expect(old == boats[boat.id])
      boats[boat.id] = record
      if step % 500 == 0 { versions.append((tree, boats)) }
    }
    versions.append((tree, boats))
    for (tree, boats) in versions {
      let sorted = boats.values.sorted { order.compare($0, $1) < 0 }
      #expect((0..<tree.count).map { tree.rows[$0] } == sorted, "seed \(random.seed)")
      for id in 0..<400 {
        #expect(tree.record(of: RecordKey(.integer(Int64(id)))) == boats[id])
      }
    }
  }
}
