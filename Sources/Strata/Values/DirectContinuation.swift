/// A continuation that resumes its task directly on the task's actor.
///
/// The standard library's continuations resume a task on the concurrent pool, and the task goes to
/// its actor from there: two changes of threads. Here the waiting task is a job of an executor of its
/// own, which keeps the job until there is a value. The job then runs where `resume` was called, for
/// a few instructions: it takes the value, and the task goes on to its actor.
package final actor DirectContinuation<Value: Sendable>: SerialExecutor {
  private enum State: Sendable {
    /// There is no value. The job is nil until the task waits.
    case waiting(UnownedJob?)
    case resumed(Value)
  }

  private nonisolated let state = Lock<State>(.waiting(nil))

  package nonisolated var unownedExecutor: UnownedSerialExecutor { asUnownedSerialExecutor() }

  package init() {}

  /// The value; waits until there is one. Only one task may wait, once.
  package var value: Value {
    guard case .resumed(let value) = state.withLock(\.self) else {
      fatalError("a task went on before it was resumed")
    }
    return value
  }

  /// Gives the value; called once, and never under a lock.
  package nonisolated func resume(returning value: Value) {
    let job = state.withLock { state in
      guard case .waiting(let job) = state else { fatalError("a task was resumed twice") }
      state = .resumed(value)
      return job
    }
    if let job { run(job) }
  }

  package nonisolated func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isResumed = state.withLock { state in
      if case .resumed = state { return true }
      state = .waiting(job)
      return false
    }
    if isResumed { run(job) }
  }

  private nonisolated func run(_ job: UnownedJob) {
    job.runSynchronously(on: asUnownedSerialExecutor())
  }
}

extension DirectContinuation<Void> {
  package nonisolated func resume() { resume(returning: ()) }
}
