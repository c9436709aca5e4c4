import Observation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn, .stack(Boat.self, Harbour.self)) @MainActor struct ActivityTests {
  let stack = Stack.test
  var view: ViewContext { stack.viewContext }

  @Test func `a live query that loads is refilling, and so is its stack`() async throws {
    #expect(stack.activity.current.isIdle)
    let gate = TestGate()
    await view.maintainer.hold(at: gate)
    let live = view.live(Boat.all)
    await gate.waitForArrivals()
    #expect(await eventually { live.activity.current == .refilling })
    #expect(await eventually { stack.activity.current == .refilling })
    await gate.open()
    try await live.waitUntilLoaded()
    #expect(await eventually { live.activity.current.isIdle && stack.activity.current.isIdle })
    // A query that cannot run loads nothing, and neither does a released query.
    #expect(view.live(Boat.where { $0.noName > 3 }).activity.current.isIdle)
    _ = view.live(Boat.all)
    #expect(await eventually { stack.activity.current.isIdle })
  }

  @Test func `a change of the query refills`() async throws {
    let live = try await view.loaded(Boat.all)
    #expect(await eventually { live.activity.current.isIdle })
    let gate = TestGate()
    await view.maintainer.hold(at: gate)
    live.query = Boat.where { $0.length > 3 }
    #expect(await eventually { live.activity.current == .refilling })
    await gate.open()
    #expect(await eventually { live.activity.current.isIdle })
  }

  @Test func `a save is told and observed while it is under way`() async throws {
    var seen: [StackActivity] = []
    let updates = stack.activity.updates
    let task = Task { for await activity in updates { seen.append(activity) } }
    #expect(await eventually { seen == [[]] })
    let observed = Lock(0)
    withObservationTracking {
      _ = stack.activity.current
    } onChange: {
      observed.withLock { $0 += 1 }
    }
    // A second save takes longer.
    let other = stack.store.activity
    other.begin(.saving)
    #expect(await eventually { seen == [[], .saving] && observed.withLock { $0 } == 1 })
    view.insert(Boat(id: 1))
    try await view.save()
    #expect(seen == [[], .saving])
    other.end(.saving)
    #expect(await eventually { seen == [[], .saving, []] })
    task.cancel()
    await task.value
  }

  @Test func `activities are counted, and told of once until somebody looks`() {
    let whole = ActivityLedger()
    let part = ActivityLedger(of: whole)
    let reported = Lock(0)
    whole.listen { reported.withLock { $0 += 1 } }
    part.begin(.refilling)
    whole.begin(.importing)
    part.begin(.refilling)
    #expect(reported.withLock { $0 } == 1 && part.current == .refilling)
    #expect(whole.look() == [.refilling, .importing])
    part.end(.refilling)
    #expect(reported.withLock { $0 } == 1)
    part.end(.refilling)
    #expect(reported.withLock { $0 } == 2 && part.current.isIdle && whole.look() == .importing)
    whole.end(.importing)
    #expect(whole.look().isIdle)
  }
}

extension Boat {
  /// A property that is no attribute.
  fileprivate var noName: Int { name.count }
}
