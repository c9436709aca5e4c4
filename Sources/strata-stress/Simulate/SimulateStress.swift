import Foundation
import Strata
import StrataSimulation

/// Runs the programs of other modes under the simulated scheduler, one history a seed.
///
/// A seed decides the program, what it does and the order of all its jobs.
struct SimulateStress {
  struct Options {
    var seeds = 2_000
    /// The duration of the run in seconds; nil to run `seeds` histories.
    var seconds: Double?
    var from: UInt64 = 1
  }

  private enum Program: CaseIterable {
    case contexts, server, workers, registry
  }

  private let options: Options
  /// Every history whose seed is a multiple runs twice, and must be the same.
  private static let repeated: UInt64 = 20

  init(_ options: Options) { self.options = options }

  /// Starts the process again so that sets and dictionaries have the same order in each process.
  static func restartWithFixedHashing() {
    let name = "SWIFT_DETERMINISTIC_HASHING"
    if ProcessInfo.processInfo.environment[name] != nil { return }
    setenv(name, "1", 1)
    execv("/proc/self/exe", CommandLine.unsafeArgv)
  }

  func run() async throws -> Report {
    var report = Report(mode: "simulate")
    if let hook = Simulation.missingHook {
      report.violations.append("the Swift runtime lacks \(hook)")
      return report
    }
    let watchdog = Watchdog(mode: "simulate")
    var histories: Set<UInt64> = []
    var number = 0
    for seed in Seeds(from: options.from, count: options.seeds, seconds: options.seconds) {
      if !report.violations.isEmpty { break }
      number += 1
      watchdog.begin("seed \(seed)")
      do {
        let history = try await run(seed, &report)
        histories.insert(history.hash)
        report.counts["jobs", default: 0] += history.steps
        if seed % Self.repeated == 0 {
          var second = Report(mode: "")
          if try await run(seed, &second).hash != history.hash {
            report.violations.append("seed \(seed): a second run differs")
          }
          report.counts["repeated", default: 0] += 1
        }
      } catch {
        report.violations.append("seed \(seed): \(error)")
      }
    }
    report.counts["seeds"] = number
    report.counts["distinct"] = histories.count
    report.require("seeds", "jobs")
    return report
  }

  /// Runs the history of a seed.
  private func run(
    _ seed: UInt64, _ report: inout Report
  ) async throws -> Simulation.History {
    var random = SplitMix64(seed: seed)
    let program = Program.allCases.randomElement(using: &random) ?? .contexts
    let mode = WorkerStress.Mode.allCases.randomElement(using: &random) ?? .usual
    let (part, history) = try await Simulation.run(seed: seed) {
      switch program {
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
        (options.seconds, options.seed, options.modes) = (0.05, seed, [mode])
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
