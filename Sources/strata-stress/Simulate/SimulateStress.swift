import Foundation
import Strata
import StrataSimulation

/// Runs the programs of other modes under the simulated scheduler, one history a seed.
///
/// A seed decides the program, its steps and the order of all its jobs.
struct SimulateStress: Sendable {
  struct Options: Sendable {
    var seeds = 2_000
    /// The duration of the run in seconds; nil to run `seeds` histories.
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

  private struct State: Sendable {
    var seeds: Seeds
    var report = Report(mode: "simulate")
    var hashes: Set<UInt64> = []

    /// Returns the next seed; nil at the end or after a violation.
    mutating func next() -> UInt64? {
      guard report.violations.isEmpty, let seed = seeds.next() else { return nil }
      report.counts["seeds", default: 0] += 1
      return seed
    }
  }

  private let options: Options
  /// Every history whose seed is a multiple runs twice, and must be the same.
  private static let repeated: UInt64 = 20

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
  }

  func run() async throws -> Report {
    if let hook = Simulation.missingHook {
      return Report(mode: "simulate", violations: ["the Swift runtime lacks \(hook)"])
    }
    let watchdog = Watchdog(mode: "simulate")
    let seeds = Seeds(from: options.from, count: options.seeds, seconds: options.seconds)
    let state = Lock(State(seeds: seeds))
    await withTaskGroup { group in
      for _ in 0..<max(1, options.threads) {
        group.addTask {
          while let seed = state.withLock({ $0.next() }) {
            watchdog.begin("seed \(seed)", done: state.withLock { $0.seeds.done })
            let (part, hash) = await check(seed)
            state.withLock { state in
              state.hashes.insert(hash)
              state.report.violations += part.violations
              for (name, count) in part.counts { state.report.counts[name, default: 0] += count }
            }
          }
        }
      }
    }
    var report = state.withLock { $0.report }
    report.counts["distinct"] = state.withLock { $0.hashes.count }
    report.require("seeds", "jobs")
    return report
  }

  /// Runs the history of a seed, and some twice.
  private func check(_ seed: UInt64) async -> (Report, hash: UInt64) {
    var report = Report(mode: "")
    do {
      let history = try await run(seed, report: &report)
      report.counts["jobs"] = history.steps
      if seed % Self.repeated == 0 {
        var second = Report(mode: "")
        if try await run(seed, report: &second).hash != history.hash {
          report.violations.append("seed \(seed): a second run differs")
        }
        report.counts["repeated"] = 1
      }
      return (report, history.hash)
    } catch {
      report.violations.append("seed \(seed): \(error)" + (await shortest(seed, error)))
      return (report, 0)
    }
  }

  /// Returns the steps of the shortest race of a seed that still fails, in words.
  private func shortest(_ seed: UInt64, _ error: any Error) async -> String {
    var steps = RaceSteps()
    var log = StepLog()
    var failure = error
    await steps.shrink { shorter in
      let new = StepLog()
      var report = Report(mode: "")
      do {
        _ = try await run(seed, shorter, new, report: &report)
        return false
      } catch {
        (log, failure) = (new, error)
        return true
      }
    }
    if log.steps.isEmpty { return "" }
    return "\n  with \(steps): \(failure)\n    " + log.steps.joined(separator: "\n    ")
  }

  /// Runs the history of a seed.
  private func run(
    _ seed: UInt64, _ steps: RaceSteps = RaceSteps(), _ log: StepLog = StepLog(),
    report: inout Report
  ) async throws -> Simulation.History {
    var random = SplitMix64(seed: seed)
    // Half of the seeds race, because races have the most choices.
    let others = Program.allCases.filter { $0 != .races }
    let program = options.program ?? (random.oneIn(2) ? .races : random.pick(others))
    let mode = WorkerStress.Mode.allCases.randomElement(using: &random) ?? .usual
    let (part, history) = try await Simulation.run(seed: seed) {
      switch program {
      case .races: return try await RaceHistory.run(seed: seed, steps, log)
      case .contexts:
        var options = ContextStress.Options()
        (options.histories, options.seed) = (1, seed)
        return try await ContextStress(options).run()
      case .server:
        var options = ServerStress.Options()
        (options.seeds, options.seed) = (1, seed)
        return try await ServerStress(options).run()
      case .workers:
        var options = WorkerStress.Options()
        (options.seconds, options.seed, options.modes) = (0.02, seed, [mode])
        return try await WorkerStress(options).run()
      case .registry:
        var options = RegistryStress.Options()
        (options.trials, options.seed) = (10, seed)
        return try await RegistryStress(options).run()
      }
    }
    report.counts["\(program)", default: 0] += 1
    let violations = part.violations.filter { !$0.contains("too little was done") }
    if !violations.isEmpty {
      report.violations.append(
        "seed \(seed), \(program): " + violations.joined(separator: "; ") + "\n    "
          + history.lastChoices.joined(separator: "\n    "))
    }
    return history
  }
}
