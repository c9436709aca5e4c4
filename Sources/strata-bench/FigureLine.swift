import Foundation

/// A figure as a line of JSON.
struct FigureLine: Encodable {
  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  let workload: String
  let metric: String
  /// The numbers by name. A side that does not have the metric is left out.
  let numbers: [(name: String, value: Double?)]

  var json: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
  }

  func encode(to encoder: any Encoder) throws {
    var line = encoder.container(keyedBy: Key.self)
    try line.encode(workload, forKey: Key(stringValue: "workload"))
    try line.encode(metric, forKey: Key(stringValue: "metric"))
    for case (let name, let value?) in numbers where value.isFinite {
      try line.encode(value, forKey: Key(stringValue: name))
    }
  }
}
