import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn) struct LiveDifferenceTests {
  let chart: Chart
  init() throws { chart = try Chart() }

  /// Returns the difference between two lists of boats, and both lists as the query shows them.
  private func difference(
    _ old: [Boat], _ new: [Boat], _ query: Query<Boat>
  ) throws -> (LiveDifference, old: [Boat], new: [Boat]) {
    let before = try chart.shown(old, query)
    let after = try chart.shown(new, query)
    let keys = Set((old + new).map(chart.key))
    return (
      LiveDifference(from: before, to: after, keys: keys),
      Array(LiveElements(before, chart.table)), Array(LiveElements(after, chart.table))
    )
  }

  private func boats(_ names: String...) -> [Boat] {
    names.enumerated().map { Boat(id: $0, name: $1) }
  }

  @Test func `two equal lists have no difference`() throws {
    let boats = boats("A", "B")
    #expect(try difference(boats, boats, Boat.all).0.isEmpty)
    #expect(try difference([], [], Boat.sorted(by: \.name)).0.isEmpty)
  }

  @Test func `one element that moves is one move`() throws {
    let old = boats("A", "B", "C", "D", "E")
    for index in old.indices {
      for name in ["0", "BB", "CC", "Z"] {
        var new = old
        new[index].name = name
        let (difference, before, after) = try difference(old, new, Boat.sorted(by: \.name))
        #expect(difference.deletions == [] && difference.insertions == [])
        #expect(difference.edits.count == 1 && difference.moves.count <= 1)
        let from = before.firstIndex { $0.id == index }
        let to = after.firstIndex { $0.id == index }
        #expect(difference.moves.isEmpty == (from == to))
        if let move = difference.moves.first { #expect(move.from == from && move.to == to) }
      }
    }
  }

  @Test func `two neighbours that change places are one move`() throws {
    let (difference, _, after) = try difference(
      boats("A", "B", "C", "D"), boats("A", "C", "B", "D"), Boat.sorted(by: \.name))
    #expect(difference.moves.count == 1 && difference.edits.map(\.offset) == [1, 2])
    #expect(after.map(\.id) == [0, 2, 1, 3])
  }

  @Test func `an element that stays in its gap does not move, whichever come and go beside it`()
    throws
  {
    var old = boats("A", "C", "E")
    old.append(Boat(id: 9, name: "B"))
    var new = boats("A", "D", "E")
    new.append(Boat(id: 8, name: "AA"))
    let (difference, _, _) = try difference(old, new, Boat.sorted(by: \.name))
    #expect(difference.moves.isEmpty)
    #expect(difference.deletions == [1] && difference.insertions == [1])
    #expect(difference.edits.map(\.offset) == [2])
  }

  @Test func `an edit that does not sort moves nothing`() throws {
    let old = boats("A", "B", "C")
    var new = old
    for index in new.indices { new[index].length = 10 - index }
    let (difference, _, _) = try difference(old, new, Boat.sorted(by: \.name))
    #expect(difference.moves.isEmpty && difference.edits.map(\.offset) == [0, 1, 2])
    let attributes = difference.edits.map(\.attributes.positions)
    #expect(attributes == [[2], [2], [2]])
  }

  @Test func `a window shows what is pushed in and out of it`() throws {
    let query = Boat.sorted(by: \.name).offset(1).limit(2)
    let old = boats("A", "B", "C", "D")
    let (added, _, after) = try difference(old, old + [Boat(id: 9, name: "0")], query)
    #expect(after.map(\.name) == ["A", "B"])
    #expect(added.insertions == [0] && added.deletions == [1] && added.moves.isEmpty)
    let (removed, _, later) = try difference(old, Array(old[1...]), query)
    #expect(later.map(\.name) == ["C", "D"])
    #expect(removed.deletions == [0] && removed.insertions == [1])
  }

  @Test func `replaying the difference of any two versions gives the new one`() throws {
    var random = SeededRandom.printingSeed()
    let queries = [
      Boat.all, Boat.sorted(by: \.name),
      Boat.sorted(by: \.length, order: .reverse).sorted(by: \.name),
      Boat.sorted(by: \.name).limit(5), Boat.sorted(by: \.length).offset(3),
      Boat.sorted(by: \.length).offset(2).limit(4), Boat.all.limit(0),
    ]
    for _ in 0..<800 {
      let query = random.pick(queries)
      let old = (0..<random.below(14)).map { boat($0, &random) }
      var new = old.filter { _ in !random.oneIn(5) }
      for index in new.indices where random.oneIn(3) { new[index] = boat(new[index].id, &random) }
      new += (0..<random.below(4)).map { boat(20 + $0, &random) }
      let (difference, before, after) = try difference(old, new, query)
      #expect(difference.replay(on: before, after) == after, "seed \(random.seed)")

      let elements = LiveElements<Boat>(try chart.shown(new, query), chart.table)
      var list = before
      LiveUpdate(elements, difference, chart.table).apply(to: &list)
      #expect(list == after, "seed \(random.seed)")
    }
  }

  private func boat(_ id: Int, _ random: inout SeededRandom) -> Boat {
    Boat(id: id, name: "\(random.below(8))", length: random.below(4), speed: random.below(2))
  }
}
