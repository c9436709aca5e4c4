import Foundation
import Strata
import StrataFaults

/// Makes the n-th call of every kind to the file system fail.
///
/// n counts from 1 until a whole scenario makes fewer calls.
@MainActor
struct FaultStress {
  struct Options {
    var seed = UInt64.random(in: 0...UInt64(UInt32.max))
    /// Whether to try every n. Otherwise the gaps between the tried n grow.
    var isThorough = true
    /// The only scenario to run; nil for all scenarios.
    var scenario: FaultScenario?
  }

  private let options: Options

  init(_ options: Options) { self.options = options }

  func run() async throws -> Report {
    var report = Report(mode: "faults")
    let temporary = try TemporaryFolder()
    defer { temporary.remove() }
    let folder = temporary.url
    let template = try await FaultTemplate(in: folder)
    let watchdog = Watchdog(mode: "faults")
    let open = Descriptors.count
    let scenarios = options.scenario.map { [$0] } ?? FaultScenario.allCases
    for (position, scenario) in scenarios.enumerated() {
      var failures = 0
      for call in FileCall.allCases {
        for code in FaultPlan.codes(of: call) {
          // Several failures in a row also defeat an immediate retry.
          for length in [1, 6] {
            var number = 1
            while true {
              let fault = FaultPlan.Fault(call, number: number, length: length, code: code)
              watchdog.begin(
                "\(scenario.rawValue): \(fault)", done: position.share(of: scenarios.count))
              let trial = try FaultTrial(
                scenario, fault, template, in: folder.appendingPathComponent("trial"),
                seed: options.seed &+ UInt64(number))
              await trial.run()
              report.counts["trials", default: 0] += 1
              failures += trial.failures
              report.counts["errors", default: 0] += trial.errors
              report.violations += trial.violations.map { "\(scenario.rawValue): \(fault): \($0)" }
              if trial.failures == 0 || report.violations.count > 100 { break }
              number += options.isThorough ? 1 : max(1, number / 3)
            }
          }
        }
      }
      report.counts["failures", default: 0] += failures
      if failures == 0 { report.violations.append("\(scenario.rawValue): no call has failed") }
    }
    report.require("errors")
    if Descriptors.count > open + 4 {
      report.violations.append("\(Descriptors.count - open) file descriptors were left open")
    }
    return report
  }
}

extension FaultStress {
  static let command = StressCommand(
    "faults",
    options: "[--thorough 0|1] [--scenario N] [--seed N]",
    help: """
      Lets the n-th call of every kind that SQLite makes of the file system fail, for every n
      (or some of them, with --thorough 0), in every scenario or the N-th. Long form: as it
      is.
      """
  ) { given in
    var options = Options()
    options.isThorough = given.flag("--thorough") ?? options.isThorough
    options.scenario = given.choice(of: FaultScenario.self, "--scenario")
    options.seed = given.seed(options.seed)
    return try await FaultStress(options).run()
  }
}
