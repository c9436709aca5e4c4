import Dispatch
import Foundation
import Strata
import StrataSimulation
import StrataTesting
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

@Suite(.enabled(if: Simulation.missingHook == nil, "the Swift runtime has the scheduler's hooks"))
struct SimulationTests {
  @MainActor private static func note(_ number: Int, in journal: Journal) async {
    await journal.note("main \(number)")
  }

  private func race(_ seed: UInt64) async throws -> (result: [String], history: Simulation.History)
  {
    try await Simulation.run(seed: seed) {
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
  }

  @Test func `a seed gives the same order again, and other seeds other orders`() async throws {
    var orders: Set<[String]> = []
    for seed in 1...20 as ClosedRange<UInt64> {
      let first = try await race(seed)
      let second = try await race(seed)
      #expect(first.result == second.result && first.history == second.history)
      orders.insert(first.result)
    }
    #expect(orders.count > 10)
  }

  @Test func `sleeping takes virtual time`() async throws {
    let slept = try await Simulation.run(seed: 1) {
      let start = ContinuousClock.now
      try await Task.sleep(for: .seconds(86_400))
      return ContinuousClock.now - start
    }
    #expect(slept.result >= .seconds(86_400))
    #expect(slept.history.steps < 100)
  }

  @Test func `a task that waits for ever is named`() async throws {
    await #expect {
      _ = try await Simulation.run(seed: 1) {
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
      }
    } throws: { ($0 as? Simulation.Failure)?.reason == "every task waits" }
  }

  @Test func `a task that another thread resumes is named`() async throws {
    await #expect {
      _ = try await Simulation.run(seed: 1) {
        let waiting = Lock<UnsafeContinuation<Void, Never>?>(nil)
        async let end: Void = withUnsafeContinuation { continuation in
          waiting.withLock { $0 = continuation }
        }
        while waiting.withLock({ $0 == nil }) { await Task.yield() }
        onAnotherThread { waiting.withLock { $0 }?.resume(returning: ()) }
        await end
      }
    } throws: {
      ($0 as? Simulation.Failure)?.reason == "task 2 was resumed by a thread that is not simulated"
    }
  }

  @Test func `jobs of other actors stay where they are`() async throws {
    let (own, other) = (Journal(), Journal())
    let outside = Lock<Task<Void, Never>?>(nil)
    _ = try await Simulation.run(seed: 1) {
      await own.note("simulated")
      onAnotherThread { outside.withLock { $0 = Task.immediate { await other.note("not") } } }
      await own.note("simulated")
    }
    await outside.withLock { $0 }?.value
    #expect(await own.lines == ["simulated", "simulated"])
    #expect(await other.lines == ["not"])
  }

  @Test func `jobs that do not end are given up`() async throws {
    await #expect {
      _ = try await Simulation.run(seed: 1, limit: 1000) { while true { await Task.yield() } }
    } throws: { ($0 as? Simulation.Failure)?.reason == "the jobs do not end" }
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
      }
      #expect(balance.result == 44)
    }
  }
}
