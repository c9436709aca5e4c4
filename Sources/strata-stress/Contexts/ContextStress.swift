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
  /// The part of a seed that decides the schema.
  private static let schemaPart: UInt64 = 1

  init(_ options: Options) { self.options = options }

  func run() async throws -> Report {
    var report = Report(mode: "contexts")
    let watchdog = Watchdog(mode: "contexts")
    defer { watchdog.end() }
    var number = 0
    var seeds = Seeds(from: options.seed, count: options.histories, seconds: options.seconds)
    while report.violations.count < 5, let seed = seeds.next() {
      number += 1
      let done = seeds.done
      watchdog.begin("history \(seed)", done: done)
      var random = SplitMix64(seed: seed, part: Self.schemaPart)
      let history = try await PlainSchema.$current.withValue(PlainSchema(&random)) {
        let history = try await ContextHistory(seed: seed) {
          watchdog.begin("history \(seed): \($0)", done: done)
        }
        do { try await history.run() } catch let violation as Contradiction {
          report.violations.append(
            "history \(seed): \(violation)\n    \(PlainSchema.current)\n    "
              + history.steps.joined(separator: "\n    "))
        }
        await history.close()
        return history
      }
      for (name, count) in history.counts { report.counts[name, default: 0] += count }
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
