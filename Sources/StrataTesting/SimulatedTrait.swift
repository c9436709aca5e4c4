#if compiler(>=6.3)
  internal import Strata
  internal import StrataSimulation
  public import Testing

  /// A trait that runs a test under a simulated scheduler, once for each of some seeds.
  ///
  /// ```swift
  /// @Test(.stack(Song.self), .simulated(seeds: 200))
  /// func `a song is played twice`() async throws { … }
  /// ```
  ///
  /// All jobs of the test run on one thread, in an order that the seed decides: the jobs of its tasks,
  /// of its actors, of the main actor and of its stacks. A race that needs a rare order is found by a
  /// seed, and the seed finds it again. The clocks show a virtual time, which begins with the year 2026
  /// and stands still within a job. A sleep takes no time.
  ///
  /// The trait stops at the first seed with an issue, and adds the seed to the issue. Run that seed
  /// alone with `.simulated(onlySeed: 17)`. If a test has the trait several times, the last
  /// one counts, and the trait of a test counts more than that of its suite. A test with a
  /// ``StackTrait`` has a stack of its own for each seed. Other traits that come after this trait run
  /// once for each seed.
  ///
  /// A test fails with its seed if its tasks wait for each other for ever, if another thread resumes
  /// one of its tasks, or after ten million jobs. Other threads are those of dispatch queues, of timers
  /// of Foundation and of a `URLSession`. The test is cancelled then. If it still does not end, the
  /// process ends with the seed. A process that a trap ends prints the seed to standard error.
  ///
  /// These are the limits:
  ///
  /// - Code of the main actor runs on the simulated thread. Simulated tests run one at a time, so they
  ///   share global state of the main actor in safety. Tests without the trait run beside them on the
  ///   real main actor, so they must not share such state with simulated tests.
  /// - In a `Task` outside of the main actor, a call of an actor that is idle runs at once. So no
  ///   seed finds a race of such calls. Start them with `async let` or in a task group.
  /// - A sleep with a tolerance never ends. A job that blocks its thread blocks the test, without a
  ///   seed.
  /// - A test ends when all of its tasks have ended or wait for nothing that happens. A task that
  ///   repeats without end fails the test, even if the test has returned: cancel it.
  /// - If another thread or a later seed resumes a task that still waits when its test has returned,
  ///   the task goes on there. So no such task may wait for a static stream or a notification.
  /// - A seed does not decide random numbers, such as those of `UUID()`, of `Double.random` and of the
  ///   jitter of a `RetryPolicy`. It does not reset global state either.
  /// - A time limit of a test includes the other simulated tests that it waits for.
  ///
  /// The trait needs Swift 6.3, Linux and hooks of the Swift runtime. Where the hooks are missing, and
  /// under ThreadSanitizer, the test is cancelled with the reason.
  ///
  /// - Complexity: a seed takes as long as the test does on one processor.
  public struct SimulatedTrait: TestTrait, SuiteTrait, TestScoping {
    /// The seeds in their order; nil if their number is not positive.
    fileprivate let seeds: ClosedRange<UInt64>?

    public var isRecursive: Bool { true }

    public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
      testCase == nil ? nil : self
    }

    public func provideScope(
      for test: Test, testCase: Test.Case?,
      performing body: @concurrent @Sendable () async throws -> Void
    ) async throws {
      let last = test.traits.lastIndex { $0 is Self }
      if let last, (test.traits[last] as? Self)?.seeds != seeds || Simulation.isRunning {
        return try await body()
      }
      guard let seeds else {
        Issue.record("the number of seeds is not positive", sourceLocation: test.sourceLocation)
        return
      }
      if let obstacle = Simulation.obstacle { try Test.cancel("\(obstacle)") }
      // Each simulation has a main actor of its own, and two of them must not run at once.
      do { try await Self.turnstile.enter() } catch {
        try Task.checkCancellation()
        throw error
      }
      defer { Self.turnstile.leave() }
      let stacks = test.traits[..<(last ?? 0)].compactMap { $0 as? StackTrait }
      for seed in seeds {
        try Task.checkCancellation()
        let hasFailed = Lock(false)
        let noting = IssueHandlingTrait.compactMapIssues { issue in
          // Swift Testing also passes issues of other tests' threads.
          guard Simulation.isRunning || Test.current?.id == test.id else { return issue }
          if issue.isFailure { hasFailed.withLock { $0 = true } }
          var issue = issue
          issue.comments.append("seed \(seed)")
          return issue
        }
        SeedsUnderWay.begin(seed)
        defer { SeedsUnderWay.begin(0) }
        try await noting.provideScope(for: test, testCase: testCase) {
          try await withoutActuallyEscaping(body) { body in
            try await run(seed, test.sourceLocation) { try await Self.within(stacks[...], body) }
          }
        }
        if hasFailed.withLock({ $0 }) { return }
      }
    }

    private static let turnstile = Turnstile()

    /// Whether a test is simulated.
    static func applies(to test: Test) -> Bool { test.traits.contains { $0 is Self } }
  }

  extension SimulatedTrait {
    /// Runs a seed. Its error becomes an issue, because the seed is added to issues alone.
    private func run(
      _ seed: UInt64, _ location: SourceLocation,
      _ body: @escaping @concurrent @Sendable () async throws -> Void
    ) async throws {
      let (result, history) = await Simulation.run(seed: seed, patience: .seconds(1), body)
      if Task.isCancelled {
        Issue.record("the test was cancelled", severity: .warning, sourceLocation: location)
      }
      guard case .failure(let error) = result else { return }
      if let failure = error as? Simulation.Failure {
        let text =
          "\(failure) after \(history.steps) jobs; the last were "
          + history.lastChoices.joined(separator: ", ")
        // The test has not ended, so its closure must live on.
        if failure.isStuck { fatalError("seed \(seed): \(text)") }
        Issue.record("\(text)", sourceLocation: location)
      } else if error is ExpectationFailedError || Task.isCancelled {
        throw error
      } else {
        Issue.record(error, sourceLocation: location)
      }
    }

    /// Runs `body` within the scopes of the traits for stacks that come before the simulation.
    private static func within(
      _ stacks: ArraySlice<StackTrait>, _ body: @concurrent @Sendable () async throws -> Void
    ) async throws {
      guard let first = stacks.first else { return try await body() }
      try await first.withStack { try await within(stacks.dropFirst(), body) }
    }
  }

  extension Trait where Self == SimulatedTrait {
    /// Returns a trait that runs a test under a simulated scheduler with the seeds from 1 on.
    ///
    /// - Parameter seeds: the number of seeds. The test fails if it is less than 1.
    public static func simulated(seeds: Int) -> Self {
      Self(seeds: seeds < 1 ? nil : 1...UInt64(seeds))
    }

    /// Returns a trait that runs a test under a simulated scheduler with one seed.
    public static func simulated(onlySeed seed: UInt64) -> Self { Self(seeds: seed...seed) }
  }
#endif
