/// The outcome of a run, printed as one line of JSON.
struct Report: Sendable {
  let mode: String
  var counts: [String: Int] = [:]
  var violations: [String] = []
  /// The names of the counts that a run has to have.
  private var required: [String] = []

  init(mode: String, counts: [String: Int] = [:], violations: [String] = []) {
    (self.mode, self.counts, self.violations) = (mode, counts, violations)
  }

  /// Adds a violation for each count that is too low to prove anything.
  mutating func require(_ names: String..., atLeast least: Int = 1) {
    required += names
    for name in names where counts[name, default: 0] < least {
      violations.append("too little was done: \(name) \(counts[name, default: 0]) of \(least)")
    }
  }

  /// The outcome in words, such as *contexts: 60 histories, 1,642 edits, 210 saves. 0 violations ✓*.
  var sentence: String {
    let done = required.prefix(4).map { name in
      let words = name.replacing(/[A-Z]/) { " " + $0.output.lowercased() }
      return "\(counts[name, default: 0].grouped) \(words)"
    }
    let end = violations.count == 1 ? "1 violation" : "\(violations.count.grouped) violations"
    let mark = violations.isEmpty ? "✓" : "✗"
    return "\(mode): " + (done.isEmpty ? "" : done.joined(separator: ", ") + ". ")
      + "\(end) \(mark)"
  }

  var json: String {
    let numbers = counts.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
    let notes = violations.prefix(3).map { note in
      "\"" + String(note.unicodeScalars.map { $0.isPlain ? Character($0) : "'" }) + "\""
    }
    let members =
      ["\"mode\":\"\(mode)\""] + numbers
      + ["\"violations\":\(violations.count)", "\"first\":[\(notes.joined(separator: ","))]"]
    return "{" + members.joined(separator: ",") + "}"
  }
}

extension Unicode.Scalar {
  /// Whether the scalar may stand in a JSON string without an escape.
  fileprivate var isPlain: Bool { self != "\"" && self != "\\" && value >= 0x20 }
}
