internal import CStrataSimulation
internal import Strata

/// One history: a thread that runs every job of its tasks, of its main actor and of its executors.
///
/// new ─run→ running ─no job and no timer is left→ over
/// running ─a job comes from another thread, or the jobs do not end→ over
final class World: Sendable {
  /// How a history ended.
  enum End: Sendable {
    /// No job and no timer is left.
    case rest
    /// A thread that is not simulated enqueued a job of the world.
    case foreign(String)
    /// More jobs ran than the limit.
    case restless
  }

  private struct State: Sendable {
    var scheduler: Scheduler
    var polls: [@Sendable () -> Bool] = []
    /// The lane whose job runs; nil for a job of no serial executor.
    var running: Scheduler.LaneID?
    var hasBegun = false
    /// The numbers of the world's tasks as they appear, by the runtime's identifier.
    var tasks: [UInt64: Int] = [:]
    /// The first job that a thread enqueued which is not simulated.
    var foreign: String?

    mutating func noteForeign(_ job: String) { foreign = foreign ?? job }

    /// Returns the number of a job's task; 0 for an actor.
    mutating func number(of job: UnownedJob) -> Int {
      guard let id = job.taskID else { return 0 }
      if let number = tasks[id] { return number }
      tasks[id] = tasks.count + 1
      return tasks.count
    }
  }

  private let seed: UInt64
  private let state: Lock<State>
  /// The number of jobs after which the history is given up.
  private let limit: Int

  init(seed: UInt64, limit: Int) {
    self.seed = seed
    state = Lock(State(scheduler: Scheduler(seed: seed)))
    self.limit = limit
  }

  /// The worlds that run now.
  private static let all = Lock<[World]>([])

  /// The world of the calling thread; nil on a thread that is not simulated.
  static var current: World? {
    strata_world().map { Unmanaged<World>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Notes a job in the world of its task; returns false if no world has the task.
  static func noteForeign(_ job: UnownedJob) -> Bool {
    let worlds = all.withLock { $0 }
    return worlds.contains { $0.noteForeign(job) }
  }

  private func noteForeign(_ job: UnownedJob) -> Bool {
    state.withLock { state in
      guard let id = job.taskID, let task = state.tasks[id] else { return false }
      state.noteForeign(Scheduler.Job.name(task))
      return true
    }
  }

  // MARK: - Running

  /// Runs jobs on the calling thread until none is left.
  ///
  /// - Parameter atRest: called when no job is left for the first time; it may start new jobs.
  func run(atRest: () -> Void) -> End {
    state.withLock { $0.hasBegun = true }
    Self.all.withLock { $0.append(self) }
    strata_enter(Unmanaged.passUnretained(self).toOpaque())
    defer {
      strata_enter(nil)
      Self.all.withLock { $0.removeAll { $0 === self } }
    }
    var hasRested = false
    while true {
      poll()
      switch next() {
      case .job(let job, let lane, let time):
        strata_set_time(time)
        job.run(on: lane)
      case .end(let end): return end
      case .none where hasRested: return .rest
      case .none:
        hasRested = true
        atRest()
      }
    }
  }

  private enum Step {
    case job(Scheduler.Job, Scheduler.LaneID?, time: Int64)
    case end(End)
    case none
  }

  private func next() -> Step {
    state.withLock { state in
      if let foreign = state.foreign { return .end(.foreign(foreign)) }
      if state.scheduler.steps >= limit { return .end(.restless) }
      guard let (job, lane) = state.scheduler.next() else { return .none }
      state.running = lane
      return .job(job, lane, time: state.scheduler.now)
    }
  }

  /// Calls the polls now and then, and always before the world would rest.
  private func poll() {
    let bodies = state.withLock { state in
      if state.polls.isEmpty || state.scheduler.isReady && !state.scheduler.happens(onceIn: 16) {
        return [@Sendable () -> Bool]()
      }
      defer { state.polls = [] }
      return state.polls
    }
    if bodies.isEmpty { return }
    let left = bodies.filter { $0() }
    state.withLock { $0.polls += left }
  }

  /// The history so far.
  var history: Simulation.History {
    state.withLock { state in
      let scheduler = state.scheduler
      return Simulation.History(
        seed: seed, steps: scheduler.steps, hash: scheduler.hash,
        lastChoices: scheduler.lastChoices)
    }
  }

  // MARK: - Jobs

  /// Takes a part of a task.
  ///
  /// - Parameters:
  ///   - lane: the lane of the task's executor; nil for no serial executor.
  ///   - delay: the time in nanoseconds until the job may run.
  func enqueue(_ job: UnownedJob, on lane: Scheduler.LaneID?, after delay: Int64 = 0) {
    let isOwn = World.current === self
    state.withLock { state in
      let number = state.number(of: job)
      if state.hasBegun && !isOwn { return state.noteForeign(Scheduler.Job.name(number)) }
      state.scheduler.enqueue(.task(job, number), on: lane, after: delay)
    }
  }

  /// Takes work of a lane, or of no serial executor.
  func enqueue(
    _ work: @escaping @Sendable () -> Void, on lane: Scheduler.LaneID?, after delay: Int64 = 0
  ) {
    let isOwn = World.current === self
    state.withLock { state in
      if !isOwn { return state.noteForeign("work of \(state.scheduler.name(of: lane))") }
      state.scheduler.enqueue(.work(work), on: lane, after: delay)
    }
  }

  // MARK: - Lanes

  func makeLane(_ label: String) -> SimulatedLane {
    SimulatedLane(self, state.withLock { $0.scheduler.addLane(label) })
  }

  /// Calls a function between jobs, until it returns false.
  func poll(_ body: @escaping @Sendable () -> Bool) { state.withLock { $0.polls.append(body) } }

  /// Whether an idle lane runs work for the running job. The main actor never does such work.
  func grantsTurn(_ lane: Scheduler.LaneID) -> Bool {
    state.withLock { state in
      state.running != Scheduler.main && state.running != lane
        && !state.scheduler.happens(onceIn: 3)
    }
  }

  func isRunning(_ lane: Scheduler.LaneID) -> Bool {
    World.current === self && state.withLock { $0.running == lane }
  }

  /// Runs work at once as a job of a lane.
  func run<R>(on lane: Scheduler.LaneID, _ work: () -> R) -> R {
    let outer = state.withLock { state in
      defer { state.running = lane }
      return state.running
    }
    defer { state.withLock { $0.running = outer } }
    return work()
  }
}
