import Foundation

/// The figures of an earlier run, as `--json` wrote them.
struct EarlierRun {
  private struct Line: Decodable {
    let workload: String
    let metric: String
    let strata: Double?
  }

  private struct Key: Hashable {
    let workload: String
    let metric: String
  }

  private var medians: [Key: Double] = [:]

  /// Reads lines of JSON. Other lines, such as messages of a build, are skipped.
  ///
  /// - Throws: `BenchError` if no line has a figure.
  init(_ text: String) throws {
    for line in text.split(separator: "\n") where line.hasPrefix("{") {
      let figure = try? JSONDecoder().decode(Line.self, from: Data(line.utf8))
      guard let figure, let strata = figure.strata else { continue }
      medians[Key(workload: figure.workload, metric: figure.metric)] = strata
    }
    if medians.isEmpty { throw BenchError("no figures of an earlier run with --json") }
  }

  init(path: String) throws {
    do {
      try self.init(String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8))
    } catch {
      let reason = (error as? BenchError)?.description ?? error.localizedDescription
      throw BenchError("--compare \(path): \(reason)")
    }
  }

  /// Returns Strata's median of a metric; nil if the run does not have it.
  func median(_ metric: String, of workload: String) -> Double? {
    medians[Key(workload: workload, metric: metric)]
  }
}
