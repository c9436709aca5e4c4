import StrataTestTurns
import Testing

@testable import strata_bench

@MainActor @Suite(.inTurn) struct ReportTests {
  private final class Lines {
    var text: [String] = []
  }

  private static let earlier = """
    Build complete!
    {"max":9,"metric":"insert ms","strata":10,"workload":"W1"}
    {"metric":"MB/s, raw: JSONDecoder","strata":100,"workload":"J1"}
    """

  private func figures() -> [(String, Figure)] {
    var insert = Figure(metric: "insert ms", peers: 1)
    (insert.strata, insert.raw, insert.peers) = ([4, 5, 6], [10], [[20]])
    insert.floor = [2, 4, 3]
    var parse = Figure(metric: "MB/s, raw: JSONDecoder", peers: 1)
    (parse.strata, parse.raw) = ([200], [50])
    var alone = Figure(metric: "a save p50 ms", peers: 1)
    alone.strata = [3]
    return [("W1", insert), ("J1", parse), ("W9s", alone)]
  }

  private func report(
    asJSON: Bool = false, earlier: String? = nil,
    terminal: Terminal = Terminal(environment: [:], isInteractive: false)
  ) throws -> [String] {
    let lines = Lines()
    let report = Report(
      asJSON: asJSON, peers: ["GRDB"], earlier: try earlier.map { try EarlierRun($0) },
      terminal: terminal
    ) { lines.text.append($0) }
    report.begin()
    for (workload, figure) in figures() { try report.add(figure, of: workload) }
    report.end()
    return lines.text
  }

  private func columns(_ line: String) -> [String] {
    line.split(separator: /\s{2,}/).map(String.init)
  }

  /// Returns the ninth cell, the ratio to an earlier run.
  private func change(_ line: String) -> String? { columns(line).dropFirst(8).first }

  @Test func `a table has units, ratios and a dash for a side that is not there`() throws {
    let lines = try report()
    #expect(
      lines[0].split(separator: " ")
        == [
          "workload", "metric", "unit", "strata", "raw", "ratio", "floor", "÷", "floor", "min",
          "max",
          "GRDB",
        ])
    #expect(
      columns(lines[1])
        == [
          "W1", "insert", "ms", "5.000", "10.0", "0.500", "3.000", "1.667", "4.000", "6.000",
          "20.0",
        ])
    #expect(columns(lines[3]).contains("–"))
    #expect(Set(lines[0...3].map(\.count)).count == 1, "the columns are aligned")
  }

  @Test func `the lines under the table say what raw is, and the mean of the ratios`() throws {
    let text = try report().joined(separator: " ")
    #expect(text.contains("raw is the same work in C"))
    // 0.5, and 4 times the rate, which counts as 0.25.
    #expect(text.contains("Geometric mean of 2 ratios to raw: 0.35"))
    #expect(!text.contains("earlier"))
  }

  @Test func `an earlier run adds a column and a mean`() throws {
    let lines = try report(earlier: Self.earlier)
    #expect(lines[0].contains("÷ earlier"))
    #expect(change(lines[1]) == "0.500" && change(lines[2]) == "2.000")
    #expect(change(lines[3]) == "–", "the earlier run does not have it")
    #expect(lines.last == "Geometric mean of 2 ratios to the earlier run: 0.50")
  }

  @Test func `a report as JSON is its own earlier run`() throws {
    let lines = try report(asJSON: true)
    #expect(lines.count == 3, "figures alone")
    #expect(
      lines[0] == """
        {"GRDB":20,"floor":3,"max":6,"metric":"insert ms","min":4,"ratio":0.5,"raw":10,"strata":5,\
        "workload":"W1"}
        """)
    let compared = try report(earlier: lines.joined(separator: "\n"))
    #expect(compared.last == "Geometric mean of 3 ratios to the earlier run: 1.00")
    #expect(try report(asJSON: true, earlier: Self.earlier)[0].contains("\"earlier\":10"))
  }

  @Test(arguments: ["", "no figures", "{\"workload\":\"W1\",\"metric\":\"insert ms\"}"])
  func `a file without figures is no earlier run`(text: String) {
    #expect(throws: BenchError.self) { try EarlierRun(text) }
    #expect(throws: BenchError.self) { try EarlierRun(path: "/nowhere.json") }
  }

  @Test func `an earlier run of other workloads says so`() throws {
    let other = "{\"metric\":\"x\",\"strata\":1,\"workload\":\"W2\"}"
    #expect(try report(earlier: other).last == "The earlier run has none of these figures.")
  }

  @Test(arguments: [200, 100, 80])
  func `the table fits into the window of a terminal`(columns: Int) throws {
    let terminal = Terminal(
      environment: ["NO_COLOR": "1"], isInteractive: true, size: (columns, 24))
    let lines = try report(terminal: terminal)
    let plain = lines.map { $0.replacing(#/\u{1B}\[[0-9;]*m/#, with: "") }
    #expect(plain.allSatisfy { $0.count <= columns })
    #expect(plain[0].contains("min") == (columns == 200), "the range is left out first")
    #expect(plain[2].contains("raw: JSOND"), "the name of the metric can be recognised")
  }

  @Test func `the table of a terminal without Unicode is ASCII`() throws {
    let terminal = Terminal(environment: ["LANG": "C"], isInteractive: false)
    let lines = try report(earlier: Self.earlier, terminal: terminal)
    #expect(lines.joined().allSatisfy { $0.isASCII })
    #expect(Set(lines[0...3].map(\.count)).count == 1)
  }
}
