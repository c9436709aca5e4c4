internal import CStrataSimulation
internal import Dispatch
internal import Strata

/// One history: a thread that runs every job of its tasks, of its main actor and of its executors.
///
/// new ─run→ running
/// running ─no job and no timer is left, and the body has ended→ over
/// running ─a trouble→ given up: the body is cancelled
/// given up ─no job and no timer is left, or too many jobs ran→ over
final class World: Sendable {
  /// The reason why a history is given up.
  enum Trouble: Sendable, CustomStringConvertible {
    /// No job and no timer is left, and the body has not ended.
    case waiting
    /// A thread that is not simulated enqueued a job of the world.
    case foreign(String)
    /// More jobs ran than the limit.
    case restless
    /// The caller of the history was cancelled.
    case cancelled

    var description: String {
      switch self {
      case .waiting: "every task waits"
      case .foreign(let job): "\(job) was resumed by a thread that is not simulated"
      case .restless: "the jobs do not end"
      case .cancelled: "the history was cancelled"
      }
    }
  }

  private struct State: Sendable {
    var scheduler: Scheduler
    var polls: [@Sendable () -> Bool] = []
    /// The lane whose job runs; nil for a job of no serial executor, and between jobs.
    var running: Scheduler.LaneID?
    /// The number of the process of each lane that has one.
    var processes: [Scheduler.LaneID: Int] = [:]
    var hasBegun = false
    /// The numbers of the world's tasks as they appear, by the runtime's identifier.
    var tasks: [UInt64: Int] = [:]
    /// The first trouble.
    var trouble: Trouble?
    var isGivenUp = false
    /// The number of jobs after which the history is given up.
    var limit: Int

    init(_ seed: UInt64, _ limit: Int) {
      scheduler = Scheduler(seed: seed)
      self.limit = limit
    }

    mutating func note(_ trouble: Trouble) { self.trouble = self.trouble ?? trouble }

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
  /// The real time for which another thread may resume a body that waits.
  private let patience: Duration
  /// Signalled after each job of another thread.
  private let arrivals = DispatchSemaphore(value: 0)

  init(seed: UInt64, limit: Int, patience: Duration) {
    self.seed = seed
    self.patience = patience
    state = Lock(State(seed, limit))
  }

  /// The worlds that run now.
  private static let all = Lock<[World]>([])

  /// The world of the calling thread; nil on a thread that is not simulated.
  static var current: World? {
    strata_world().map { Unmanaged<World>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Gives a job of another thread to the world of its task, and gives that world up.
  ///
  /// - Returns: false if no running world has the task.
  static func takeForeign(
    _ job: UnownedJob, on lane: Scheduler.LaneID?, after delay: Int64 = 0
  ) -> Bool {
    guard let id = job.taskID else { return false }
    let worlds = all.withLock { $0 }
    guard let own = worlds.first(where: { $0.state.withLock { $0.tasks[id] != nil } }) else {
      return false
    }
    own.enqueue(job, on: lane, after: delay)
    return true
  }

  // MARK: - Running

  /// Runs jobs on the calling thread until the history is over.
  ///
  /// - Parameters:
  ///   - isOver: whether the body has ended.
  ///   - cancel: cancels the body; called once if the history is given up.
  /// - Returns: the trouble of a history that was given up.
  func run(isOver: () -> Bool, cancel: () -> Void) -> Trouble? {
    state.withLock { $0.hasBegun = true }
    Self.all.withLock { $0.append(self) }
    strata_enter(Unmanaged.passUnretained(self).toOpaque())
    defer {
      strata_enter(nil)
      Self.all.withLock { $0.removeAll { $0 === self } }
    }
    while true {
      poll()
      switch next() {
      case .job(let job, let lane, let time):
        strata_set_time(time)
        job.run(on: lane)
      case .cancellation: cancel()
      case .rest where isOver(), .limit: return state.withLock { $0.trouble }
      case .rest where awaitForeignJob(): break
      case .rest:
        if state.withLock({ $0.isGivenUp }) { return state.withLock { $0.trouble } }
        giveUp(.waiting)
      }
    }
  }

  /// Gives the history up, unless it is given up already.
  func giveUp(_ trouble: Trouble) { state.withLock { $0.note(trouble) } }

  private enum Step {
    case job(Scheduler.Job, Scheduler.LaneID?, time: Int64)
    /// The history is given up, so the body is cancelled.
    case cancellation
    /// No job and no timer is left.
    case rest
    /// The jobs do not end, although the body was cancelled.
    case limit
  }

  private func next() -> Step {
    state.withLock { state in
      let isAtLimit = state.scheduler.steps >= state.limit
      if isAtLimit && state.isGivenUp { return .limit }
      if isAtLimit { state.note(.restless) }
      if state.trouble != nil && !state.isGivenUp {
        state.isGivenUp = true
        state.limit = state.scheduler.steps + state.limit / 10
        return .cancellation
      }
      guard let (job, lane) = state.scheduler.next() else { return .rest }
      state.running = lane
      return .job(job, lane, time: state.scheduler.now)
    }
  }

  /// Waits until another thread enqueues a job; false if none does.
  private func awaitForeignJob() -> Bool {
    if patience == .zero { return false }
    // The thread waits in real time, so it is an ordinary thread meanwhile.
    strata_enter(nil)
    defer { strata_enter(Unmanaged.passUnretained(self).toOpaque()) }
    return arrivals.wait(timeout: .now() + patience / .seconds(1)) == .success
  }

  /// Calls the polls now and then, and always before the world would rest.
  private func poll() {
    let bodies = state.withLock { state in
      state.running = nil
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
    let number = state.withLock { $0.number(of: job) }
    enqueue(.task(job, number), on: lane, after: delay)
  }

  /// Takes work of a lane, or of no serial executor.
  func enqueue(
    _ work: @escaping @Sendable () -> Void, on lane: Scheduler.LaneID?, after delay: Int64 = 0
  ) {
    enqueue(.work(work), on: lane, after: delay)
  }

  private func enqueue(_ job: Scheduler.Job, on lane: Scheduler.LaneID?, after delay: Int64) {
    let isOwn = World.current === self
    let isForeign = state.withLock { state in
      let isForeign = state.hasBegun && !isOwn
      if isForeign { state.note(.foreign(state.scheduler.name(of: job, on: lane))) }
      state.scheduler.enqueue(job, on: lane, after: delay)
      return isForeign
    }
    if isForeign { arrivals.signal() }
  }

  // MARK: - Lanes

  /// Makes a lane, which belongs to the process whose work makes it.
  func makeLane(_ label: String) -> SimulatedLane {
    let process = Simulation.runningProcess
    let lane = state.withLock { state in
      let lane = state.scheduler.addLane(label)
      state.processes[lane] = process
      return lane
    }
    return SimulatedLane(self, lane)
  }

  /// The number of the process of the lane whose job runs; nil if it has none.
  var runningProcess: Int? {
    state.withLock { state in state.running.flatMap { state.processes[$0] } }
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
