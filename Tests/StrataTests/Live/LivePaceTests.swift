import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// Updates that come at most once in an interval.
@Suite(.inTurn, .stack(Boat.self, Harbour.self)) @MainActor struct LivePaceTests {
  let stack = Stack.test
  var view: ViewContext { stack.viewContext }

  @Test func `the changes during an interval are one update at its end`() async throws {
    let live = try await view.loaded(Boat.all)
    let clock = ManualClock()
    var received: [[Int]] = []
    let updates = live.updates(every: .milliseconds(100), clock: clock)
    let task = Task {
      for await update in updates { received.append(update.insertions) }
    }
    await others()
    view.insert(Boat(id: 0))
    // The first update comes at once.
    #expect(await eventually { received == [[0]] })
    await clock.waitForSleepers(1)
    for id in 1...5 {
      view.insert(Boat(id: id))
      clock.advance(by: .milliseconds(10))
      await others()
    }
    #expect(received.count == 1)
    clock.advance(by: .milliseconds(50))
    #expect(await eventually { received.count == 2 })
    #expect(received.last == [1, 2, 3, 4, 5])
    await clock.waitForSleepers(1)
    // After a quiet interval the next update comes at once.
    clock.advance(by: .milliseconds(500))
    await others()
    view.insert(Boat(id: 9))
    #expect(await eventually { received.last == [6] })
    task.cancel()
    await task.value
  }

  @Test func `a cancelled task does not wait for the interval`() async throws {
    let live = try await view.loaded(Boat.all)
    let clock = ManualClock()
    let updates = live.updates(every: .seconds(1), clock: clock)
    let task = Task { for await _ in updates {} }
    await others()
    view.insert(Boat(id: 0))
    await clock.waitForSleepers(1)
    task.cancel()
    await task.value
  }
}
