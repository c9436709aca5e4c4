import Strata
import StrataTesting
import StrataTestTurns
import Testing

@Suite(.inTurn, .stack(Song.self, Artist.self)) @MainActor struct RecorderTests {
  let stack = Stack.test
  /// The clock of all recorders. No wait ends before the test advances the clock.
  let clock = ManualClock()

  @Test func `elements come one by one, and all are kept`() async throws {
    let recorder = Recorder(stack.changes, clock: clock)
    for id in 1...3 { try await stack.withScratch { $0.insert(Song(id: id)) } }
    try await recorder.wait(for: "the third commit") { $0.last?.commit == 3 }
    let first = try await recorder.next()
    #expect(first.changes(of: Song.self).inserted.first?.id == 1)
    await stack.close()
    let all = try await recorder.end()
    #expect(all.last?.commit == 3)
  }

  @Test func `updates of a live query can be waited for`() async throws {
    let songs = stack.viewContext.live(Song.sorted(by: \.title))
    try await songs.waitUntilLoaded()
    let updates = Recorder(songs.updates, clock: clock)
    stack.viewContext.insert(Song(id: 1, title: "So What"))
    #expect(try await updates.next().insertions == [0])
    stack.viewContext.insert(Song(id: 2, title: "Blue in Green"))
    let update = try await updates.next()
    #expect(update.insertions == [0] && update.elements.count == 2)
  }

  @Test func `patience ends with what came instead`() async throws {
    let recorder = Recorder(stack.changes, within: .seconds(5), clock: clock)
    try await stack.withScratch { scratch in
      scratch.insert(Song(id: 1, title: "So What"))
      scratch.insert(Artist(id: 7))
    }
    _ = try await recorder.next()
    try await withKnownIssue {
      let waiting = Task { try await recorder.next() }
      await clock.waitForSleepers()
      clock.advance(by: .seconds(5))
      _ = try await waiting.value
    } matching: { issue in
      issue.comments.map(\.rawValue) == [
        """
        waited 5.0 seconds for one more element; 1 came:
          1. commit 1: Song 1 inserted; Artist 7 inserted
        """
      ]
    }
  }

  @Test func `a sequence that ends lets nobody wait`() async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    let recorder = Recorder(stream, clock: clock) { "number \($0)" }
    continuation.yield(3)
    continuation.finish()
    #expect(try await recorder.next() == 3)
    try await withKnownIssue {
      try await recorder.wait(for: "two numbers") { $0.count == 2 }
    } matching: { issue in
      issue.comments.map(\.rawValue) == [
        "waited for two numbers, and the sequence ended; 1 came:\n  1. number 3"
      ]
    }
  }

  private struct Broken: Error {}

  @Test func `the end of a sequence that fails is its error`() async throws {
    let stream = AsyncThrowingStream<Int, any Error> { $0.finish(throwing: Broken()) }
    let recorder = Recorder(stream, clock: clock)
    await #expect(throws: Broken.self) { try await recorder.end() }
  }

  @Test func `a test that is cancelled waits no longer`() async throws {
    let recorder = Recorder(stack.changes, clock: clock)
    try await withKnownIssue {
      let waiting = Task { try await recorder.next() }
      await clock.waitForSleepers()
      waiting.cancel()
      _ = try await waiting.value
    } matching: { issue in
      issue.comments.map(\.rawValue) == ["cancelled while waiting for one more element; 0 came"]
    }
  }

  // Two waiters for one more element must not take the same element.
  @Test func `each element is returned once, whoever waits`() async throws {
    for _ in 0..<100 {
      let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
      let recorder = Recorder(stream, clock: clock)
      let waiting = (0..<4).map { _ in Task { @concurrent in try await recorder.next() } }
      for number in 0..<4 {
        await Task.yield()
        continuation.yield(number)
      }
      var taken: [Int] = []
      for task in waiting { taken.append(try await task.value) }
      #expect(taken.sorted() == [0, 1, 2, 3])
    }
  }

  // Among a thousand tests, the tasks that yield the elements may get no turn in time.
  @Test func `an element that is about to come when the time is over still counts`() async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    let recorder = Recorder(stream, within: .seconds(5), clock: clock)
    let waiting = Task { try await recorder.next() }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(5))
    for _ in 0..<20 { await Task.yield() }
    continuation.yield(1)
    #expect(try await waiting.value == 1)
  }

  // A wait must not check its condition a second time, because the next element may have come
  // meanwhile.
  @Test func `a condition that has held is met`() async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    let recorder = Recorder(stream, clock: clock)
    let hasHeld = Lock(false)
    continuation.yield(1)
    let elements = try await recorder.wait(for: "one number") { elements in
      // The condition holds only for a moment, like a condition on the number of elements.
      hasHeld.withLock { hasHeld in
        defer { hasHeld = !elements.isEmpty }
        return !hasHeld && elements.count == 1
      }
    }
    #expect(elements == [1])
  }

  @Test func `letting go of a recorder ends its subscription`() async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    let gate = TestGate()
    continuation.onTermination = { _ in Task { await gate.pass() } }
    var recorder: Recorder<Int>? = Recorder(stream, clock: clock)
    continuation.yield(1)
    _ = try await recorder?.next()
    recorder = nil
    await gate.waitForArrivals()
  }
}
