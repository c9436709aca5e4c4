import Dispatch
import Foundation
import Strata
import StrataSQLite
import StrataSimulation
import StrataTesting
import StrataTestTurns
import Testing

private struct Account: Entity, Equatable {
  var id = 0
  var balance = 0

  static let schema = Schema<Account>("accounts", key: \.id) { Attribute(\.balance).indexed() }
}

/// The order in which tasks of different kinds ran.
private actor Journal {
  private(set) var lines: [String] = []
  func note(_ line: String) { lines.append(line) }
}

/// Runs work on a thread that is not simulated, and waits for its end.
private func onAnotherThread(_ work: @escaping @Sendable () -> Void) {
  let isDone = DispatchSemaphore(value: 0)
  Thread.detachNewThread {
    work()
    isDone.signal()
  }
  isDone.wait()
}

@Suite(.inTurn, .disabled(if: Simulation.obstacle != nil, "\(Simulation.obstacle ?? "")"))
struct SimulationTests {
  @MainActor private static func note(_ number: Int, in journal: Journal) async {
    await journal.note("main \(number)")
  }

  private func race(
    _ seed: UInt64
  ) async throws -> (lines: [String], history: Simulation.History) {
    let (result, history) = await Simulation.run(seed: seed) {
      let journal = Journal()
      await withTaskGroup { group in
        for number in 0..<4 {
          group.addTask {
            for step in 0..<3 {
              await journal.note("\(number)\(step)")
              await Task.yield()
            }
          }
          group.addTask { await Self.note(number, in: journal) }
        }
      }
      return await journal.lines
    }
    return (try result.get(), history)
  }

  /// Runs a history that is given up.
  private func failure<R: Sendable>(
    limit: Int = 10_000_000, patience: Duration = .zero,
    _ body: @escaping @concurrent @Sendable () async throws -> R
  ) async throws -> Simulation.Failure {
    let result = await Simulation.run(seed: 1, limit: limit, patience: patience, body).result
    return try #require(throws: Simulation.Failure.self) { try result.get() }
  }

  @Test func `a seed gives the same order again, and other seeds other orders`() async throws {
    var orders: Set<[String]> = []
    for seed in 1...20 as ClosedRange<UInt64> {
      let first = try await race(seed)
      let second = try await race(seed)
      #expect(first.lines == second.lines && first.history == second.history)
      orders.insert(first.lines)
    }
    #expect(orders.count > 10)
  }

  @Test func `sleeping takes virtual time`() async throws {
    let slept = await Simulation.run(seed: 1) {
      let start = ContinuousClock.now
      try await Task.sleep(for: .seconds(86_400))
      return ContinuousClock.now - start
    }
    #expect(try slept.result.get() >= .seconds(86_400))
    #expect(slept.history.steps < 100)
  }

  @Test func `the clocks of Foundation, C and SQLite show 2026`() async throws {
    let (result, _) = await Simulation.run(seed: 1) {
      let stack = try await Stack.temporary(Account.self)
      try await stack.withScratch { $0.insert(Account(id: 1)) }
      let texts = try await stack.read("SELECT datetime('now') FROM accounts", as: String.self)
      await stack.close()
      let dates = [Date.now, Date(timeIntervalSince1970: TimeInterval(time(nil)))]
      return texts + dates.map { $0.ISO8601Format() }
    }
    let times = try result.get()
    #expect(times.count == 3 && times.allSatisfy { $0.hasPrefix("2026-01-01") }, "\(times)")
  }

  @Test func `a task that repeats after the end of the body is a failure`() async throws {
    let failure = try await failure(limit: 1_000) {
      Task { while true { try? await Task.sleep(for: .seconds(1)) } }
    }
    #expect(failure.description == "tasks go on without end after the body has returned")
    #expect(!failure.isStuck)
  }

  @Test func `an error of the body is the result`() async throws {
    let result = await Simulation.run(seed: 1) { throw CancellationError() }.result
    #expect(throws: CancellationError.self) { try result.get() }
  }

  @Test func `a body that waits for ever is stuck`() async throws {
    let failure = try await failure {
      await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }
    #expect(failure.description == "every task waits")
    #expect(failure.isStuck)
  }

  @Test func `a sleep of a hundred years waits for ever, and can be cancelled`() async throws {
    let failure = try await failure { try await Task.sleep(for: .seconds(100 * 365 * 86_400)) }
    #expect(failure.description == "every task waits")
    #expect(!failure.isStuck)
  }

  /// Runs a history in which a second task waits for good, until another thread resumes it.
  private func failure(
    patience: Duration = .zero,
    resumedBy resume: @escaping @Sendable (UnsafeContinuation<Void, Never>) -> Void
  ) async throws -> Simulation.Failure {
    try await failure(patience: patience) {
      let waiting = Lock<UnsafeContinuation<Void, Never>?>(nil)
      async let end: Void = withUnsafeContinuation { continuation in
        waiting.withLock { $0 = continuation }
      }
      // A resumption before the task waits would enqueue no job.
      while waiting.withLock({ $0 == nil }) { await Task.yield() }
      if let continuation = waiting.withLock({ $0 }) { resume(continuation) }
      await end
    }
  }

  @Test func `a task that another thread resumes is named`() async throws {
    let failure = try await failure { continuation in
      onAnotherThread { continuation.resume() }
    }
    #expect(failure.description == "task 2 was resumed by a thread that is not simulated")
    #expect(!failure.isStuck)
  }

  @Test func `another thread may take its time to resume a task`() async throws {
    let failure = try await failure(patience: .seconds(60)) { continuation in
      DispatchQueue.global().async { continuation.resume() }
    }
    #expect(failure.description == "task 2 was resumed by a thread that is not simulated")
    #expect(!failure.isStuck)
  }

  @Test func `a caller that is cancelled cancels the body`() async throws {
    let history = Task {
      await Simulation.run(seed: 1) {
        while !Task.isCancelled { await Task.yield() }
        return "cancelled"
      }
    }
    history.cancel()
    #expect(try await history.value.result.get() == "cancelled")
  }

  @Test func `histories that run at once are the same as alone`() async throws {
    let alone = (try await race(1), try await race(2))
    async let first = race(1)
    async let second = race(2)
    let both = (try await first, try await second)
    #expect(alone.0.lines == both.0.lines && alone.0.history == both.0.history)
    #expect(alone.1.lines == both.1.lines && alone.1.history == both.1.history)
  }

  @Test func `a task that outlives its history stays where it is`() async throws {
    let waiting = Lock<UnsafeContinuation<Void, Never>?>(nil)
    let isResumed = Lock(false)
    _ = try await Simulation.run(seed: 1) {
      Task { @MainActor in
        await withUnsafeContinuation { continuation in waiting.withLock { $0 = continuation } }
        isResumed.withLock { $0 = true }
      }
      while waiting.withLock({ $0 == nil }) { await Task.yield() }
    }.result.get()
    waiting.withLock { $0 }?.resume()
    await MainActor.run {}
    #expect(isResumed.withLock { !$0 })
  }

  @Test func `jobs of other actors stay where they are`() async throws {
    let (own, other) = (Journal(), Journal())
    let outside = Lock<Task<Void, Never>?>(nil)
    _ = try await Simulation.run(seed: 1) {
      await own.note("simulated")
      onAnotherThread { outside.withLock { $0 = Task.immediate { await other.note("not") } } }
      await own.note("simulated")
    }.result.get()
    await outside.withLock { $0 }?.value
    #expect(await own.lines == ["simulated", "simulated"])
    #expect(await other.lines == ["not"])
  }

  @Test func `jobs that do not end are given up`() async throws {
    let failure = try await failure(limit: 1000) { while true { await Task.yield() } }
    #expect(failure.description == "the jobs do not end")
    #expect(failure.isStuck)
  }

  @Test func `a stack and its contexts run in a world`() async throws {
    for seed in 1...10 as ClosedRange<UInt64> {
      let balance = try await Simulation.run(seed: seed) {
        try await withTemporaryStack(Account.self) { stack in
          try await stack.withScratch { scratch in
            for id in 0..<4 { scratch.insert(Account(id: id, balance: 10)) }
          }
          try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
              group.addTask {
                try await stack.withScratch { scratch in
                  guard let account = try await scratch.find(Account.self, worker) else { return }
                  scratch.update(account) { $0.balance += 1 }
                }
              }
            }
            try await group.waitForAll()
          }
          return try await stack.fetch(Account.all).map(\.balance).reduce(0, +)
        }
      }.result.get()
      #expect(balance == 44)
    }
  }

  @Test func `executors belong to the process for which they are made`() async throws {
    let processes = Lock<[Int?]>([])
    try await Simulation.run(seed: 1) {
      let first = Simulation.$process.withValue(7) { StoreExecutor("first") }
      await withUnsafeContinuation { continuation in
        first.async {
          processes.withLock { $0.append(Simulation.runningProcess) }
          // Made by work of the process.
          StoreExecutor("second").async {
            processes.withLock { $0.append(Simulation.runningProcess) }
            continuation.resume()
          }
        }
      }
      processes.withLock { $0.append(Simulation.runningProcess) }
    }.result.get()
    #expect(processes.withLock { $0 } == [7, 7, nil])
  }
}
