import Foundation
import Strata
import StrataFaults

/// Cancels every suspending call of the library at its n-th moment.
///
/// n counts from 0 until the call ends before the moment.
@MainActor
struct CancelStress {
  struct Options {
    /// Whether to try every n, except for turns. Otherwise the gaps between the tried n grow.
    var isThorough = true
    var seed = UInt64.random(in: 0...UInt64(UInt32.max))
    /// The only operation to run; nil for all operations.
    var operation: CancelOperation?
  }

  private let options: Options

  init(_ options: Options) { self.options = options }

  func run() async throws -> Report {
    var report = Report(mode: "cancel")
    let temporary = try TemporaryFolder()
    defer { temporary.remove() }
    let folder = temporary.url
    let template = try await FaultTemplate(in: folder)
    let watchdog = Watchdog(mode: "cancel")
    let descriptors = Descriptors.count
    var random = SplitMix64(seed: options.seed)
    let operations = options.operation.map { [$0] } ?? CancelOperation.all
    for (position, operation) in operations.enumerated() {
      var errors = 0
      for moment in CancelMoment.allCases {
        var number = 0
        while report.violations.count < 100 {
          let label = "\(operation.name), \(moment.rawValue) \(number)"
          watchdog.begin(label, done: position.share(of: operations.count))
          let trial = try CancelTrial(
            operation, template, in: folder.appendingPathComponent("trial"),
            stamp: Int(random.next() >> 24))
          let wasCancelled = try await trial.run(cancellingAt: number, moment)
          report.violations += trial.violations.map { "\(label): \($0)" }
          report.counts["trials", default: 0] += 1
          report.counts["\(moment.rawValue)s", default: 0] += wasCancelled ? 1 : 0
          if trial.hasFailed { errors += 1 }
          if !wasCancelled { break }
          number += options.isThorough && moment != .turn ? 1 : max(1, number / 3)
        }
      }
      report.counts["cancelledErrors", default: 0] += errors
      if errors == 0 && operation.mustThrow {
        report.violations.append("\(operation.name): cannot be cancelled")
      }
    }
    report.require("trials")
    for moment in CancelMoment.allCases { report.require("\(moment.rawValue)s") }
    if Descriptors.count > descriptors + 4 {
      report.violations.append("\(Descriptors.count - descriptors) file descriptors were left open")
    }
    return report
  }
}

extension CancelStress {
  static let command = StressCommand(
    "cancel",
    options: "[--thorough 0|1] [--operation NAME] [--seed N]",
    help: """
      Cancels every call that waits at its n-th moment, for every n (or some of them, with
      --thorough 0): when it goes on, when SQLite calls the file system, when the main actor
      had a turn; every call, or one of them. Long form: as it is.
      """
  ) { given in
    var options = Options()
    if let name = given.text("--operation") {
      options.operation = CancelOperation.all.first { $0.name == name }
      if options.operation == nil { fail("there is no operation \(name)") }
    }
    options.isThorough = given.flag("--thorough") ?? options.isThorough
    options.seed = given.seed(options.seed)
    return try await CancelStress(options).run()
  }
}
