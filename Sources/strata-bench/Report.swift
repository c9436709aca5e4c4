import Foundation

/// Prints figures as they come, as lines of a table or of JSON, and a summary.
@MainActor
final class Report {
  private let asJSON: Bool
  private let peers: [String]
  private let earlier: EarlierRun?
  private let terminal: Terminal
  private let table: Table
  private let put: (String) -> Void
  private var toRaw = Ratios()
  private var toEarlier = Ratios()

  /// - Parameters:
  ///   - peers: The names of the peers.
  ///   - earlier: A run to compare with.
  ///   - put: A function that takes each line.
  init(
    asJSON: Bool, peers: [String], earlier: EarlierRun? = nil, terminal: Terminal = .output,
    put: @escaping (String) -> Void = {
      // A long run shows its results at once.
      FileHandle.standardOutput.write(Data(($0 + "\n").utf8))
    }
  ) {
    self.asJSON = asJSON
    self.peers = peers
    self.earlier = earlier
    self.terminal = terminal
    self.put = put
    let range = ["min", "max"].map { Table.Column(title: $0, width: 9, isOptional: true) }
    table = Table(
      ["strata", "raw"].map { Table.Column(title: $0, width: 9) }
        + [Table.Column(title: "ratio", width: 7)]
        + ["floor", "÷ floor"].map { Table.Column(title: $0, width: 8, isOptional: true) }
        + (earlier == nil ? [] : [Table.Column(title: "÷ earlier", width: 9)]) + range
        + peers.map { Table.Column(title: $0, width: max(11, $0.count)) },
      on: terminal)
  }

  func begin() {
    if !asJSON { put(table.header) }
  }

  func add(_ figure: Figure, of workload: String) throws {
    let metric = Metric(figure.metric)
    let before = earlier?.median(figure.metric, of: workload)
    let change = before.map { figure.strataMedian / $0 } ?? .nan
    toRaw.add(figure.ratio, of: metric)
    toEarlier.add(change, of: metric)
    let range = [figure.strata.min() ?? .nan, figure.strata.max() ?? .nan]
    guard asJSON else {
      let numbers = [
        figure.strataMedian, figure.rawMedian, figure.ratio, figure.floorMedian,
        figure.strataMedian / figure.floorMedian,
      ]
      let changes = earlier == nil ? [] : [change]
      return put(table.row(workload, metric, numbers + changes + range + figure.peerMedians))
    }
    let numbers: [(String, Double?)] =
      [
        ("strata", figure.strataMedian), ("raw", figure.rawMedian), ("ratio", figure.ratio),
        ("floor", figure.floorMedian),
        ("min", range[0]), ("max", range[1]), ("earlier", before),
      ] + zip(peers, figure.peerMedians)
    put(try FigureLine(workload: workload, metric: figure.metric, numbers: numbers).json)
  }

  /// Explains the columns, and prints the means of the ratios.
  func end() {
    if asJSON { return }
    put("")
    explain(
      """
      Figures are medians. raw is the same work in C: SQLite's own interface as a careful user \
      writes it, or the other parser that the metric names. A dash means that there is no such \
      side. ratio is strata ÷ raw: below 1, Strata takes less. For MB/s, more is better. floor is \
      for calls from the main actor: the raw work and the fewest changes of threads, measured in \
      the same run.
      """)
    if let mean = toRaw.mean {
      explain("Geometric mean of \(toRaw.count) ratios to raw: \(mean.formatted(2))")
    }
    guard earlier != nil else { return }
    if let mean = toEarlier.mean {
      explain(
        "Geometric mean of \(toEarlier.count) ratios to the earlier run: \(mean.formatted(2))")
    } else {
      explain("The earlier run has none of these figures.")
    }
  }

  private func explain(_ text: String) {
    for line in terminal.lines(terminal.spelled(text)) { put(line) }
  }
}

extension Double {
  /// Returns the number with a fixed number of decimals.
  func formatted(_ places: Int) -> String { String(format: "%.\(places)f", self) }
}
