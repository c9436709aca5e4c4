internal import Dispatch
internal import Synchronization

/// A FIFO serial executor over a private dispatch queue.
///
/// SQLite calls block. On a queue of their own they never occupy a thread of the cooperative pool,
/// which has only as many threads as there are cores. Jobs run strictly in the order in which they
/// were enqueued, whatever their priority.
package final class StoreExecutor: SerialExecutor {
  /// The runner of the jobs.
  private enum Runner: Sendable {
    case queue(DispatchQueue)
    /// The lane of an executor in a simulation.
    case lane(any JobLane)
  }

  private let runner: Runner
  /// The number of jobs that were enqueued and have not ended.
  private let pending = Atomic(0)

  /// Identifies the running queue: the queue of an executor, or the main queue.
  private static let current = {
    let key = DispatchSpecificKey<RunningQueue>()
    DispatchQueue.main.setSpecific(key: key, value: .main)
    return key
  }()

  private enum RunningQueue: Equatable {
    case main
    case executor(ObjectIdentifier)
  }

  #if canImport(Darwin)
    private static let qualityOfService = DispatchQoS.userInitiated
  #else
    /// Linux gives each class its own pool of threads. The pool of the main queue can go on with a
    /// job without a change of threads.
    private static let qualityOfService = DispatchQoS.unspecified
  #endif

  package init(_ label: String) {
    if let lane = JobLanes.make(label) {
      runner = .lane(lane)
      return
    }
    let queue = DispatchQueue(label: label, qos: Self.qualityOfService)
    runner = .queue(queue)
    queue.setSpecific(key: Self.current, value: .executor(ObjectIdentifier(self)))
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  /// Runs `work` after every job that was enqueued before it.
  package func async(_ work: @escaping @Sendable () -> Void) {
    pending.add(1, ordering: .relaxed)
    perform {
      work()
      self.pending.subtract(1, ordering: .relaxed)
    }
  }

  private func perform(_ work: @escaping @Sendable () -> Void) {
    switch runner {
    case .queue(let queue): queue.async(execute: work)
    case .lane(let lane): lane.enqueue(work)
    }
  }

  /// Runs `work` after every job that was enqueued before it, and passes the result to `then`.
  ///
  /// The executor counts as idle when `then` runs, unless more jobs are waiting.
  package func async<Made>(
    _ work: @escaping @Sendable () -> Made, then: @escaping @Sendable (Made) -> Void
  ) {
    pending.add(1, ordering: .relaxed)
    perform {
      let made = work()
      self.pending.subtract(1, ordering: .relaxed)
      then(made)
    }
  }

  /// Runs `work` after every job that was enqueued before it, and returns its result.
  package nonisolated(nonsending) func run<Made: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () throws(Failure) -> Made
  ) async throws(Failure) -> Made {
    let result: Result<Made, Failure> = await withUnsafeContinuation { continuation in
      self.async { continuation.resume(returning: Result(catching: work)) }
    }
    return try result.get()
  }

  /// Runs `work` on the calling thread if no job runs or waits here; returns nil if it refuses.
  ///
  /// It refuses if a job runs or waits, on the executor's own queue, and on the main queue, which
  /// never touches a store.
  ///
  /// Two changes of threads cost more than most reads and commits. `work` must be short, because
  /// the thread may belong to the cooperative pool.
  package func runIfIdle<R>(_ work: () -> R) -> R? {
    if case .lane(let lane) = runner { return lane.grantsTurn() ? syncIfIdle(work) : nil }
    let running = DispatchQueue.getSpecific(key: Self.current)
    guard running != .main,
      // A `deinit` that a job triggers may call in on this very queue, where `sync` would deadlock.
      running != .executor(ObjectIdentifier(self))
    else { return nil }
    return syncIfIdle(work)
  }

  /// Runs `work` on the calling thread; returns nil if a job runs or waits here.
  private func syncIfIdle<R>(_ work: () -> R) -> R? {
    guard pending.compareExchange(expected: 0, desired: 1, ordering: .relaxed).exchanged else {
      return nil
    }
    defer { pending.subtract(1, ordering: .relaxed) }
    // A job that is enqueued from here on runs after `work`, or before it while `sync` waits.
    return sync(work)
  }

  /// Runs `work` after every job that is enqueued when the delay has passed.
  package func async(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
    switch runner {
    case .queue(let queue):
      let microseconds = Int(delay / .microseconds(1))
      queue.asyncAfter(deadline: .now() + .microseconds(microseconds)) { self.async(work) }
    case .lane(let lane): lane.enqueue(after: delay) { self.async(work) }
    }
  }

  /// Runs `work` after every job that was enqueued before it, and waits: only for an idle executor.
  package func sync<R>(_ work: () -> R) -> R {
    switch runner {
    case .queue(let queue): queue.sync(execute: work)
    case .lane(let lane): lane.run(work)
    }
  }

  package func checkIsolated() {
    switch runner {
    case .queue(let queue): dispatchPrecondition(condition: .onQueue(queue))
    case .lane(let lane): precondition(lane.isRunning)
    }
  }
}
