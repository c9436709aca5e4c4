/// The columns of a table of figures, fitted to a terminal.
struct Table {
  struct Column: Hashable {
    let title: String
    let width: Int
    /// Whether the column is left out where there is no room for it.
    var isOptional = false
  }

  /// The columns of words: the workload, the metric and the unit.
  private static let words = [
    Column(title: "workload", width: 8), Column(title: "metric", width: 34),
    Column(title: "unit", width: 12),
  ]
  /// The least and the greatest width of the metric on a terminal.
  private static let metricWidths = 16...44

  private let terminal: Terminal
  private let columns: [Column]
  /// The positions of the columns of numbers that have room.
  private let shown: [Int]

  /// - Parameter numbers: The columns of numbers.
  init(_ numbers: [Column], on terminal: Terminal) {
    self.terminal = terminal
    var shown = Array(numbers.indices)
    var words = Self.words
    func room() -> Int {
      let fixed = words[0].width + words[2].width + 2
      return terminal.columns - fixed - shown.reduce(1) { $0 + numbers[$1].width + 1 }
    }
    // A file has room for everything.
    if terminal.isInteractive {
      if room() < words[1].width { shown.removeAll { numbers[$0].isOptional } }
      let width = min(max(room(), Self.metricWidths.lowerBound), Self.metricWidths.upperBound)
      words[1] = Column(title: words[1].title, width: width)
    }
    self.shown = shown
    columns = words + shown.map { numbers[$0] }
  }

  var header: String { terminal.bold(line(columns.map(\.title))) }

  /// Returns a line with numbers for all columns, in the order in which they were given.
  func row(_ workload: String, _ metric: Metric, _ numbers: [Double]) -> String {
    line([workload, metric.name, metric.unit] + shown.map { Self.text(numbers[$0]) })
  }

  /// Returns a number with about four digits, or a dash for not-a-number.
  static func text(_ value: Double) -> String {
    if value.isNaN { return "–" }
    let places = value < 0.1 ? 5 : value < 10 ? 3 : 1
    return value.formatted(places)
  }

  private func line(_ cells: [String]) -> String {
    let padded = zip(cells, columns).enumerated().map { position, cell in
      var text = terminal.spelled(cell.0)
      if terminal.isInteractive, position < 3, text.count > cell.1.width {
        text = terminal.spelled(String(text.prefix(cell.1.width - 1)) + "…")
      }
      let space = String(repeating: " ", count: max(0, cell.1.width - text.count))
      // Words are aligned to the left, numbers to the right.
      return position < 3 ? text + space : space + text
    }
    return padded.joined(separator: " ")
  }
}
