import Foundation
import Strata
import StrataFaults

/// Lets the n-th call of every kind that SQLite makes of the file system fail, for n = 1, 2, 3 and
/// so on, until a whole scenario passes without reaching it.
@MainActor
struct FaultStress {
  struct Options {
    var seed = UInt64.random(in: 0...UInt64(UInt32.max))
    /// Tries every n; if not, fewer and fewer of them.
    var isThorough = true
    /// Nil for all.
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
    for scenario in options.scenario.map({ [$0] }) ?? FaultScenario.allCases {
      var failures = 0
      for call in FileCall.allCases {
        for code in FaultPlan.codes(of: call) {
          // A few calls in a row: what is tried again at once fails again.
          for length in [1, 6] {
            var number = 1
            while true {
              let fault = FaultPlan.Fault(call, number: number, length: length, code: code)
              watchdog.begin("\(scenario.rawValue): \(fault)")
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

/// The process's open files.
enum Descriptors {
  static var count: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd"))?.count ?? 0
  }
}
