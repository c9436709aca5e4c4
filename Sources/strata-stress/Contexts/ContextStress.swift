import Foundation
import Strata

/// Runs random histories of contexts over the public API and compares them with plain rows.
///
/// A history has edits, saves with every policy, rollbacks, undo, children, links, cascades,
/// cancellations, evictions, streams, live queries of every kind, a second stack on the file and a
/// random variant of the schema. Keys are few and values small, so that deleted rows come back and
/// edits agree.
@MainActor
struct ContextStress {
  struct Options {
    /// The number of histories; nil for no limit.
    var histories: Int? = 2_000
    /// The duration of the run in seconds; nil for no limit.
    var seconds: Double?
    var seed: UInt64 = 1
  }

  private let options: Options

  init(_ options: Options) { self.options = options }

  func run() async throws -> Report {
    var report = Report(mode: "contexts")
    let seeds = Seeds(from: options.seed, count: options.histories, seconds: options.seconds)
    let number = await report.runHistories(seeds, named: "history") { seed, log in
      try await ContextHistory.run(seed: seed, ContextHistory.steps, log)
    }
    report.counts["histories"] = number
    report.require("histories", "edits", "saves")
    if number >= 100 {
      report.require(
        "conflicts", "undone", "absorbed", "reads", "streamed", "foreign", "refusals", "imports",
        "evictions")
    }
    return report
  }
}

extension ContextStress {
  static let command = StressCommand(
    "contexts",
    options: "[--histories N] [--minutes N] [--seed N]",
    help: """
      N random histories (2,000), or those of N minutes, of contexts, children, live queries,
      streams and a second stack, against plain rows. Long form: --minutes 60.
      """
  ) { given in
    var options = Options()
    (options.histories, options.seconds) = given.limits("--histories", options.histories)
    options.seed = given.seed(options.seed)
    return try await ContextStress(options).run()
  }
}
