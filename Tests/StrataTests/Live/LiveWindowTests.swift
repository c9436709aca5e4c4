import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// Limited live queries, which know only the first rows.
@Suite(.inTurn, .stack(Boat.self, Harbour.self)) @MainActor struct LiveWindowTests {
  let stack = Stack.test
  var view: ViewContext { stack.viewContext }

  private func fill(_ boats: [Boat]) async throws {
    try await stack.withScratch { scratch in boats.forEach(scratch.insert) }
  }

  @Test func `a window that runs short reads only what it lacks`() async throws {
    try await fill((0..<500).map { Boat(id: $0, length: $0) })
    let live = try await view.loaded(Boat.sorted(by: \.length).offset(10).limit(10))
    for first in stride(from: 0, to: 450, by: 50) {
      try await stack.merge { scratch in
        for id in first..<(first + 50) { scratch.delete(Boat(id: id)) }
      }
      #expect(live.elements.map(\.id) == Array((first + 60)..<(first + 70)).filter { $0 < 500 })
    }
    #expect(live.statistics.loads == 1 && live.statistics.refills >= 4)
  }

  /// A window reads as many extra rows as it shows, not as many as lie before it.
  @Test func `a page at a deep offset loads the rows before it once`() throws {
    func loadLimit(_ query: Query<Boat>) throws -> Int? {
      MaintainedQuery(LivePlan(try QueryPlan(query, stack.store.model))).loadLimit
    }
    #expect(try loadLimit(Boat.all.offset(50_000).limit(100)) == 50_200)
    #expect(try loadLimit(Boat.all.limit(10)) == 74)
    #expect(try loadLimit(Boat.all.offset(50_000)) == nil)
  }

  @Test func `edits that a horizon hid are told of when it goes`() async throws {
    try await fill((0..<100).map { Boat(id: $0, length: $0) })
    let live = try await view.loaded(Boat.sorted(by: \.length).limit(10))
    var updates = live.updates.makeAsyncIterator()
    try await stack.merge { scratch in for id in 10..<100 { scratch.delete(Boat(id: id)) } }
    for id in 0..<8 { view.delete(Boat(id: id, length: id)) }
    // The stored rows that sort before these boats are unknown.
    for id in 200..<208 { view.insert(Boat(id: id, length: id)) }
    #expect(live.elements.map(\.id) == [8, 9])
    var list = try #require(await updates.next()).elements.map { $0 }
    try await stack.merge { $0.delete(Boat(id: 8)) }
    #expect(live.elements.map(\.id) == [9] + Array(200..<208))
    let update = try #require(await updates.next())
    #expect(update.deletions == [0] && update.insertions == Array(1...8))
    if update.insertions.count == 8 { update.apply(to: &list) }
    #expect(list == Array(live.elements))
  }

  @Test func `replaying the updates of windows gives their elements, with edits unsaved`()
    async throws
  {
    var random = SeededRandom.printingSeed()
    for round in 0..<5 {
      try await followWindows(from: round * 1_000, &random)
      try await view.save(.overwrite)
    }
  }

  /// Checks windows over boats of their own, most of which are deleted.
  ///
  /// At first the deletions leave windows without known rows. In the end every row is known.
  private func followWindows(from first: Int, _ random: inout SeededRandom) async throws {
    try await fill((0..<120).map { boat(first + $0, &random) })
    let mine = Boat.where { $0.id >= first }
    let all = try await view.loaded(mine)
    var windows: [Window] = []
    for query in [
      mine.sorted(by: \.length).limit(6),
      mine.sorted(by: \.speed, order: .reverse).offset(3).limit(5),
      mine.where { $0.length > 1 }.sorted(by: \.name).limit(4), mine.limit(8),
    ] {
      windows.append(Window(query, try await view.loaded(query)))
    }
    for step in 0..<50 {
      for _ in 0...random.below(6) {
        // Half of the edits delete a shown row, and half of the new rows sort last.
        var new = boat(first + random.below(300), &random)
        let isLast = random.oneIn(2)
        if isLast { (new.name, new.length, new.speed) = ("Wren", 90, nil) }
        if random.oneIn(2),
          let old = random.pick(windows).live.elements.randomElement(using: &random)
        {
          view.delete(old)
        } else if let old = all.elements.first(where: { $0.id == new.id }) {
          view.update(old) { $0 = new }
        } else {
          view.insert(new)
        }
      }
      if random.oneIn(2) {
        // The last twenty rows go one by one, so that commits do not name most rows that a window
        // shows.
        let stored = try await stack.fetch(mine).shuffled(using: &random)
        let gone = stored.prefix(stored.count > 20 ? 15 : 1)
        let others = random.oneIn(4) ? [boat(first + random.below(120), &random)] : []
        try await stack.merge { scratch in
          gone.forEach(scratch.delete)
          others.forEach(scratch.upsert)
        }
      }
      if random.oneIn(25) { view.rollback() }
      if random.oneIn(25) { try await view.save(.overwrite) }
      for window in windows {
        let isRight = await window.replay()
        #expect(isRight, "\(window.query), step \(step), seed \(random.seed)")
        if !isRight { return }
        if view.hasChanges { continue }
        let fetched = try await view.fetch(window.query)
        #expect(window.list == fetched, "\(window.query), step \(step), seed \(random.seed)")
      }
    }
  }

  /// A list that is built from a live query's updates alone.
  @MainActor private final class Window {
    let query: Query<Boat>
    let live: LiveQuery<Boat>
    private(set) var list: [Boat]
    private var updates: LiveUpdates<Boat>.Iterator

    init(_ query: Query<Boat>, _ live: LiveQuery<Boat>) {
      self.query = query
      self.live = live
      list = Array(live.elements)
      updates = live.updates.makeAsyncIterator()
    }

    /// Applies the next update if the list differs, and returns whether the list is up to date.
    func replay() async -> Bool {
      let shown = Array(live.elements)
      if list == shown { return true }
      var iterator = updates
      guard let update = await iterator.next(),
        list.count - update.deletions.count + update.insertions.count == shown.count
      else { return false }
      update.apply(to: &list)
      return list == shown
    }
  }

  @Test func `every order goes on after its horizon`() async throws {
    var random = SeededRandom.printingSeed()
    var boats = (0..<600).map { boat($0, &random) }
    try await fill(boats)
    let orders = [
      Boat.sorted(by: \.speed), Boat.sorted(by: \.speed, order: .reverse),
      Boat.sorted(by: \.name, order: .reverse).sorted(by: \.speed),
      Boat.sorted(by: \.speed, order: .reverse).sorted(by: \.name, order: .reverse),
      Boat.where { $0.length > 2 }.sorted(by: \.id, order: .reverse),
      Boat.where { $0.harbour.isOpen || $0.length > 1 }.sorted(by: \.speed),
    ]
    let queries = orders.enumerated().map { $1.offset($0 % 3).limit(4 + $0) }
    var lives: [(Query<Boat>, LiveQuery<Boat>)] = []
    for query in queries { lives.append((query, try await view.loaded(query))) }
    while boats.count > 20 {
      // The first rows of a random order.
      let gone = try await view.fetch(random.pick(orders).limit(40)) + boats.prefix(10)
      let others = (0..<5).map { _ in boat(random.below(600), &random) }
      try await stack.merge { scratch in
        for boat in gone { scratch.delete(boat) }
        others.forEach(scratch.upsert)
      }
      boats = try await view.fetch(Boat.all)
      for (query, live) in lives {
        let fetched = try await view.fetch(query)
        #expect(Array(live.elements) == fetched, "\(query), seed \(random.seed)")
      }
    }
    #expect(lives.allSatisfy { $0.1.statistics.loads == 1 })
    #expect(lives.contains { $0.1.statistics.refills > 0 })
  }

  private func boat(_ id: Int, _ random: inout SeededRandom) -> Boat {
    Boat(
      id: id, name: random.pick(["Gull", "Tern", "Swan"]), length: random.below(6),
      speed: random.oneIn(3) ? nil : random.below(5))
  }
}
