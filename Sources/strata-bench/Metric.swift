/// The name of a metric and its unit, from one text such as `half changed ms`.
struct Metric: Hashable {
  /// The name without the unit.
  let name: String
  /// The unit, such as `ms` or `µs a commit`; empty for a plain number.
  let unit: String

  /// Whether a greater value is better.
  var isRate: Bool { unit == "MB/s" }

  init(_ text: String) {
    let pattern = /(?:^|,? )((?:MB\/s|MB|ms|µs|bytes)(?: a [a-z\-]+)?)(?=,| |$)/
    guard let match = text.firstMatch(of: pattern) else {
      (name, unit) = (text, "")
      return
    }
    unit = String(match.1)
    let rest = String(text[..<match.range.lowerBound] + text[match.range.upperBound...])
    let trimmed = rest.trimmingPrefix(", ")
    name = trimmed.isEmpty ? "each" : String(trimmed.last == ":" ? trimmed.dropLast() : trimmed)
  }
}
