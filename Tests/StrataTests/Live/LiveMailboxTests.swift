import StrataTestTurns
import Testing

@testable import Strata

/// A mailbox in every state, under every event.
@Suite(.inTurn) struct LiveMailboxTests {
  let none: ShownRows
  let one: ShownRows
  let two: ShownRows

  init() throws {
    let chart = try Chart()
    none = try chart.shown([], Boat.all)
    one = try chart.shown([Boat(id: 1)], Boat.all)
    two = try chart.shown([Boat(id: 1), Boat(id: 2)], Boat.all)
  }

  private func keys(_ keys: Int64...) -> ChangedKeys {
    ChangedKeys(keys.map { RecordKey(.integer($0)) })
  }

  /// Returns the counts before and after a delivery and its keys, or nil without a delivery.
  private func delivered(_ action: LiveMailbox.NextAction) -> (Int, Int, Set<RecordKey>?)? {
    guard case .deliver(let delivery) = action else { return nil }
    let changed: Set<RecordKey>? =
      if case .some(let keys) = delivery.changed { keys.distinct } else { nil }
    return (delivery.old.range.count, delivery.new.range.count, changed)
  }

  private func isWait(_ action: LiveMailbox.NextAction) -> Bool {
    if case .wait = action { true } else { false }
  }

  private func isEnd(_ action: LiveMailbox.NextAction) -> Bool {
    if case .end = action { true } else { false }
  }

  @Test
  func `an idle mailbox waits at next, keeps what is published, parks a waiter and can finish`() {
    var mailbox = LiveMailbox(seen: none)
    #expect(isWait(mailbox.next()))
    #expect(mailbox.publish(one, keys(1)) == nil)
    #expect(delivered(mailbox.next()).map { [$0.0, $0.1] } == [0, 1])
    #expect(isWait(mailbox.next()))
    var parked = LiveMailbox(seen: none)
    #expect(parked.park(LiveMailbox.Waiter()) == true)
    #expect(mailbox.finish() == nil)
    #expect(isEnd(mailbox.next()))
  }

  @Test
  func `a pending mailbox joins keys, delivers once, parks no waiter, and ends after its delivery`()
  {
    var mailbox = LiveMailbox(seen: none)
    _ = mailbox.publish(one, keys(1))
    #expect(mailbox.publish(two, keys(2)) == nil)
    #expect(mailbox.park(LiveMailbox.Waiter()) == false)
    let joined = delivered(mailbox.next())
    #expect(joined.map { [$0.0, $0.1] } == [0, 2] && joined?.2?.count == 2)
    #expect(isWait(mailbox.next()))

    // The next difference starts where the last one ended.
    _ = mailbox.publish(one, keys(2))
    _ = mailbox.publish(two, .all)
    let reset = delivered(mailbox.next())
    #expect(reset.map { [$0.0, $0.1] } == [2, 2] && reset?.2 == nil)

    _ = mailbox.publish(one, keys(2))
    #expect(mailbox.finish() == nil)
    #expect(mailbox.finish() == nil)
    // A change from before the end is delivered. A change after the end is not.
    #expect(mailbox.publish(two, keys(1)) == nil)
    #expect(mailbox.park(LiveMailbox.Waiter()) == false)
    #expect(delivered(mailbox.next()).map { [$0.0, $0.1] } == [2, 1])
    #expect(isEnd(mailbox.next()))
    #expect(isEnd(mailbox.next()))
  }

  @Test func `a mailbox with a waiter resumes it for a change, which it keeps, and at its end`() {
    var mailbox = LiveMailbox(seen: none)
    #expect(mailbox.park(LiveMailbox.Waiter()) == true)
    #expect(mailbox.publish(one, keys(1)) != nil)
    // The waiter is resumed once. It is on its way, so the second change joins the first.
    #expect(mailbox.publish(two, keys(2)) == nil)
    #expect(delivered(mailbox.next()).map { [$0.0, $0.1] } == [0, 2])

    mailbox = LiveMailbox(seen: none)
    #expect(mailbox.park(LiveMailbox.Waiter()) == true)
    #expect(mailbox.finish() != nil)
    #expect(mailbox.finish() == nil)
    #expect(isEnd(mailbox.next()))
  }

  @Test func `a finished mailbox refuses every event`() {
    var mailbox = LiveMailbox(seen: none)
    _ = mailbox.finish()
    #expect(mailbox.publish(one, keys(1)) == nil)
    #expect(isEnd(mailbox.next()))
    #expect(mailbox.park(LiveMailbox.Waiter()) == false)
    #expect(mailbox.finish() == nil)
    #expect(isEnd(mailbox.next()))
  }

  @Test func `a second iteration of a waiting mailbox traps`() async {
    await #expect(processExitsWith: .failure) {
      var mailbox = LiveMailbox(seen: try Chart().shown([], Boat.all))
      _ = mailbox.park(LiveMailbox.Waiter())
      _ = mailbox.next()
    }
    await #expect(processExitsWith: .failure) {
      var mailbox = LiveMailbox(seen: try Chart().shown([], Boat.all))
      _ = mailbox.park(LiveMailbox.Waiter())
      _ = mailbox.park(LiveMailbox.Waiter())
    }
  }
}
