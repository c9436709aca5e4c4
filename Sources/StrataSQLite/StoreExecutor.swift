internal import Dispatch

/// A FIFO serial executor over a private dispatch queue.
///
/// SQLite calls block. On a queue of their own they never occupy a thread of the cooperative
/// pool, which has only as many as there are cores. Jobs run strictly in the order in which they
/// were enqueued, whatever their priority.
package final class StoreExecutor: SerialExecutor {
  private let queue: DispatchQueue

  package init(_ label: String) {
    queue = DispatchQueue(label: label, qos: .userInitiated)
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  /// Runs `work` after everything enqueued before it.
  package func async(_ work: @escaping @Sendable () -> Void) {
    queue.async(execute: work)
  }

  /// Runs `work` after everything that is enqueued when the delay has passed.
  package func async(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
    let milliseconds = Int(delay / .milliseconds(1))
    queue.asyncAfter(deadline: .now() + .milliseconds(milliseconds), execute: work)
  }

  /// Runs `work` after everything enqueued before it and waits: only for an idle executor.
  package func sync<R>(_ work: () throws -> R) rethrows -> R {
    try queue.sync(execute: work)
  }

  package func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
