internal import Strata

/// The jobs that may run next, and the choice among them by a seed.
///
/// Each job of no serial executor is a candidate, and so is the first job of each lane.
struct Scheduler: Sendable {
  enum Job: Sendable {
    /// A part of a task, and the number of the task; 0 for a part of an actor.
    case task(UnownedJob, Int)
    case work(@Sendable () -> Void)

    /// The name of the job with a number; nil for work.
    static func name(_ number: Int?) -> String {
      switch number {
      case nil: "work"
      case 0?: "an actor"
      case let number?: "task \(number)"
      }
    }
  }

  private struct Choice: Sendable {
    /// The number of the task; 0 for an actor, nil for work.
    let number: Int?
    let lane: LaneID?
  }

  typealias LaneID = Int

  /// The lane of the main actor.
  static let main: LaneID = 0

  private struct Queue: Sendable {
    let name: String
    var jobs: [Job] = []
  }

  private struct Timer: Sendable {
    let due: Int64
    /// The lane of the job; nil for a job of no serial executor.
    let lane: LaneID?
    let job: Job
  }

  /// How the next job is chosen for a while. The seed picks these, too.
  private enum Bias: Sendable {
    case fair
    /// In three of four choices, the job of no serial executor that came last; without such a job,
    /// the first job of the newest lane.
    case newestFirst
    /// A lane runs only if no other job can.
    case starving(LaneID)
  }

  private var random: SplitMix64
  /// The jobs of no serial executor.
  private var loose: [Job] = []
  private var lanes = [Queue(name: "main")]
  /// The timers in the order in which they were set.
  private var timers: [Timer] = []
  private var bias = Bias.fair
  /// The number of choices until the next bias.
  private var rest = 0
  /// How much longer than asked a timer runs at most, in nanoseconds.
  private let slack: Int64
  /// The virtual time in nanoseconds since 1970.
  private(set) var now: Int64
  /// The number of jobs that ran.
  private(set) var steps = 0
  /// A hash of all choices: the identity of the history.
  private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
  /// The last choices, in a ring: the next choice replaces the choice at `steps` modulo the limit.
  private var trail: [Choice] = []

  /// The time at which every history begins: the first second of 2026, UTC.
  private static let start: Int64 = 1_767_225_600 * 1_000_000_000
  /// The time from which on no timer is set, in the year 2116.
  private static let end = Int64.max / 2
  private static let shownChoices = 100
  /// The part of a seed that decides the order of jobs.
  private static let part: UInt64 = 0x7363_6865_6475_6C65

  init(seed: UInt64) {
    // A program may take its own numbers from the same seed.
    random = SplitMix64(seed: seed, part: Self.part)
    now = Self.start
    slack = [0, 1_000_000, 200_000_000, 5_000_000_000].randomElement(using: &random) ?? 0
  }

  /// The last choices in words, the newest last.
  var lastChoices: [String] {
    let oldest = steps % Self.shownChoices
    let ordered = trail.count < Self.shownChoices ? trail[...] : trail[oldest...] + trail[..<oldest]
    return ordered.map { "\(Job.name($0.number)) on \(name(of: $0.lane))" }
  }

  // MARK: - Jobs

  mutating func addLane(_ name: String) -> LaneID {
    lanes.append(Queue(name: "\(name) \(lanes.count)"))
    return lanes.count - 1
  }

  private func name(of lane: LaneID?) -> String { lane.map { lanes[$0].name } ?? "no executor" }

  /// Returns the name of a job's task or actor, or of the lane of work.
  func name(of job: Job, on lane: LaneID?) -> String {
    if case .task(_, let number) = job { Job.name(number) } else { "work of \(name(of: lane))" }
  }

  /// Adds a job to the end of a lane, or to the jobs of no serial executor.
  ///
  /// A job whose time comes too late for a history never runs.
  ///
  /// - Parameter delay: the time in nanoseconds after which the job is added.
  mutating func enqueue(_ job: Job, on lane: LaneID?, after delay: Int64 = 0) {
    if delay > 0 {
      let more = slack == 0 ? 0 : Int64.random(in: 0...slack, using: &random)
      if delay >= Self.end - now { return }
      timers.append(Timer(due: now + delay + more, lane: lane, job: job))
    } else if let lane {
      lanes[lane].jobs.append(job)
    } else {
      loose.append(job)
    }
  }

  /// Whether a job waits that is no timer.
  var isReady: Bool { !loose.isEmpty || lanes.contains { !$0.jobs.isEmpty } }

  /// Removes the next job, and lets some time pass; nil if no job and no timer is left.
  mutating func next() -> (job: Job, lane: LaneID?)? {
    now += .random(in: 1_000...50_000, using: &random)
    if !isReady, let first = timers.map(\.due).min() { now = max(now, first) }
    fireTimers()
    let busy = lanes.indices.filter { !lanes[$0].jobs.isEmpty }
    let count = loose.count + busy.count
    if count == 0 { return nil }
    let choice = choose(count, busy)
    note(count)
    note(choice)
    if choice < loose.count {
      let job = loose.remove(at: choice)
      didChoose(job, on: nil)
      return (job, nil)
    }
    let lane = busy[choice - loose.count]
    let job = lanes[lane].jobs.removeFirst()
    didChoose(job, on: lane)
    return (job, lane)
  }

  private mutating func fireTimers() {
    if !timers.contains(where: { $0.due <= now }) { return }
    let due = timers.filter { $0.due <= now }.sorted { $0.due < $1.due }
    timers.removeAll { $0.due <= now }
    for timer in due { enqueue(timer.job, on: timer.lane) }
  }

  // MARK: - Choices

  private mutating func choose(_ count: Int, _ busy: [LaneID]) -> Int {
    if rest == 0 {
      rest = .random(in: 1...400, using: &random)
      bias =
        switch Int.random(in: 0..<8, using: &random) {
        case 0..<4: .fair
        case 4, 5: .newestFirst
        // A lane without jobs may never get any.
        default: busy.randomElement(using: &random).map(Bias.starving) ?? .fair
        }
    }
    rest -= 1
    switch bias {
    case .newestFirst where Int.random(in: 0..<4, using: &random) > 0:
      return loose.isEmpty ? count - 1 : loose.count - 1
    case .starving(let lane):
      guard let starved = busy.firstIndex(of: lane), count > 1 else { break }
      let choice = Int.random(in: 0..<count - 1, using: &random)
      return choice >= loose.count + starved ? choice + 1 : choice
    default: break
    }
    return .random(in: 0..<count, using: &random)
  }

  /// Returns true once in a number of calls on average.
  mutating func happens(onceIn number: Int) -> Bool {
    let happens = Int.random(in: 0..<number, using: &random) == 0
    note(happens ? 1 : 0)
    return happens
  }

  private mutating func note(_ number: Int) {
    hash = (hash ^ UInt64(truncatingIfNeeded: number)) &* 0x100_0000_01B3
  }

  private mutating func didChoose(_ job: Job, on lane: LaneID?) {
    let number: Int? = if case .task(_, let number) = job { number } else { nil }
    let choice = Choice(number: number, lane: lane)
    note(number ?? -1)
    note(lane ?? -1)
    if trail.count < Self.shownChoices {
      trail.append(choice)
    } else {
      trail[steps % Self.shownChoices] = choice
    }
    steps += 1
  }
}
