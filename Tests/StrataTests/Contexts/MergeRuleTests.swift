import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

private struct Tune: Entity, Equatable {
  var id = 0
  var title = ""
  var plays = 0
  var stars: Int8 = 0
  var best = 0.0
  var cheapest = 0
  var tags: [String] = []
  /// A value of which the rule keeps both sides.
  var note = ""
  var weight = 0.0

  static let schema = Schema<Tune>("tunes", key: \.id) {
    Attribute(\.title)
    Attribute(\.plays).merged(by: .sum)
    Attribute(\.stars).merged(by: .sum)
    Attribute(\.best).merged(by: .max)
    Attribute(\.cheapest).merged(by: .min)
    Attribute(\.tags).merged(by: .union())
    Attribute(\.note).merged(by: MergeRule { _, mine, theirs in [mine, theirs].sorted().joined() })
    Attribute(\.weight).merged(by: .sum)
  }
}

@Suite(.inTurn) struct MergeRuleLawTests {
  /// Numbers from a small range, so that sides often agree or keep the base.
  private static let values: [(base: Int, mine: Int, theirs: Int)] = (0..<4).flatMap { base in
    (0..<4).flatMap { mine in (0..<4).map { (base, mine, $0) } }
  }

  @Test func `the order of two edits does not matter`() {
    for (base, mine, theirs) in Self.values {
      for rule in [MergeRule<Int>.sum, .max, .min] {
        #expect(rule.merge(base, mine, theirs) == rule.merge(base, theirs, mine))
      }
      func set(_ number: Int) -> [Int] { [0, 1].filter { number >> $0 & 1 == 1 } }
      let union = MergeRule<[Int]>.union()
      let (one, other) = (
        union.merge(set(base), set(mine), set(theirs)),
        union.merge(set(base), set(theirs), set(mine))
      )
      #expect(Set(one) == Set(other) && Set(one).count == one.count)
    }
  }

  @Test func `a side that kept the value changes nothing`() {
    for (base, mine, _) in Self.values {
      #expect(MergeRule<Int>.sum.merge(base, mine, base) == mine)
      #expect(MergeRule<Int>.sum.merge(base, base, mine) == mine)
    }
    let union = MergeRule<[Int]>.union()
    #expect(union.merge([1, 2], [2, 3], [1, 2]) == [2, 3])
    #expect(union.merge([1, 2], [1, 2], [4, 2]) == [4, 2])
  }

  @Test func `three edits in any order give one result`() {
    let edits = [3, 5, 9]
    for base in 0..<3 {
      for rule in [MergeRule<Int>.sum, .max, .min] {
        let results = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]].map {
          $0.dropFirst().reduce(edits[$0[0]]) { rule.merge(base, edits[$1], $0) }
        }
        #expect(Set(results).count == 1, "\(results)")
      }
    }
  }

  @Test func `sums stop at the bounds of the type`() {
    #expect(MergeRule<Int8>.sum.merge(0, 100, 100) == 127)
    #expect(MergeRule<Int8>.sum.merge(0, -100, -100) == -128)
    #expect(MergeRule<Int>.sum.merge(.min, .max, .max) == .max)
  }

  @Test func `removed elements go and new ones come`() {
    let union = MergeRule<[String]>.union()
    #expect(union.merge(["a", "b", "c"], ["a", "c", "m"], ["c", "b", "t"]) == ["c", "t", "m"])
    #expect(union.merge([], ["m", "m"], ["t", "m"]) == ["t", "m"])
  }
}

@MainActor @Suite(.inTurn, .stack(Tune.self)) struct MergeRuleTests {
  private let stack = Stack.test

  private func stored() async throws -> Tune? { try await stack.makeScratch().find(Tune.self, 1) }

  private func insert(_ track: Tune = Tune(id: 1, plays: 5)) async throws {
    try await stack.withScratch { $0.insert(track) }
  }

  @Test func `tasks that count lose nothing`() async throws {
    try await insert(Tune(id: 1))
    let stack = stack
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask {
          for _ in 0..<10 {
            try await stack.withScratch { scratch in
              let track = try #require(try await scratch.find(Tune.self, 1))
              scratch.update(track) { $0.plays += 1 }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await stored()?.plays == 200)
  }

  @Test(arguments: SavePolicy.allCases)
  func `both edits count whatever the policy`(_ policy: SavePolicy) async throws {
    try await insert(
      Tune(id: 1, plays: 5, best: 2, cheapest: 9, tags: ["a", "b"], note: "old"))
    let scratch = stack.makeScratch()
    let track = try #require(try await scratch.find(Tune.self, 1))
    try await stack.withScratch { other in
      other.update(track) {
        ($0.plays, $0.best, $0.cheapest) = (7, 8, 4)
        ($0.tags, $0.note) = (["b", "t"], "x")
      }
    }
    scratch.update(track) {
      ($0.plays, $0.best, $0.cheapest) = (6, 3, 5)
      ($0.tags, $0.note) = (["a", "b", "m"], "y")
    }
    try await scratch.save(policy)
    let merged = Tune(
      id: 1, plays: 8, best: 8, cheapest: 4, tags: ["b", "t", "m"], note: "xy")
    #expect(try await stored() == merged)
  }

  @Test func `equal edits count twice, and another attribute conflicts all the same`() async throws
  {
    try await insert()
    let scratch = stack.makeScratch()
    let track = try #require(try await scratch.find(Tune.self, 1))
    try await stack.withScratch { $0.update(track) { ($0.plays, $0.title) = (6, "theirs") } }
    scratch.update(track) { ($0.plays, $0.title) = (6, "mine") }
    let error = await failure { try await scratch.save() }
    #expect(error?.code == .conflict && error?.conflicts.map(\.attributes) == [["title"]])
    try await scratch.save(.mergeMine)
    #expect(try await stored() == Tune(id: 1, title: "mine", plays: 7))
  }

  @Test func `the view shows its edit until it is saved, and no conflict`() async throws {
    try await insert()
    let live = try await stack.viewContext.loaded(Tune.all)
    stack.viewContext.update(live.elements[0]) { $0.plays += 1 }
    try await stack.withScratch { $0.update(Tune(id: 1, plays: 5)) { $0.plays = 15 } }
    #expect(live.elements[0].plays == 6 && stack.viewContext.conflicts.isEmpty)
    stack.viewContext.update(live.elements[0]) { $0.plays += 1 }
    try await stack.viewContext.save()
    #expect(live.elements[0].plays == 17)
    #expect(try await stored()?.plays == 17)
  }

  @Test func `a sheet adds to what its parent was edited to meanwhile`() async throws {
    try await insert()
    let live = try await stack.viewContext.loaded(Tune.all)
    let sheet = stack.viewContext.makeScratch()
    let track = try #require(try await sheet.find(Tune.self, 1))
    sheet.update(track) { $0.plays += 10 }
    stack.viewContext.update(live.elements[0]) { $0.plays += 1 }
    try await sheet.save()
    #expect(live.elements[0].plays == 16)
    try await stack.viewContext.save()
    #expect(try await stored()?.plays == 16)
  }

  // The second edit repeats what was saved, so that only the writer knows which row it is over.
  @Test(arguments: [(16, 18), (5, 7)])
  func `edits after an own save go on from what was saved`(_ theirs: Int, _ sum: Int) async throws {
    try await insert()
    let scratch = stack.makeScratch()
    scratch.update(Tune(id: 1, plays: 5)) { $0.plays = 6 }
    try await scratch.save()
    try await stack.withScratch { $0.update(Tune(id: 1, plays: 6)) { $0.plays = theirs } }
    scratch.update(Tune(id: 1, plays: 5)) { $0.plays = 6 }
    scratch.update(Tune(id: 1, plays: 5)) { $0.plays = 8 }
    try await scratch.save()
    #expect(try await stored()?.plays == sum)
  }

  @Test func `edits during a save add to what it merges`() async throws {
    try await insert()
    let live = try await stack.viewContext.loaded(Tune.all)
    stack.viewContext.update(live.elements[0]) { $0.plays += 1 }
    let stop = await WriterStop(stack)
    async let saving = stack.viewContext.save()
    while !stack.viewContext.isSaving { await Task.yield() }
    stack.viewContext.update(live.elements[0]) { $0.plays += 1 }
    stop.release()
    _ = try await saving
    try await stack.withScratch { scratch in
      let track = try #require(try await scratch.find(Tune.self, 1))
      scratch.update(track) { $0.plays += 10 }
    }
    try await stack.viewContext.save()
    #expect(try await stored()?.plays == 17)
  }

  @Test func `undo takes back the own part alone`() async throws {
    try await insert()
    let view = stack.viewContext
    let live = try await view.loaded(Tune.all)
    view.update(live.elements[0]) { $0.plays += 1 }
    try await stack.withScratch { $0.update(Tune(id: 1, plays: 5)) { $0.plays = 15 } }
    try await view.save()
    #expect(live.elements[0].plays == 16)
    view.undo()
    #expect(live.elements[0].plays == 15)
    try await view.save()
    #expect(try await stored()?.plays == 15)
    try await stack.withScratch { $0.update(Tune(id: 1, plays: 15)) { $0.plays = 25 } }
    view.redo()
    try await view.save()
    #expect(try await stored()?.plays == 26)
  }

  @Test func `a resolution merges, too`() async throws {
    try await insert()
    let live = try await stack.viewContext.loaded(Tune.all)
    stack.viewContext.update(live.elements[0]) { ($0.plays, $0.title) = (6, "mine") }
    try await stack.withScratch {
      $0.update(Tune(id: 1, plays: 5)) { ($0.plays, $0.title) = (7, "theirs") }
    }
    let conflict = try #require(stack.viewContext.conflicts.first)
    #expect(conflict.attributes == ["title"])
    #expect(stack.viewContext.resolve(conflict, .mergeTheirs))
    #expect(live.elements[0] == Tune(id: 1, title: "theirs", plays: 8))
    try await stack.viewContext.save()
    #expect(try await stored()?.plays == 8)
  }

  @Test func `values that cannot be merged conflict`() async throws {
    try await insert(Tune(id: 1, weight: -.greatestFiniteMagnitude))
    let scratch = stack.makeScratch()
    let track = try #require(try await scratch.find(Tune.self, 1))
    try await stack.withScratch { $0.update(track) { $0.weight = -.infinity } }
    scratch.update(track) { $0.weight = .infinity }
    let error = await failure { try await scratch.save() }
    #expect(error?.code == .conflict && error?.conflicts.map(\.attributes) == [["weight"]])
  }

  @Test func `a deleted row is no sum`() async throws {
    try await insert()
    let scratch = stack.makeScratch()
    let track = try #require(try await scratch.find(Tune.self, 1))
    try await stack.withScratch { $0.delete(track) }
    scratch.update(track) { $0.plays += 1 }
    #expect(await failure { try await scratch.save() }?.code == .conflict)
  }
}
