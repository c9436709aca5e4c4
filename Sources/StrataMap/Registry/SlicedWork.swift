internal import Strata

/// Work that takes too long for one turn of the main actor, done in order, in slices.
///
/// A slice runs at least one step, and ends with the first step after its budget.
@MainActor package final class SlicedWork {
  /// A part of a job; returns whether the job has more to do.
  package typealias Step = @MainActor () -> Bool

  private var jobs: [Step] = []
  private var isScheduled = false
  private let budget: Duration
  private let elapsed: @MainActor () -> Duration
  private let later: AnnotationDrain.Later
  private let waiters = Waiters()

  package init(
    budget: Duration = .milliseconds(2), clock: some Clock<Duration> = ContinuousClock(),
    later: @escaping AnnotationDrain.Later = { turn in Task { turn() } }
  ) {
    self.budget = budget
    self.later = later
    let start = clock.now
    elapsed = { start.duration(to: clock.now) }
  }

  /// Runs a job after all jobs that were added before, in later turns.
  package func add(_ step: @escaping Step) {
    jobs.append(step)
    schedule()
  }

  /// Drops every job.
  package func end() {
    jobs = []
    waiters.resumeAll()
  }

  package var isIdle: Bool { jobs.isEmpty }

  /// Waits until all jobs are done, or the task is cancelled.
  package func settle() async {
    await waiters.waitUntilCancelled { !jobs.isEmpty }
  }

  private func schedule() {
    guard !isScheduled && !jobs.isEmpty else { return }
    isScheduled = true
    later { [weak self] in self?.runSlice() }
  }

  private func runSlice() {
    isScheduled = false
    let deadline = elapsed() + budget
    repeat {
      guard let step = jobs.first else { break }
      // A step may call `end()`, which drops every job.
      if !step(), !jobs.isEmpty { jobs.removeFirst() }
    } while elapsed() < deadline
    if jobs.isEmpty { waiters.resumeAll() }
    schedule()
  }
}
