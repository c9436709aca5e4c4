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
  }

  enum Program: CaseIterable {
    case races, contexts, server, workers, registry
  }

  /// The end of a history.
  private struct Outcome {
    var counts: [String: Int] = [:]
    /// The violation in words; nil if there is none.
    var violation: String?
    let history: Simulation.History
    let log: StepLog

    /// The parts that have not ended, each with the step that it waits in.
    var waits: [String] { log.waits.map { "waiting: \($0)" } }
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
  /// The number of seeds from which on each kind of event must have happened.
  private static let enough = 1_000

  init(_ options: Options) { self.options = options }

  /// Starts the process again so that sets and dictionaries have the same order in each process.
  ///
  /// The stores then lie in memory, because a simulated store needs no disk.
  static func restartWithFixedHashing() {
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
            watchdog.begin("seed \(seed)", done: done)
            SeedsUnderWay.begin(seed, thread: thread)
            let (part, hash) = await check(seed)
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
      report.require("conflicts", "undone", "absorbed", "streamed", "imports", "evictions")
    }
    if options.program ?? .server == .server { ServerStress.requireEvents(of: &report) }
    if options.program ?? .registry == .registry { report.require("calls", "clusterCalls") }
  }

  /// Runs the history of a seed, and some twice.
  private func check(_ seed: UInt64) async -> (Report, hash: UInt64) {
    var random = SplitMix64(seed: seed, part: Self.programPart)
    // Half of the seeds race, because races have the most choices.
    let others = Program.allCases.filter { $0 != .races }
    let program = options.program ?? (random.oneIn(2) ? .races : random.pick(others))
    let mode = random.pick(WorkerStress.Mode.allCases)
    let outcome = await run(seed, program, mode)
    var report = Report(mode: "", counts: outcome.counts)
    report.counts["jobs"] = outcome.history.steps
    report.counts["\(program)"] = 1
    var violation = outcome.violation
    if violation == nil && seed % Self.repeated == 0 {
      let second = await run(seed, program, mode)
      if second.history.hash != outcome.history.hash { violation = "a second run differs" }
      report.counts["repeated"] = 1
    }
    if let violation {
      var lines = ["seed \(seed), \(program): \(violation)"] + outcome.waits
      lines += outcome.log.steps + ["the last choices:"] + outcome.history.lastChoices
      if program == .races { lines += await shortest(seed, violation) }
      report.violations.append(lines.joined(separator: "\n    "))
    }
    return (report, outcome.history.hash)
  }

  /// Returns the steps of the shortest race of a seed that still fails in the same way, in words.
  ///
  /// Fewer steps have other orders, so each race runs in three orders.
  private func shortest(_ seed: UInt64, _ violation: String) async -> [String] {
    let kind = Contradiction.kind(of: violation)
    var steps = RaceSteps()
    var shortest: Outcome?
    await steps.shrink { shorter in
      for order in [seed, seed &+ 1, seed &+ 2] {
        let outcome = await run(seed, .races, .usual, shorter, order: order)
        guard let found = outcome.violation, Contradiction.kind(of: found) == kind else { continue }
        shortest = outcome
        return true
      }
      return false
    }
    guard let shortest, let found = shortest.violation else { return ["no shorter race fails"] }
    return ["with \(steps), in the order of seed \(shortest.history.seed): \(found)"]
      + shortest.waits + shortest.log.steps
  }

  /// Runs the history of a seed.
  ///
  /// - Parameter order: the seed of the order of jobs; nil for the seed of the history.
  private func run(
    _ seed: UInt64, _ program: Program, _ mode: WorkerStress.Mode,
    _ steps: RaceSteps = RaceSteps(), order: UInt64? = nil
  ) async -> Outcome {
    let log = StepLog()
    let (result, history) = await Simulation.run(seed: order ?? seed) {
      switch program {
      case .races: return try await RaceHistory.run(seed: seed, steps, log)
      case .contexts:
        var options = ContextStress.Options()
        (options.histories, options.seed) = (1, seed)
        return try await ContextStress(options).run()
      case .server:
        var options = ServerStress.Options()
        (options.seeds, options.seed, options.steps) = (1, seed, 30)
        return try await ServerStress(options).run()
      case .workers:
        var options = WorkerStress.Options()
        (options.seconds, options.seed, options.modes) = (0.005, seed, [mode])
        return try await WorkerStress(options).run()
      case .registry:
        var options = RegistryStress.Options()
        (options.trials, options.seed) = (10, seed)
        return try await RegistryStress(options).run()
      }
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
