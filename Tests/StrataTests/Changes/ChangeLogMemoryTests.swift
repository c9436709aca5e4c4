import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn) struct ChangeLogMemoryTests {
  @Test func `a slow cursor costs a bounded number of entries beside one that keeps up`() throws {
    // The view context reads after every commit. If its cursor started a new run each time, no run
    // would be long enough to be composed. A single idle stream would keep every commit for ever.
    var random = SeededRandom.printingSeed()
    for pause in [1, 7, 63] {
      var history = try History()
      var log = ChangeLog()
      var slow = log.addCursor()
      var quick = log.addCursor()
      var most = 0
      for number in 1...3_000 {
        log.add(try history.commit(&random))
        if number % pause == 0 { _ = log.read(&quick) }
        most = max(most, log.count)
      }
      #expect(most <= 3 * StoreBounds().unread, "read every \(pause)")
      let read = ChangeSet.composed(log.read(&slow))
      #expect(read?.byKey ?? [:] == history.changes())
    }
  }

  /// The main actor must not compose the backlog of an idle consumer of `view.changes`.
  @Test func `composing elsewhere loses nothing and keeps the log short`() async throws {
    var random = SeededRandom.printingSeed()
    var history = try History()
    let publisher = ChangePublisher(composesElsewhere: true)
    let idle = publisher.subscribe(to: nil)
    for _ in 0..<2_000 { publisher.publish(try history.commit(&random)) }
    #expect(await eventually { publisher.load.unread <= 3 * StoreBounds().unread })
    let read = await publisher.next(idle.id, isolation: nil)
    #expect(read?.byKey ?? [:] == history.changes())
    #expect(publisher.load.unread == 0)
  }
}
