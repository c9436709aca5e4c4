import Foundation
import Strata
import Synchronization

/// Notes the moment of every commit of a stack.
///
/// The writer resumes a consumer of the stack's changes in its own turn, right after COMMIT. The
/// consumer's task runs on an executor that notes the time and puts the job aside. So the watch
/// wakes no thread during a measurement.
final class CommitWatch: Sendable {
  private let executor = NotingExecutor()
  private let task: Task<Void, Never>

  init(_ stack: Stack) {
    let changes = stack.changes
    task = Task(executorPreference: executor) {
      for await _ in changes {}
    }
    executor.runJobs()
  }

  /// Returns the time from the last commit to an instant in microseconds, and watches for the next
  /// commit.
  func microseconds(to instant: ContinuousClock.Instant) -> Double {
    let commit = executor.lastNote
    executor.runJobs()
    return commit.map { $0.duration(to: instant) / .microseconds(1) } ?? .nan
  }
}

/// An executor that runs its jobs on demand, and knows the moment at which the last job came.
private final class NotingExecutor: TaskExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    var lastNote: ContinuousClock.Instant?
  }

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "strata-bench.commits")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let now = ContinuousClock.now
    state.withLock { state in
      state.jobs.append(job)
      state.lastNote = now
    }
  }

  var lastNote: ContinuousClock.Instant? { state.withLock { $0.lastNote } }

  /// Runs all jobs that were put aside, including the jobs that come meanwhile.
  func runJobs() {
    queue.sync {
      while let job = state.withLock({ $0.jobs.popLast() }) {
        job.runSynchronously(on: asUnownedTaskExecutor())
      }
    }
  }
}
