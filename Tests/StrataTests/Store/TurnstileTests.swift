import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn) struct TurnstileTests {
  private let turnstile = Turnstile()

  @Test func `a turnstile lets one task in at a time, in the order in which they came`()
    async throws
  {
    try await turnstile.enter()
    let order = Lock<[Int]>([])
    var tasks: [Task<Void, any Error>] = []
    for number in 1...3 {
      tasks.append(
        Task { [turnstile] in
          try await turnstile.enter()
          order.withLock { $0.append(number) }
          turnstile.leave()
        })
      #expect(await eventually { turnstile.waitingCount == number })
    }
    #expect(order.withLock(\.self).isEmpty)
    turnstile.leave()
    for task in tasks { try await task.value }
    #expect(order.withLock(\.self) == [1, 2, 3])
    try await turnstile.enter()
  }

  /// A second push, or a second save of one context, waits for the first. It stops waiting when its
  /// task is cancelled or its deadline passes.
  @Test func `a task that is cancelled or too late leaves the queue`() async throws {
    try await turnstile.enter()
    let cancelled = Task { [turnstile] in await failure { try await turnstile.enter() } }
    #expect(await eventually { turnstile.waitingCount == 1 })
    cancelled.cancel()
    #expect(await cancelled.value?.code == .cancelled)
    let late = await failure {
      try await withStoreDeadline(in: .milliseconds(1)) { try await turnstile.enter() }
    }
    #expect(late?.code == .deadlineExceeded)
    #expect(turnstile.waitingCount == 0)
    turnstile.leave()
    try await turnstile.enter()
  }
}
