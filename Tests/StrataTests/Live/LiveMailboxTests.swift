import Testing

@testable import Strata

/// A mailbox in every state, under every event.
@Suite struct LiveMailboxTests {
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

  /// Calls `body` with a continuation, and resumes the continuation afterwards.
  private func withWaiter(_ body: (LiveMailbox.Waiter) throws -> Void) async rethrows {
    var failure: (any Error)?
    await withUnsafeContinuation { waiter in
      do { try body(waiter) } catch { failure = error }
      waiter.resume()
    }
    if let failure { Issue.record(failure) }
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

  @Test func `idle: next waits, publish keeps, park parks, finish ends`() async {
    var mailbox = LiveMailbox(seen: none)
    #expect(isWait(mailbox.next()))
    #expect(mailbox.publish(one, keys(1)) == nil)
    #expect(delivered(mailbox.next()).map { [$0.0, $0.1] } == [0, 1])
    #expect(isWait(mailbox.next()))
    await withWaiter { [none] waiter in
      var mailbox = LiveMailbox(seen: none)
      #expect(mailbox.park(waiter) == true)
    }
    #expect(mailbox.finish() == nil)
    #expect(isEnd(mailbox.next()))
  }

  @Test
  func `pending: publish joins keys, next delivers once, park refuses, finish delivers and ends`()
    async
  {
    var mailbox = LiveMailbox(seen: none)
    _ = mailbox.publish(one, keys(1))
    #expect(mailbox.publish(two, keys(2)) == nil)
    await withWaiter { waiter in #expect(mailbox.park(waiter) == false) }
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
    await withWaiter { waiter in #expect(mailbox.park(waiter) == false) }
    #expect(delivered(mailbox.next()).map { [$0.0, $0.1] } == [2, 1])
    #expect(isEnd(mailbox.next()))
    #expect(isEnd(mailbox.next()))
  }

  @Test func `waiting: publish resumes and keeps, finish resumes and ends`() async {
    await withWaiter { waiter in
      var mailbox = LiveMailbox(seen: none)
      #expect(mailbox.park(waiter) == true)
      #expect(mailbox.publish(one, keys(1)) != nil)
      // The waiter is resumed once. It is on its way, so the second change joins the first.
      #expect(mailbox.publish(two, keys(2)) == nil)
      #expect(delivered(mailbox.next()).map { [$0.0, $0.1] } == [0, 2])
    }
    await withWaiter { waiter in
      var mailbox = LiveMailbox(seen: none)
      #expect(mailbox.park(waiter) == true)
      #expect(mailbox.finish() != nil)
      #expect(mailbox.finish() == nil)
      #expect(isEnd(mailbox.next()))
    }
  }

  @Test func `finished: everything is refused`() async {
    var mailbox = LiveMailbox(seen: none)
    _ = mailbox.finish()
    #expect(mailbox.publish(one, keys(1)) == nil)
    #expect(isEnd(mailbox.next()))
    await withWaiter { waiter in #expect(mailbox.park(waiter) == false) }
    #expect(mailbox.finish() == nil)
    #expect(isEnd(mailbox.next()))
  }

  @Test func `waiting: a second iteration traps`() async {
    await #expect(processExitsWith: .failure) {
      var mailbox = LiveMailbox(seen: try Chart().shown([], Boat.all))
      await withUnsafeContinuation { waiter in
        _ = mailbox.park(waiter)
        _ = mailbox.next()
        waiter.resume()
      }
    }
    await #expect(processExitsWith: .failure) {
      var mailbox = LiveMailbox(seen: try Chart().shown([], Boat.all))
      await withUnsafeContinuation { waiter in
        _ = mailbox.park(waiter)
        _ = mailbox.park(waiter)
        waiter.resume()
      }
    }
  }
}
