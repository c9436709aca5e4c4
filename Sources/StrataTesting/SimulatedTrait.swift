internal import Strata
internal import StrataSimulation
public import Testing

/// A trait that runs a test under a simulated scheduler, once for each of some seeds.
///
/// ```swift
/// @Test(.simulated(seeds: 200), .stack(Song.self))
/// func `a song is played twice`() async throws { … }
/// ```
///
/// All jobs of the test run on one thread, in an order that the seed decides: the jobs of its tasks,
/// of its actors, of the main actor and of its stacks. A race that needs a rare order is found by a
/// seed, and the seed finds it again. The clocks show a virtual time, so a sleep takes no time.
///
/// The trait stops at the first seed with an issue, and adds the seed to the issue. Run that seed
/// alone with `.simulated(seed: 17)`.
///
/// The test must not wait for anything that another thread does: a dispatch queue, a timer of
/// Foundation, a `URLSession`. The issue then names the task that another thread resumed. A test
/// whose tasks wait for each other for ever has an issue, too. Traits that come after this trait run
/// once for each seed, so a stack's trait belongs behind it.
///
/// A test that waits for ever is cancelled. If it still waits, the process ends with the seed.
///
/// The trait needs hooks of the Swift runtime and Linux. Where they are missing, the test is
/// cancelled with the name of the missing hook.
///
/// - Complexity: a seed takes as long as the test does on one processor.
public struct SimulatedTrait: TestTrait, SuiteTrait, TestScoping {
  fileprivate let seeds: ClosedRange<UInt64>

  public var isRecursive: Bool { true }

  public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
    testCase == nil ? nil : self
  }

  public func provideScope(
    for test: Test, testCase: Test.Case?,
    performing body: @concurrent @Sendable () async throws -> Void
  ) async throws {
    if let hook = Simulation.missingHook {
      try Test.cancel("the Swift runtime lacks \(hook)")
    }
    for seed in seeds {
      let hasIssue = Lock(false)
      let noting = IssueHandlingTrait.compactMapIssues { issue in
        hasIssue.withLock { $0 = true }
        var issue = issue
        issue.comments.append("seed \(seed)")
        return issue
      }
      try await noting.provideScope(for: test, testCase: testCase) {
        try await withoutActuallyEscaping(body) { body in try await run(body, seed) }
      }
      if hasIssue.withLock({ $0 }) { return }
    }
  }
}

extension SimulatedTrait {
  private func run(
    _ body: @escaping @concurrent @Sendable () async throws -> Void, _ seed: UInt64
  ) async throws {
    do {
      _ = try await Simulation.run(seed: seed, body)
    } catch let failure as Simulation.Failure where failure.isStuck {
      // The test has not ended, so its closure must live on.
      fatalError("\(failure)")
    }
  }
}

extension Trait where Self == SimulatedTrait {
  /// Returns a trait that runs a test under a simulated scheduler with the seeds from 1 on.
  ///
  /// - Parameter seeds: the number of seeds, at least 1.
  public static func simulated(seeds: Int) -> Self { Self(seeds: 1...UInt64(max(1, seeds))) }

  /// Returns a trait that runs a test under a simulated scheduler with one seed.
  public static func simulated(seed: UInt64) -> Self { Self(seeds: seed...seed) }
}
