import Foundation
import Strata

/// Runs random histories of an app and a server whose answers go wrong.
///
/// A history has refreshes that delete absent rows, pushes, edits on both sides, refusals,
/// cancellations, relaunches and kills. No refresh deletes a row that the server has. No edit is
/// lost, and no edit is sent again after its acknowledgement. At rest both sides are equal.
@MainActor
struct ServerStress {
  struct Options {
    /// The number of histories; nil for no limit.
    var seeds: Int? = 2_000
    /// The duration of the run in seconds; nil for no limit.
    var seconds: Double?
    var seed: UInt64 = 1
  }

  private let options: Options

  init(_ options: Options) { self.options = options }

  func run() async throws -> Report {
    var report = Report(mode: "server")
    let seeds = Seeds(from: options.seed, count: options.seeds, seconds: options.seconds)
    let number = await report.runHistories(seeds, named: "seed") { seed, log in
      var report = try await ServerHistory.run(seed: seed, ServerHistory.steps, log)
      let cache = try await CacheHistory.run(seed: seed, CacheHistory.steps, log)
      report.counts.merge(cache.counts, uniquingKeysWith: +)
      return report
    }
    report.counts["seeds"] = number
    report.require("seeds", "edits", "refreshes", "pushes")
    if number >= 100 { Self.requireEvents(of: &report) }
    return report
  }

  /// Adds a violation for each kind of event that has not happened in a hundred histories or more.
  nonisolated static func requireEvents(of report: inout Report) {
    report.require(
      "successfulRefreshes", "noteEvictions", "appSuspensions", "lostPushes", "refusals", "reverts",
      "relaunches", "kills", "killedPushes", "besideRefreshes", "callers", "conflicts", "resolved",
      "aside", "repairs", "besidePushes", "killedRefreshes")
    for fault in UnreliableServer.Fault.allCases { report.require("\(fault)") }
  }
}

extension ServerStress {
  static let command = StressCommand(
    "server",
    options: "[--seeds N] [--minutes N] [--seed N]",
    help: """
      N random histories (2,000), or those of N minutes, of refreshes, pushes, edits and kills
      against a server whose answers go wrong, and against one that gives keys, versions and
      unique numbers and that a script edits, too. Long form: --minutes 60.
      """
  ) { given in
    var options = Options()
    (options.seeds, options.seconds) = given.limits("--seeds", options.seeds)
    options.seed = given.seed(options.seed)
    return try await ServerStress(options).run()
  }
}
