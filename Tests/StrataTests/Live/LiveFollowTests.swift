import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// A live query whose query is set again and again, as by a view that is made anew.
@Suite(.inTurn, .stack(Boat.self, Harbour.self)) @MainActor
struct LiveFollowTests {
  let stack = Stack.test
  var view: ViewContext { stack.viewContext }

  private func long(_ length: Int) -> Query<Boat> { Boat.where { $0.length > length } }

  @Test func `an equal query leaves what was set in between`() async throws {
    try await stack.withScratch { scratch in
      for id in 1...4 { scratch.insert(Boat(id: id, length: id)) }
    }
    let live = try await view.loaded(long(1))
    live._follow(long(1))
    #expect(live.elements.map(\.id) == [2, 3, 4])
    try await live.change(to: long(3))
    live._follow(long(1))
    await others()
    #expect(live.elements.map(\.id) == [4])
    live._follow(long(2))
    await expect(live.elements.map(\.id), becomes: [3, 4])
    live._follow(long(2))
    #expect(live.statistics.loads <= 3)
  }

  @Test func `sections stay as they are`() async throws {
    try await stack.withScratch { scratch in
      for id in 1...4 { scratch.insert(Boat(id: id, name: "\(id % 2)", length: id)) }
    }
    let live = view.live(long(0), section: { $0.name })
    try await live.waitUntilLoaded()
    live._follow(long(0))
    #expect(live.live.statistics.loads == 1)
    live._follow(long(3))
    await expect(live.sections.map(\.name), becomes: ["0"])
  }

  @Test func `a query that cannot be run is told once`() async throws {
    let live = view.live(long(1), section: { $0.name })
    try await live.waitUntilLoaded()
    let banner = Observer { live.error?.code }
    for _ in 0..<3 { live._follow(long(1).limit(2)) }
    #expect(banner.value == .invalidQuery && banner.reads == 2)
    live._follow(long(1))
    await expect(live.error?.code, becomes: nil)
  }
}
