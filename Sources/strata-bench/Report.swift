import Foundation

/// Prints figures as they come: a line of a table, or a line of JSON.
struct Report {
  let asJSON: Bool

  private static let widths = [9, 34, 11, 11, 8, 11, 11]

  func begin() {
    if asJSON { return }
    line(["workload", "metric", "strata", "raw", "ratio", "min", "max"])
  }

  func add(_ figure: Figure, of workload: Workload) throws {
    if asJSON {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      let line = JSONLine(
        workload: workload.name, metric: figure.metric, strata: figure.strataMedian,
        raw: figure.rawMedian, ratio: figure.ratio, min: figure.strata.min(),
        max: figure.strata.max())
      put(String(decoding: try encoder.encode(line), as: UTF8.self))
    } else {
      let range = [figure.strata.min() ?? .nan, figure.strata.max() ?? .nan]
      let numbers = [figure.strataMedian, figure.rawMedian, figure.ratio] + range
      line([workload.name, figure.metric] + numbers.map(Self.text))
    }
  }

  private struct JSONLine: Encodable {
    let workload: String
    let metric: String
    let strata: Double
    let raw: Double
    let ratio: Double
    let min: Double?
    let max: Double?
  }

  private static func text(_ value: Double) -> String {
    String(format: value < 0.1 ? "%.5f" : value < 10 ? "%.3f" : "%.1f", value)
  }

  private func line(_ cells: [String]) {
    let padded = zip(cells, Self.widths).enumerated().map { column, cell in
      let space = String(repeating: " ", count: max(0, cell.1 - cell.0.count))
      // Words to the left, numbers to the right.
      return column < 2 ? cell.0 + space : space + cell.0
    }
    put(padded.joined(separator: " "))
  }

  /// Writes at once, so that a long run shows what it has.
  private func put(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}
