import Foundation
import Strata
import StrataSimulation

/// Runs the programs of other modes under the simulated scheduler, one history a seed.
///
/// A seed decides the program, its steps and the order of all its jobs.
struct SimulateStress: Sendable {
  struct Options: Sendable {
    /// The number of histories; nil for no limit.
    var seeds: Int? = 2_000
    /// The duration of the run in seconds; nil for no limit.
    var seconds: Double?
    var from: UInt64 = 1
    /// The program of all seeds; nil to let the seed decide.
    var program: Program?
    /// The number of histories at a time.
    var threads = 1
    /// The maximum number of shorter histories that are tried after a violation.
    var tries = 400
  }

  enum Program: CaseIterable {
    case races, contexts, server, workers, registry, cache

    /// The steps of a whole history.
    var steps: HistorySteps {
      switch self {
      case .races: RaceHistory.steps
      case .contexts: ContextHistory.steps
      case .server: ServerHistory.steps
      case .cache: CacheHistory.steps
      case .workers: WorkerStress.steps
      case .registry: RegistryStress.steps
      }
    }
  }

  /// The work that a seed decides.
  private struct Work: Sendable {
    let seed: UInt64
    let program: Program
    /// The mode of workers.
    let mode: WorkerStress.Mode

    func run(_ steps: HistorySteps, _ log: StepLog) async throws -> Report {
      switch program {
      case .races: try await RaceHistory.run(seed: seed, steps, log)
      case .contexts: try await ContextHistory.run(seed: seed, steps, log)
      case .server: try await ServerHistory.run(seed: seed, steps, log)
      case .cache: try await CacheHistory.run(seed: seed, steps, log)
      case .workers: try await WorkerStress.run(seed: seed, mode, steps, log)
      case .registry: try await RegistryStress.run(seed: seed, steps, log)
      }
    }
  }

  /// The end of a history.
  private struct Outcome {
    var counts: [String: Int] = [:]
    /// The violation in words; nil if there is none.
    var violation: String?
    let history: Simulation.History
    let log: StepLog

    /// Returns the difference from another run of the same history; nil if there is none.
    func difference(from other: Outcome) -> String? {
      if history.hash != other.history.hash { return "a second run differs" }
      if counts != other.counts { return "a second run counts \(other.counts), not \(counts)" }
      return log.steps == other.log.steps ? nil : "a second run has other steps"
    }
  }

  private struct State: Sendable {
    var seeds: Seeds
    var report = Report(mode: "simulate")
    var hashes: Set<UInt64> = []

    /// Returns the next seed, with the part of the run that is done; nil at the end or after a
    /// violation.
    mutating func next() -> (seed: UInt64, done: Double)? {
      guard report.violations.isEmpty, let seed = seeds.next() else { return nil }
      report.counts["seeds", default: 0] += 1
      return (seed, seeds.done)
    }

    mutating func add(_ part: Report, _ hash: UInt64) {
      hashes.insert(hash)
      report.violations += part.violations
      for (name, count) in part.counts { report.counts[name, default: 0] += count }
    }
  }

  private let options: Options
  /// Every history whose seed is a multiple runs twice, and must be the same.
  private static let repeated: UInt64 = 50
  /// The part of a seed that decides the program.
  private static let programPart: UInt64 = 2
  /// The number of jobs after which a shorter history is given up: many times those of a usual one.
  private static let shortLimit = 200_000
  /// The number of seeds from which on each kind of event must have happened.
  private static let enough = 1_000

  init(_ options: Options) { self.options = options }

  /// Starts the process again so that sets and dictionaries have the same order in each process.
  ///
  /// The stores then lie in memory, because a simulated store needs no disk.
  static func restartWithFixedHashing() {
    if Simulation.obstacle != nil { return }
    let name = "SWIFT_DETERMINISTIC_HASHING"
    if ProcessInfo.processInfo.environment[name] != nil { return }
    setenv(name, "1", 1)
    let memory = "/dev/shm"
    if FileManager.default.isWritableFile(atPath: memory) { setenv("TMPDIR", memory, 1) }
    execv("/proc/self/exe", CommandLine.unsafeArgv)
    fail("the process cannot start again with \(name)=1, so set it yourself")
  }

  func run() async -> Report {
    if let obstacle = Simulation.obstacle {
      return Report(mode: "simulate", violations: [obstacle])
    }
    let seeds = Seeds(from: options.from, count: options.seeds, seconds: options.seconds)
    let state = Lock(State(seeds: seeds))
    await withTaskGroup { group in
      for thread in 0..<max(1, options.threads) {
        group.addTask {
          let watchdog = Watchdog(mode: "simulate")
          defer { watchdog.end() }
          while let (seed, done) = state.withLock({ $0.next() }) {
            SeedsUnderWay.begin(seed, thread: thread)
            let (part, hash) = await check(seed) { words, log in
              watchdog.begin("\(words) \(seed)", done: done, log)
            }
            state.withLock { $0.add(part, hash) }
          }
          SeedsUnderWay.begin(0, thread: thread)
        }
      }
    }
    var report = state.withLock { $0.report }
    report.counts["distinct"] = state.withLock { $0.hashes.count }
    require(&report)
    return report
  }

  /// Adds a violation for each kind of event that has not happened.
  private func require(_ report: inout Report) {
    report.require("seeds", "jobs")
    let count = report.counts["seeds", default: 0]
    guard count >= Self.enough, report.violations.isEmpty else { return }
    report.require("distinct", atLeast: count * 9 / 10)
    if options.program == nil { for program in Program.allCases { report.require("\(program)") } }
    if options.program ?? .races == .races {
      report.require(
        "commits", "kills", "losses", "failures", "suspensions", "conflict", "cancelled",
        "deleteDenied", "missingReference", "uniquenessViolated")
    }
    if options.program ?? .contexts == .contexts {
      report.require(
        "conflicts", "undone", "absorbed", "streamed", "imports", "evictions", "queries")
    }
    if options.program ?? .server == .server { ServerStress.requireEvents(of: &report) }
    if options.program ?? .registry == .registry { report.require("calls", "clusterCalls") }
  }

  /// Runs the history of a seed, and some twice.
  ///
  /// - Parameter begin: called before each run of the history, with its log.
  private func check(
    _ seed: UInt64, begin: (String, StepLog) -> Void
  ) async -> (Report, hash: UInt64) {
    var random = SplitMix64(seed: seed, part: Self.programPart)
    // Half of the seeds race, because races have the most choices.
    let others = Program.allCases.filter { $0 != .races }
    let program = options.program ?? (random.oneIn(2) ? .races : random.pick(others))
    let work = Work(seed: seed, program: program, mode: random.pick(WorkerStress.Mode.allCases))
    let log = StepLog()
    begin("seed", log)
    let outcome = await run(work, program.steps, log)
    var report = Report(mode: "", counts: outcome.counts)
    report.counts["jobs"] = outcome.history.steps
    report.counts["\(program)"] = 1
    var violation = outcome.violation
    if violation == nil && seed % Self.repeated == 0 {
      violation = outcome.difference(from: await run(work, program.steps, StepLog()))
      report.counts["repeated"] = 1
    }
    if let violation {
      let name = "seed \(seed), \(program): \(violation)"
      let choices = ["the last choices:"] + outcome.history.lastChoices
      // A shorter history may take long to find, so the whole history is printed before.
      let words = log.words(name) + choices.map { "\n    \($0)" }.joined() + "\n"
      FileHandle.standardError.write(Data(words.utf8))
      report.violations.append(name + "\n    " + (await shortest(work, violation, begin)))
    }
    return (report, outcome.history.hash)
  }

  /// Returns the steps of the shortest history of a seed that still fails in the same way, in words.
  ///
  /// Fewer steps have other orders, so each history runs in three orders.
  private func shortest(
    _ work: Work, _ violation: String, _ begin: (String, StepLog) -> Void
  ) async -> String {
    let kind = Contradiction.kind(of: violation)
    var steps = work.program.steps
    var shortest: Outcome?
    await steps.shrink(tries: options.tries) { shorter in
      for order in [work.seed, work.seed &+ 1, work.seed &+ 2] {
        let log = StepLog()
        begin("shorter history of seed", log)
        let outcome = await run(work, shorter, log, order: order, limit: Self.shortLimit)
        guard let found = outcome.violation, Contradiction.kind(of: found) == kind else { continue }
        shortest = outcome
        return true
      }
      return false
    }
    guard let shortest, let found = shortest.violation else { return "no shorter history fails" }
    return shortest.log.words(
      "with \(steps), in the order of seed \(shortest.history.seed): \(found)")
  }

  /// Runs the history of a seed.
  ///
  /// - Parameters:
  ///   - order: the seed of the order of jobs; nil for the seed of the history.
  ///   - limit: the number of jobs after which the history is given up.
  private func run(
    _ work: Work, _ steps: HistorySteps, _ log: StepLog, order: UInt64? = nil,
    limit: Int = 10_000_000
  ) async -> Outcome {
    let (result, history) = await Simulation.run(seed: order ?? work.seed, limit: limit) {
      try await work.run(steps, log)
    }
    var outcome = Outcome(history: history, log: log)
    do {
      let part = try result.get()
      // The seeds of the whole run are counted by themselves.
      outcome.counts = part.counts.filter { $0.key != "seeds" && $0.key != "histories" }
      // A short history may do little of a kind.
      let violations = part.violations.filter { !$0.contains("too little was done") }
      if !violations.isEmpty { outcome.violation = violations.joined(separator: "; ") }
    } catch {
      outcome.violation = "\(error)"
    }
    return outcome
  }
}

extension SimulateStress {
  static let command = StressCommand(
    "simulate",
    options: "[--seeds N] [--minutes N] [--from N] [--program N] [--threads N] [--tries N]",
    help: """
      N histories (2,000), or those of N minutes, each on one thread and in an order that the
      seed decides; N of them at a time (1). The seed picks one of these programs, if none is
      given: 0 workers, a view context and consumers that race, 1 contexts, 2 an app and a
      server, 3 workers in one of their modes, 4 registries, 5 an app and a server that gives
      keys and versions. After a violation it tries N histories with fewer steps (400). Long
      form: --seeds 1000000 --threads 2.
      """
  ) { given in
    var options = Options()
    options.program = given.choice(of: Program.self, "--program")
    options.threads = given.count("--threads") ?? options.threads
    (options.seeds, options.seconds) = given.limits("--seeds", options.seeds)
    options.from = given.number("--from") ?? options.from
    options.tries = given.count("--tries") ?? options.tries
    restartWithFixedHashing()
    printSeed(options.from)
    return await SimulateStress(options).run()
  }
}
