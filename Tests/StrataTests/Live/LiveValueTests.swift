import Observation
import StrataSQLite
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// Counts, sums and extremes that stay up to date.
@Suite(.inTurn, .stack(Boat.self, Harbour.self)) @MainActor struct LiveValueTests {
  let stack = Stack.test
  var view: ViewContext { stack.viewContext }

  private func fill(_ boats: [Boat]) async throws {
    try await stack.withScratch { scratch in
      boats.forEach(scratch.insert)
      for id in 0..<4 { scratch.insert(Harbour(id: id, isOpen: id % 2 == 0)) }
    }
  }

  @Test func `a value follows commits and unsaved edits`() async throws {
    try await fill((1...5).map { Boat(id: $0, name: "\($0 % 2)", length: $0) })
    let count = view.live(.count, of: Boat.where { $0.length > 2 })
    #expect(count.value == nil)
    #expect(try await count.waitUntilLoaded() == 3)
    let longest = view.live(.max(\.length), of: Boat.all)
    let sums = view.live(.sum(\.length), of: Boat.all.grouped(by: \.name))
    try await longest.waitUntilLoaded()
    #expect(try await sums.waitUntilLoaded() == ["0": 6, "1": 9])
    view.insert(Boat(id: 6, name: "2", length: 9))
    #expect(count.value == 4 && longest.value == 9 && sums.value?["2"] == 9)
    view.rollback()
    #expect(count.value == 3 && longest.value == 5 && sums.value?["2"] == nil)
    try await stack.merge { $0.delete(Boat(id: 5)) }
    #expect(count.value == 2 && longest.value == 4 && sums.value == ["0": 6, "1": 4])
    // An empty result has values, too.
    let none = Boat.where { $0.length > 1_000 }
    let (noSum, noMax) = (view.live(.sum(\.length), of: none), view.live(.min(\.length), of: none))
    #expect(try await noSum.waitUntilLoaded() == 0)
    #expect(try await noMax.waitUntilLoaded() == nil)
  }

  @Test func `a change that leaves the value wakes nobody`() async throws {
    try await fill((1...5).map { Boat(id: $0, length: $0) })
    let longest = view.live(.max(\.length), of: Boat.all)
    try await longest.waitUntilLoaded()
    let observed = Lock(0)
    withObservationTracking {
      _ = longest.value
    } onChange: {
      observed.withLock { $0 += 1 }
    }
    var seen: [Int?] = []
    let updates = longest.updates
    let task = Task { for await value in updates { seen.append(value) } }
    #expect(await eventually { seen == [5] })
    let wakes = longest.statistics.wakes
    try await stack.merge {
      $0.delete(Boat(id: 1))
      $0.insert(Boat(id: 6, length: 2))
      $0.update(Boat(id: 5, length: 5)) { $0.name = "other" }
    }
    view.insert(Boat(id: 7, length: 3))
    #expect(longest.statistics.wakes == wakes && observed.withLock { $0 } == 0)
    view.insert(Boat(id: 8, length: 11))
    #expect(longest.statistics.wakes == wakes + 1 && observed.withLock { $0 } == 1)
    #expect(await eventually { seen == [5, 11] })
    await stack.close()
    await task.value
  }

  @Test func `a group that a condition leaves out is not read, and wakes nobody`() async throws {
    try await fill([
      Boat(id: 1, name: "a", length: .max), Boat(id: 2, name: "a", length: 1),
      Boat(id: 3, name: "b", length: 1),
    ])
    let few = Boat.all.grouped(by: \.name).having(.count) { $0 < 2 }
    #expect(try await view.fetch(.sum(\.length), of: few).map(\.1) == [1])
    let sums = view.live(.sum(\.length), of: few)
    #expect(try await sums.waitUntilLoaded() == ["b": 1])
    let wakes = sums.statistics.wakes
    view.insert(Boat(id: 4, name: "a", length: 5))
    #expect(sums.statistics.wakes == wakes)
    view.insert(Boat(id: 5, name: "b", length: 5))
    #expect(sums.value == [:])
    // The condition's value changes alone.
    let some = view.live(.max(\.length), of: Boat.all.grouped(by: \.name).having(.count) { $0 > 1 })
    try await some.waitUntilLoaded()
    let before = some.statistics.wakes
    view.insert(Boat(id: 6, name: "b", length: 2))
    #expect(some.statistics.wakes == before && some.value?["b"] == 5)
  }

  /// An edit's cost does not depend on the number of edits.
  ///
  /// The test takes a second. Otherwise it would take minutes.
  @Test func `an edit is counted alone, however many are pending`() async throws {
    let sum = view.live(.sum(\.length), of: Boat.all)
    let longest = view.live(.max(\.length), of: Boat.all)
    try await sum.waitUntilLoaded()
    try await longest.waitUntilLoaded()
    for id in 0..<4_000 { view.insert(Boat(id: id, length: 1)) }
    #expect(sum.value == 4_000 && longest.value == 1)
    view.rollback()
    #expect(sum.value == 0 && longest.value == .some(nil))
  }

  /// Two such groups were an error of the live value, and two groups of a fetch.
  @Test func `texts that Swift cannot tell apart are one group`() async throws {
    let names = ["\u{e9}", "e\u{301}"]
    try await fill([Boat(id: 1, name: names[0], length: 1), Boat(id: 2, name: names[1], length: 2)])
    let grouped = Boat.all.grouped(by: \.name)
    let live = view.live(.sum(\.length), of: grouped)
    #expect(try await live.waitUntilLoaded() == [names[0]: 3])
    #expect(try await view.fetch(.sum(\.length), of: grouped).map { $0.1 } == [3])
    try await stack.merge { $0.delete(Boat(id: 1)) }
    #expect(live.value == [names[0]: 2] && live.error == nil)
  }

  @Test func `a value that cannot be computed or read is an error`() async throws {
    try await fill([Boat(id: 1, length: .max), Boat(id: 2, length: 1)])
    let bad = view.live(.count, of: Boat.where { $0.noName > 3 })
    #expect(await failure { try await bad.waitUntilLoaded() }?.code == .invalidQuery)
    let sum = view.live(.sum(\.length), of: Boat.all)
    #expect(await failure { try await sum.waitUntilLoaded() }?.code == .invalidValue)
    // As soon as the sum is in range again, there is a value.
    try await stack.merge { $0.delete(Boat(id: 2)) }
    #expect(sum.value == .max && sum.error == nil)
  }

  @Test func `every live value equals that of a fetch after any history`() async throws {
    var random = SeededRandom.printingSeed()
    try await fill((0..<60).map { boat($0, &random) })
    let all = try await view.loaded(Boat.all)
    var checks: [() async throws -> Bool] = []
    func follow<Value: Equatable & Sendable>(
      _ aggregate: Aggregate<Boat, Value>, _ query: Query<Boat>
    ) async throws {
      let live = view.live(aggregate, of: query)
      try await live.waitUntilLoaded()
      checks.append { (try await self.view.fetch(aggregate, of: query)) == live.value }
      let grouped = query.grouped(by: \.name)
      let groups = view.live(aggregate, of: grouped)
      try await groups.waitUntilLoaded()
      checks.append {
        let fetched = try await self.view.fetch(aggregate, of: grouped)
        return Dictionary(uniqueKeysWithValues: fetched.map { ($0.0, $0.1) }) == groups.value
      }
      let busy = grouped.having(.count) { $0 >= 4 }.having(.max(\.length)) { $0 ?? 0 > 0 }
      let some = view.live(aggregate, of: busy)
      try await some.waitUntilLoaded()
      checks.append {
        let counts = try await self.view.fetch(.count, .max(\.length), of: grouped)
        let names = counts.filter { $0.1 >= 4 && $0.2 ?? 0 > 0 }.map(\.0)
        let fetched = try await self.view.fetch(aggregate, of: busy)
        return fetched.map(\.0) == names
          && Dictionary(uniqueKeysWithValues: fetched.map { ($0.0, $0.1) }) == some.value
      }
    }
    let fast = Boat.where { $0.speed > 1 }
    let limited = Boat.sorted(by: \.length).offset(2).limit(20)
    for query in [Boat.all, fast, limited] {
      try await follow(.count, query)
      try await follow(.count(\.speed), query)
      try await follow(.distinctCount(\.length), query)
      try await follow(.sum(\.length), query)
      try await follow(.average(\.length), query)
      try await follow(.min(\.speed), query)
      try await follow(.max(\.speed), query)
    }
    for step in 0..<6 {
      let new = boat(random.below(90), &random)
      if let old = all.elements.first(where: { $0.id == new.id }) {
        if random.oneIn(3) { view.delete(old) } else { view.update(old) { $0 = new } }
      } else {
        view.insert(new)
      }
      if random.oneIn(4) { try await view.save(.overwrite) }
      if random.oneIn(3) {
        let others = (0..<3).map { _ in boat(random.below(90), &random) }
        try await stack.merge { scratch in others.forEach(scratch.upsert) }
      }
      for (number, check) in checks.enumerated() {
        let isRight = try await check()
        #expect(isRight, "value \(number), step \(step), seed \(random.seed)")
        if !isRight { return }
      }
    }
  }

  private func boat(_ id: Int, _ random: inout SeededRandom) -> Boat {
    Boat(
      id: id, name: random.pick(["Gull", "Tern", "Swan"]), length: random.below(9) - 4,
      speed: random.oneIn(3) ? nil : random.below(5))
  }
}

/// The handling of the maintainer's updates, which these tests make themselves.
@Suite(.inTurn) @MainActor struct LiveValueUpdateTests {
  private let chart: Chart
  private let plan: LivePlan
  private let fold: AggregateFold
  private let result: LiveResult
  private var layers: ViewLayers

  init() throws {
    chart = try Chart()
    plan = LivePlan(try QueryPlan(Boat.sorted(by: \.length).limit(3), chart.model))
    let length = try chart.table.columns([\Boat.length])[0]
    fold = AggregateFold([AggregateTerm(.greatest, length)], by: [])
    result = LiveResult(plan, LiveCounters(of: ActivityLedger()), fold: fold)
    result.didOpen(as: 1)
    layers = ViewLayers(chart.model)
  }

  private func boats(_ lengths: [Int]) -> [Boat] { lengths.map { Boat(id: $0, length: $0) } }

  private func take(
    _ boats: [Boat], fold other: AggregateFold? = nil, error: StoreError? = nil
  ) throws {
    let tree = ResultTree(ContiguousArray(try boats.map(chart.record)), order: plan.order)
    let update = MaintainedUpdate(
      result: MaintainedResult(tree: tree, error: error), change: nil, isCaughtUp: false,
      fold: other ?? fold.of(ShownRows(tree, plan)))
    result.change { contents in
      _ = contents.take([1: update])
      contents.lay(layers, touched: [:])
    }
    result.report()
  }

  private mutating func insert(_ boat: Boat) throws {
    let inserted = layers.pending.insert(boat)
    let (_, key) = try #require(inserted)
    result.change { $0.edit([chart.table.id: [key]], layers) }
    result.report()
  }

  // The value becomes 4 while a load has failed. The stream must report 4, too.
  @Test(.stack(Boat.self, Harbour.self))
  mutating func `a change while a load has failed is reported`() async throws {
    let value = LiveValue(Stack.test.viewContext, result, LiveValueReader { row in row[0] }) {
      StoreError(.invalidValue, "\($0)", advice: "")
    }
    var updates = value.updates.makeAsyncIterator()
    try take(boats([1, 3]))
    #expect(await updates.next() == .integer(3))
    try take(boats([1, 3]), error: StoreError(.inputOutput, "the disk is gone", advice: "wait"))
    try insert(Boat(id: 4, length: 4))
    #expect(value.value == .integer(4) && value.error != nil)
    try take(boats([1, 3]))
    #expect(value.value == .integer(4) && value.error == nil)
    result.finish()
    #expect(await updates.next() == .integer(4))
  }

  // The main actor must not compute the values of a limited query's rows again for every commit.
  // The test hands in the values of other rows, to see that the result takes them as they are.
  @Test mutating func `the maintainer's values are taken as they are if there are no edits`() throws
  {
    let elsewhere = fold.of(try chart.shown(boats([77]), Boat.all))
    try take(boats([1, 2, 3, 4]), fold: elsewhere)
    #expect(result.shownFold?.rows == [[.integer(77)]])
    try insert(Boat(id: 0, length: 0))
    #expect(result.shownFold?.rows == [[.integer(2)]])
  }
}

private struct Cargo: Entity {
  var id = 0
  var hold = 0
  var weight = 0.0

  static let schema = Schema<Cargo>("cargo", key: \.id) {
    Attribute(\.hold)
    Attribute(\.weight)
  }
}

/// Sums of reals, which must be equal to the last bit.
///
/// A fetch adds in SQL, a fetch over edits adds in memory, and a live query keeps its sum up to
/// date.
@Suite(.inTurn, .stack(Cargo.self)) struct EqualSumTests {
  @Test @MainActor
  func `a sum is the same to the last bit, whether stored, edited or live`() async throws {
    let (stack, view) = (Stack.test, Stack.test.viewContext)
    var random = SeededRandom.printingSeed()
    var sum = ExactSum()
    let cargo = (0..<400).map { id in
      let scale = Double(sign: .plus, exponent: random.below(80) - 40, significand: 1)
      return Cargo(
        id: id, hold: id % 2, weight: Double(random.below(2_000_001) - 1_000_000) * scale)
    }
    for load in cargo { sum.add(load.weight) }
    let live = view.live(.sum(\.weight), of: Cargo.all)
    try await stack.withScratch { scratch in cargo.prefix(200).forEach(scratch.insert) }
    for load in cargo.dropFirst(200) { view.insert(load) }
    try await live.waitUntilLoaded()
    #expect(try await view.fetch(.sum(\.weight), of: Cargo.all) == sum.value)
    #expect(live.value == sum.value)
    try await view.save()
    #expect(try await stack.fetch(.sum(\.weight), of: Cargo.all) == sum.value)
    #expect(try await view.fetch(.sum(\.weight), of: Cargo.all) == sum.value)
    #expect(live.value == sum.value)
    #expect(try await stack.fetch(.average(\.weight), of: Cargo.all) == sum.value / 400)
    // The groups are added in SQL, and then in memory, because an edit is pending.
    let grouped = Cargo.all.grouped(by: \.hold)
    let stored = try await view.fetch(.sum(\.weight), of: grouped).map(\.1)
    view.insert(Cargo(id: 400, hold: 2, weight: 1))
    #expect(try await view.fetch(.sum(\.weight), of: grouped).map(\.1) == stored + [1])
  }
}

@Suite(.inTurn) struct ExactSumTests {
  @Test func `taking out what was put in leaves the sum of the rest`() {
    var random = SeededRandom.printingSeed()
    for _ in 0..<200 {
      var values = (0..<40).map { _ in
        Double(random.below(2_000_001) - 1_000_000)
          * Double(sign: .plus, exponent: random.below(80) - 40, significand: 1)
      }
      var sum = ExactSum()
      for value in values { sum.add(value) }
      values.shuffle(using: &random)
      for value in values.suffix(30) { sum.remove(value) }
      var rest = ExactSum()
      for value in values.prefix(10) { rest.add(value) }
      #expect(sum.value == rest.value, "seed \(random.seed)")
      for value in values.prefix(10) { sum.remove(value) }
      #expect(sum.value == 0, "seed \(random.seed)")
    }
  }

  @Test func `a sum that is too large for a while comes back`() {
    var sum = ExactSum()
    sum.add(3)
    for _ in 0..<40 { sum.add(1e308) }
    #expect(sum.value == .infinity)
    for _ in 0..<40 { sum.remove(1e308) }
    #expect(sum.value == 3)
    for _ in 0..<40 { sum.add(-.greatestFiniteMagnitude) }
    #expect(sum.value == -.infinity)
    for _ in 0..<40 { sum.add(.greatestFiniteMagnitude) }
    sum.add(1e308)
    sum.add(0x1p-1074)
    #expect(sum.value == 1e308)
    sum.remove(1e308)
    sum.remove(3)
    #expect(sum.value == 0x1p-1074)
  }

  @Test func `a sum is rounded once`() {
    var sum = ExactSum()
    for _ in 0..<10 { sum.add(0.1) }
    #expect(sum.value == 1)
    sum.add(1e100)
    sum.add(1)
    sum.remove(1e100)
    #expect(sum.value == 2)
    for value in [Double.infinity, -.infinity] { sum.add(value) }
    #expect(sum.value.isNaN)
    sum.remove(.infinity)
    #expect(sum.value == -.infinity)
    sum.remove(-.infinity)
    #expect(sum.value == 2)
  }
}

extension Boat {
  /// A property that is no attribute.
  fileprivate var noName: Int { name.count }
}
