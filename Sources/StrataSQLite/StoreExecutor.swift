internal import Dispatch
internal import Synchronization

/// A FIFO serial executor over a private dispatch queue.
///
/// SQLite calls block. On a queue of their own they never occupy a thread of the cooperative
/// pool, which has only as many as there are cores. Jobs run strictly in the order in which they
/// were enqueued, whatever their priority.
package final class StoreExecutor: SerialExecutor {
  private let queue: DispatchQueue
  /// What was enqueued and has not ended.
  private let pending = Atomic(0)

  /// How often somebody asked to run something at once.
  private let turns = Atomic(0)

  /// Says which queue runs: that of an executor, or the main queue.
  private static let current = {
    let key = DispatchSpecificKey<Place>()
    DispatchQueue.main.setSpecific(key: key, value: .main)
    return key
  }()

  private enum Place: Equatable {
    case main
    case executor(ObjectIdentifier)
  }

  package init(_ label: String) {
    queue = DispatchQueue(label: label, qos: .userInitiated)
    queue.setSpecific(key: Self.current, value: .executor(ObjectIdentifier(self)))
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  /// Runs `work` after everything enqueued before it.
  package func async(_ work: @escaping @Sendable () -> Void) {
    pending.add(1, ordering: .relaxed)
    queue.async {
      work()
      self.pending.subtract(1, ordering: .relaxed)
    }
  }

  /// Runs `work` after everything enqueued before it, and tells `then` what it made: whoever hears
  /// of it finds the executor idle, unless more is waiting.
  package func async<Made>(
    _ work: @escaping @Sendable () -> Made, then: @escaping @Sendable (Made) -> Void
  ) {
    pending.add(1, ordering: .relaxed)
    queue.async {
      let made = work()
      self.pending.subtract(1, ordering: .relaxed)
      then(made)
    }
  }

  /// Of so many times in a row that somebody asks, work runs on the threads that ask in all but
  /// one.
  private static let turnLimit = 32

  /// Runs `work` on the calling thread if nothing runs here or waits; nil if something does, every
  /// now and then, on the executor's own queue, and on the main queue, which never touches a store.
  ///
  /// Two changes of threads cost more than most reads and commits. Only for short work: the thread
  /// may be one of the cooperative pool. A task that reads in a loop has to suspend in some of the
  /// turns, or nobody else ever has its thread.
  package func runIfIdle<R>(_ work: () -> R) -> R? {
    let place = DispatchQueue.getSpecific(key: Self.current)
    guard place != .main,
      // What a job lets go of may go away behind it, and ask from here.
      place != .executor(ObjectIdentifier(self)),
      turns.add(1, ordering: .relaxed).newValue % Self.turnLimit != 0
    else { return nil }
    return syncIfIdle(work)
  }

  /// Runs `work` on the calling thread; nil if something runs here or waits.
  package func syncIfIdle<R>(_ work: () -> R) -> R? {
    guard pending.compareExchange(expected: 0, desired: 1, ordering: .relaxed).exchanged else {
      return nil
    }
    defer { pending.subtract(1, ordering: .relaxed) }
    // Whoever enqueues from now on comes after this, or is so early that this waits for it.
    return queue.sync(execute: work)
  }

  /// Runs `work` after everything that is enqueued when the delay has passed.
  package func async(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
    let milliseconds = Int(delay / .milliseconds(1))
    queue.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { self.async(work) }
  }

  /// Runs `work` after everything enqueued before it and waits: only for an idle executor.
  package func sync<R>(_ work: () throws -> R) rethrows -> R {
    try queue.sync(execute: work)
  }

  package func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
