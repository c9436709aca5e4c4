import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@Suite(.inTurn) struct ManualClockTests {
  let clock = ManualClock()

  @Test func `sleepers wake when their time has come`() async throws {
    let short = Recorder(sleeper(.seconds(1)))
    let long = Recorder(sleeper(.seconds(3)))
    await clock.waitForSleepers(2)
    clock.advance(by: .seconds(2))
    #expect(try await short.next() == .seconds(2))
    #expect(long.elements.isEmpty)
    clock.advance(by: .seconds(1))
    #expect(try await long.next() == .seconds(3))
    #expect(clock.sleeps.sorted() == [.seconds(1), .seconds(3)])
  }

  /// Returns a stream that yields the clock's time when a sleep ends.
  private func sleeper(_ duration: Duration) -> AsyncStream<Duration> {
    AsyncStream { [clock] continuation in
      Task {
        try? await clock.sleep(for: duration)
        continuation.yield(clock.now.offset)
      }
    }
  }

  @Test func `a sleeper that is cancelled wakes, also before it sleeps`() async throws {
    let clock = clock
    let task = Task { try await clock.sleep(for: .seconds(1)) }
    await clock.waitForSleepers()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    let gate = TestGate()
    let late = Task {
      await gate.pass()
      try await clock.sleep(for: .seconds(1))
    }
    late.cancel()
    await gate.open()
    await #expect(throws: CancellationError.self) { try await late.value }
  }

  @Test func `sleepers that nobody waits for go on, and say how long they would sleep`()
    async throws
  {
    let clock = ManualClock(skippingSleeps: true)
    try await clock.sleep(for: .seconds(5))
    try await clock.sleep(for: .seconds(7))
    #expect(clock.sleeps == [.seconds(5), .seconds(7)] && clock.now.offset == .seconds(12))
  }

  @Test func `the date moves with the clock, and can be set by itself`() {
    let start = Date(timeIntervalSinceReferenceDate: 1_000)
    let clock = ManualClock(start)
    clock.advance(by: .milliseconds(1_500))
    #expect(clock.date == start + 1.5)
    clock.date = start
    clock.advance(by: .seconds(1))
    #expect(clock.date == start + 1 && clock.now.offset == .milliseconds(2_500))
  }

  @Test func `a stack goes by it`() async throws {
    try await withTemporaryStack(Song.self, Artist.self, options: clock.stackOptions) { stack in
      let scratch = stack.makeScratch()
      scratch.insert(Song(id: 1))
      try scratch.markFresh(Song.all)
      try await scratch.save()
      #expect(try await !stack.isStale(Song.all, olderThan: .seconds(60)))
      clock.advance(by: .seconds(61))
      #expect(try await stack.isStale(Song.all, olderThan: .seconds(60)))
    }
  }
}
