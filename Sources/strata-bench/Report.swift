import Foundation

/// Prints figures as they come: a line of a table, or a line of JSON.
struct Report {
  let asJSON: Bool
  /// The names of the peers.
  let peers: [String]

  private static let widths = [9, 34, 11, 11, 8, 11, 11]

  func begin() {
    if asJSON { return }
    line(["workload", "metric", "strata", "raw", "ratio", "min", "max"] + peers)
  }

  func add(_ figure: Figure, of workload: Workload) throws {
    if asJSON {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      let numbers: [(String, Double?)] =
        [
          ("strata", figure.strataMedian), ("raw", figure.rawMedian), ("ratio", figure.ratio),
          ("min", figure.strata.min()), ("max", figure.strata.max()),
        ] + zip(peers, figure.peerMedians)
      let line = JSONLine(workload: workload.name, metric: figure.metric, numbers: numbers)
      put(String(decoding: try encoder.encode(line), as: UTF8.self))
    } else {
      let range = [figure.strata.min() ?? .nan, figure.strata.max() ?? .nan]
      let numbers =
        [figure.strataMedian, figure.rawMedian, figure.ratio] + range + figure.peerMedians
      line([workload.name, figure.metric] + numbers.map(Self.text))
    }
  }

  private struct JSONLine: Encodable {
    private struct Key: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }

      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    let workload: String
    let metric: String
    let numbers: [(name: String, value: Double?)]

    func encode(to encoder: any Encoder) throws {
      var line = encoder.container(keyedBy: Key.self)
      try line.encode(workload, forKey: Key(stringValue: "workload"))
      try line.encode(metric, forKey: Key(stringValue: "metric"))
      // A side that does not have the metric is left out.
      for case (let name, let value?) in numbers where value.isFinite {
        try line.encode(value, forKey: Key(stringValue: name))
      }
    }
  }

  private static func text(_ value: Double) -> String {
    value.isNaN ? "–" : String(format: value < 0.1 ? "%.5f" : value < 10 ? "%.3f" : "%.1f", value)
  }

  private func line(_ cells: [String]) {
    let widths = Self.widths + peers.map { max(11, $0.count) }
    let padded = zip(cells, widths).enumerated().map { column, cell in
      let space = String(repeating: " ", count: max(0, cell.1 - cell.0.count))
      // Words are aligned to the left, numbers to the right.
      return column < 2 ? cell.0 + space : space + cell.0
    }
    put(padded.joined(separator: " "))
  }

  /// Writes a line at once, so that a long run shows its results.
  private func put(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}
