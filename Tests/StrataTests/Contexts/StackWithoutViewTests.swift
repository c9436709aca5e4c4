import Dispatch
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// A stack for servers and tools, which never waits for the main actor.
@Suite(.inTurn) struct StackWithoutViewTests {
  private static var options: Stack.Options {
    var options = Stack.Options()
    options.hasViewContext = false
    return options
  }

  /// Runs `body` while the main thread is blocked.
  @MainActor private func whileBlocked(
    _ body: @escaping @Sendable () async throws -> Void
  ) throws {
    let done = DispatchSemaphore(value: 0)
    let failure = Lock<(any Error)?>(nil)
    Task { @concurrent in
      do { try await body() } catch { failure.withLock { $0 = error } }
      done.signal()
    }
    #expect(done.wait(timeout: .now() + 300) == .success, "it waits for the main actor")
    if let error = failure.withLock(\.self) { throw error }
  }

  @MainActor @Test func `a stack works while the main thread is blocked`() throws {
    try whileBlocked {
      let stack = try await Stack.temporary(Boat.self, Harbour.self, options: Self.options)
      var changes = stack.changes.makeAsyncIterator()
      try await stack.withScratch { $0.insert(Boat(id: 1, name: "Gull")) }
      #expect(await changes.next()?.commit == 1)
      #expect(try await stack.fetch(Boat.all).map(\.name) == ["Gull"])
      await stack.suspend()
      try await stack.resume()
      #expect(try await stack.evict(Eviction<Boat>.beyond(newest: 0, by: \.id)).evicted == 1)
      #expect(try await stack.diagnostics().commit == 2)
      await stack.close()
    }
  }

  @MainActor @Test func `a save need not wait for the view`() async throws {
    let stack = try await Stack.temporary(Boat.self, Harbour.self)
    try whileBlocked {
      try await stack.withScratch(waitsForViewContext: false) {
        $0.insert(Boat(id: 1, name: "Gull"))
      }
    }
    try await stack.viewContext.waitUntilMerged(stack.store.newestCommit)
    #expect(try await stack.viewContext.fetch(Boat.all).count == 1)
    await stack.close()
  }

  @Test func `the log is written back`() async throws {
    var options = Self.options
    options.logLimit = 256 * 1024
    let stack = try await Stack.temporary(Boat.self, Harbour.self, options: options)
    for number in 0..<1_500 {
      try await stack.withScratch { scratch in
        for id in 0..<5 {
          scratch.upsert(Boat(id: (number * 7 + id * 31) % 500, name: "\(number)", length: number))
        }
      }
    }
    // Without the rule, the log would grow to about sixty times the limit.
    #expect(try await stack.diagnostics().file.logSize < 8 * options.logLimit)
    await stack.close()
  }

  @Test func `many tasks count with retries`() async throws {
    let stack = try await Stack.temporary(Boat.self, Harbour.self, options: Self.options)
    try await stack.withScratch { $0.insert(Boat(id: 1, name: "Gull")) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 1...20 {
        group.addTask {
          for step in 0..<10 {
            // A save conflicts only with a save that succeeded, of which there are at most 190.
            try await stack.withScratch(retries: 190) { scratch in
              let boat = try #require(try await scratch.find(Boat.self, 1))
              scratch.update(boat) {
                $0.length += 1
                // Edits that agree on a value do not conflict: no two agree on this one.
                $0.name = "\(task).\(step)"
              }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let lengths = try await stack.fetch(Boat.all).map(\.length)
    #expect(lengths == [200])
    await stack.close()
  }

  @Test func `a conflict without a retry left is thrown`() async throws {
    let stack = try await Stack.temporary(Boat.self, Harbour.self, options: Self.options)
    try await stack.withScratch { $0.insert(Boat(id: 1, name: "Gull")) }
    var runs = 0
    let error = await failure {
      try await stack.withScratch(retries: 2) { scratch in
        runs += 1
        let boat = try #require(try await scratch.find(Boat.self, 1))
        try await stack.withScratch { $0.update(boat) { $0.length += 1 } }
        scratch.update(boat) { $0.length = 50 }
      }
    }
    #expect(error?.code == .conflict && runs == 3)
    try await stack.withScratch(.overwrite) { scratch in
      scratch.update(Boat(id: 1, name: "Gull")) { $0.length = 7 }
    }
    #expect(try await stack.fetch(Boat.all).map(\.length) == [7])
    await stack.close()
  }
}
