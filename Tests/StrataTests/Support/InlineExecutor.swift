@testable import Strata

/// An executor that runs its jobs at once, where they are enqueued, and counts them.
final class InlineExecutor: SerialExecutor {
  let begun = Lock(0)
  let ended = Lock(0)
  let ends = AsyncStream<Void>.makeStream()

  func enqueue(_ job: consuming ExecutorJob) {
    // The job may be the last of the actor, which owns this executor.
    let (ended, ends) = (ended, ends)
    begun.withLock { $0 += 1 }
    UnownedJob(job).runSynchronously(on: asUnownedSerialExecutor())
    ended.withLock { $0 += 1 }
    ends.continuation.yield()
  }
}
