import Foundation
import Strata
import Synchronization

/// Notes the moment of every commit of a stack.
///
/// A subscriber of the stack's changes is resumed in the writer's own turn, right after COMMIT. Its
/// task runs on an executor that notes the time and puts the job aside, so watching wakes no
/// thread while something is measured.
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

  /// The time from the last commit to an instant, in microseconds; then watches for the next one.
  func microseconds(to instant: ContinuousClock.Instant) -> Double {
    let commit = executor.lastNote
    executor.runJobs()
    return commit.map { $0.duration(to: instant) / .microseconds(1) } ?? .nan
  }
}

/// Runs its jobs only when told to, and knows when the last one came.
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

  /// Runs everything put aside, and what that puts aside.
  func runJobs() {
    queue.sync {
      while let job = state.withLock({ $0.jobs.popLast() }) {
        job.runSynchronously(on: asUnownedTaskExecutor())
      }
    }
  }
}
