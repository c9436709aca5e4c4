internal import CStrataSimulation
internal import StrataSQLite

/// The runtime's hooks, which give the jobs of simulated threads to their worlds.
enum Hooks {
  /// The reason why no world can run; nil if worlds can run.
  static let obstacle: String? = {
    let main = withUnsafeBytes(of: SimulatedMain.shared.asUnownedSerialExecutor()) {
      $0.load(as: (UnsafeMutableRawPointer, UInt).self)
    }
    let scheduler = strata_scheduler(
      enqueue: { Hooks.enqueue($0, after: 0) },
      enqueue_after: { Hooks.enqueue($1, after: $0) },
      call_after: { Hooks.call($1, $2, after: $0) },
      main_identity: main.0, main_implementation: main.1)
    guard let obstacle = strata_install(scheduler) else {
      JobLanes.use { World.current?.makeLane($0) }
      return nil
    }
    return String(cString: obstacle)
  }()

  private static func enqueue(_ pointer: UnsafeMutableRawPointer?, after delay: Int64) -> Bool {
    guard let pointer else { return false }
    let job = withUnsafeBytes(of: pointer) { $0.load(as: UnownedJob.self) }
    guard let world = World.current else {
      return World.takeForeign(job, on: nil, after: delay)
    }
    world.enqueue(job, on: nil, after: delay)
    return true
  }

  private static func call(
    _ function: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?,
    _ context: UnsafeMutableRawPointer?, after delay: Int64
  ) {
    let address = UInt(bitPattern: context)
    World.current?.enqueue(
      { function?(UnsafeMutableRawPointer(bitPattern: address)) }, on: nil, after: delay)
  }
}

/// The executor of the main actor on simulated threads.
final class SimulatedMain: SerialExecutor {
  static let shared = SimulatedMain()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if let world = World.current { return world.enqueue(job, on: Scheduler.main) }
    // A task may outlive its world. Then nothing runs its jobs.
    _ = World.takeForeign(job, on: Scheduler.main)
  }

  func checkIsolated() {
    precondition(World.current?.isRunning(Scheduler.main) == true)
  }
}

/// The executor of a world's first task and its children.
final class RootExecutor: TaskExecutor {
  private let world: World

  init(_ world: World) { self.world = world }

  func enqueue(_ job: consuming ExecutorJob) { world.enqueue(UnownedJob(job), on: nil) }
}

extension UnownedJob {
  private var pointer: UnsafeMutableRawPointer {
    withUnsafeBytes(of: self) { $0.load(as: UnsafeMutableRawPointer.self) }
  }

  /// The runtime's identifier of the job's task; nil if the job is an actor's and not a task's.
  var taskID: UInt64? {
    let id = strata_task_of(pointer)
    return id == 0 ? nil : id
  }

  /// Runs the job outside of every serial executor.
  func runLoose() { strata_run(pointer) }
}

extension Scheduler.Job {
  func run(on lane: Scheduler.LaneID?) {
    switch self {
    case .work(let work): work()
    case .task(let job, _) where lane == nil: job.runLoose()
    case .task(let job, _):
      job.runSynchronously(on: SimulatedMain.shared.asUnownedSerialExecutor())
    }
  }
}
