import Observation
import StrataTesting
import Synchronization
import StrataTestTurns
import Testing

@testable import Strata

/// The order of a merge turn: first every row, layer and result, then every observer.
@Suite(.inTurn, .stack(Boat.self, Harbour.self, Pier.self)) @MainActor struct MergeTurnTests {
  let stack = Stack.test
  var view: ViewContext { stack.viewContext }
  let gull = Boat(id: 1, name: "Gull", length: 1)

  /// If one query had merged and another had not, an observer's edit would start from the old row.
  /// The old values would then be shown until the save.
  @Test func `an edit of an observer sees the finished turn`() async throws {
    try await stack.withScratch { [gull] in $0.insert(gull) }
    let gulls = try await view.loaded(Boat.where { $0.name == "Gull" })
    let others = try await view.loaded(Boat.sorted(by: \.length))
    let all = try await view.loaded(Boat.all)
    var seen: [String] = []
    for live in [gulls, others, all] {
      withObservationTracking {
        _ = live.elements
      } onChange: {
        MainActor.assumeIsolated {
          seen.append(view.update(gull) { $0.speed = ($0.speed ?? 0) + 1 }.name)
        }
      }
    }
    try await stack.withScratch { [gull] in $0.update(gull) { $0.name = "Swan" } }
    #expect(seen == ["Swan", "Swan", "Swan"])
    #expect(gulls.elements.isEmpty)
    let expected = [Boat(id: 1, name: "Swan", length: 1, speed: 3)]
    #expect(Array(others.elements) == expected && Array(all.elements) == expected)
    try await view.save()
    #expect(try await stack.fetch(Boat.all) == expected)
  }

  // The maintainer delivers a first result by itself. If the writer were asked for a merge step, the
  // queries would wait for the end of its work.
  @Test(.inTurn) func `a live query opens while the writer is busy`() async throws {
    try await stack.merge { [gull] in $0.insert(gull) }
    let stop = await WriterStop(stack)
    defer { stop.release() }
    let first = try await view.loaded(Boat.all)
    let second = try await view.loaded(Boat.where { $0.length > 0 })
    let same = try await view.loaded(Boat.all)
    #expect([first, second, same].allSatisfy { Array($0.elements) == [gull] })
  }

  @Test func `every observer of a commit is told once, in order`() async throws {
    try await stack.withScratch { [gull] in $0.insert(gull) }
    var reported: [String] = []
    var observations: [LiveObservation] = []
    var queries: [LiveQuery<Boat>] = []
    for number in 0..<5 {
      let live = try await view.loaded(Boat.where { $0.id < 10 + number })
      observations.append(
        live.observeKeys { _ in
          reported.append("\(number)")
          view.afterChange(of: live) { reported.append("end \(number)") }
        })
      queries.append(live)
    }
    try await stack.withScratch { [gull] in $0.update(gull) { $0.name = "Swan" } }
    #expect(reported == (0..<5).map { "\($0)" } + (0..<5).map { "end \($0)" })
    withExtendedLifetime((observations, queries)) {}
  }

  /// A result that could not be brought up to date has old rows. An edit must not start from them.
  @Test func `a live query that failed lends its rows to no edit`() async throws {
    try await stack.withScratch { [gull] scratch in
      scratch.insert(gull)
      scratch.insert(Boat(id: 2, name: "Tern"))
    }
    let failing = view.live(Boat.all, section: { $0.name == "Bad" ? Double.nan : 1.0 })
    try await failing.waitUntilLoaded()
    let healthy = try await view.loaded(Boat.sorted(by: \.name))
    try await stack.withScratch { $0.update(Boat(id: 2, name: "Tern")) { $0.name = "Bad" } }
    try await stack.withScratch { [gull] in $0.update(gull) { $0.name = "Swan" } }
    #expect(failing.error != nil)
    #expect(view.update(gull) { $0.speed = 7 }.name == "Swan")
    #expect(healthy[id: 1]?.name == "Swan" && healthy[id: 1]?.speed == 7)
    withExtendedLifetime(failing) {}
  }

  /// A turn must not lay every unsaved edit over every result again, which takes 37 ms for 10,000
  /// edits.
  @Test func `a turn costs what changed in it, not what is edited`() async throws {
    try await stack.withScratch { scratch in
      for id in 1...200 { scratch.insert(Boat(id: id, name: "a", length: id)) }
    }
    let laid = Mutex(0)
    let live = view.live(
      Boat.sorted(by: \.length),
      section: { boat in
        if boat.speed != nil { laid.withLock { $0 += 1 } }
        return boat.name
      })
    try await live.waitUntilLoaded()
    for boat in live.elements { view.update(boat) { $0.speed = 1 } }
    laid.withLock { $0 = 0 }
    try await stack.withScratch { scratch in
      scratch.update(Boat(id: 3, name: "a", length: 3)) { $0.length = 1_000 }
      scratch.insert(Boat(id: 201, name: "b"))
    }
    #expect(laid.withLock { $0 } == 1)
    #expect(live.elements.count == 201 && live.elements[200].id == 201)
    #expect(live.elements[199].id == 3 && live.elements[199].speed == 1)
  }

  /// A window is complete up to its horizon, which moves as rows come and go.
  @Test func `many edits of a limited query are shown as they are fetched`() async throws {
    var random = SeededRandom.printingSeed()
    try await stack.withScratch { scratch in
      for id in 1...300 { scratch.insert(Boat(id: id, length: id)) }
    }
    let query = Boat.sorted(by: \.length).sorted(by: \.id).limit(10)
    let live = try await view.loaded(query)
    let whole = try await view.loaded(Boat.where { $0.length > 50 })
    for round in 0..<60 {
      for _ in 0..<random.below(6) {
        let id = 1 + random.below(320)
        guard let boat = try await view.find(Boat.self, id) else {
          view.insert(Boat(id: id, length: random.below(100)))
          continue
        }
        if random.oneIn(4) { view.delete(boat) } else { view.update(boat) { $0.length += 7 } }
      }
      try await stack.withScratch { scratch in
        for _ in 0..<random.below(5) {
          let id = 400 + random.below(300)
          scratch.upsert(Boat(id: id, length: random.below(120)))
        }
      }
      if random.oneIn(9) { try await view.save(.overwrite) }
      if random.oneIn(15) { view.rollback() }
      let fetched = try await view.fetch(query)
      // Until a window has read more rows, it may be too short, but never wrong.
      #expect(Array(live.elements) == Array(fetched.prefix(live.elements.count)), "round \(round)")
      #expect(
        Array(whole.elements) == (try await view.fetch(Boat.where { $0.length > 50 })),
        "round \(round)")
    }
  }
}
