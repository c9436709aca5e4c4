import StrataTestTurns
import Testing

@testable import strata_bench

@Suite(.inTurn) struct MetricTests {
  @Test(arguments: [
    ("half changed ms", "half changed", "ms"), ("insert ms", "insert", "ms"),
    ("half changed, bpm only ms", "half changed, bpm only", "ms"),
    ("queued, µs a commit", "queued", "µs a commit"), ("µs a record", "each", "µs a record"),
    ("CPU µs a change, beyond the commit", "CPU, beyond the commit", "µs a change"),
    ("MB/s, raw: JSONDecoder", "raw: JSONDecoder", "MB/s"),
    ("peak resident MB, raw: bytes", "peak resident, raw: bytes", "MB"),
    ("1000 rows, µs a look-up in one call", "1000 rows in one call", "µs a look-up"),
    ("towns 10000: bytes a point", "towns 10000", "bytes a point"),
    ("changes in one of supercluster (31 ms)", "changes in one of supercluster (31 ms)", ""),
  ])
  func `a metric is a name and a unit`(text: String, name: String, unit: String) {
    let metric = Metric(text)
    #expect(metric.name == name && metric.unit == unit)
    #expect(metric.isRate == (unit == "MB/s"))
  }

  @Test func `a mean of ratios takes a rate the other way round`() throws {
    var ratios = Ratios()
    #expect(ratios.mean == nil)
    ratios.add(2, of: Metric("insert ms"))
    ratios.add(0.5, of: Metric("fetch ms"))
    #expect(try #require(ratios.mean).formatted(6) == "1.000000", "the arithmetic mean is 1.25")
    ratios.add(4, of: Metric("MB/s"))
    ratios.add(.nan, of: Metric("keys ms"))
    #expect(ratios.count == 3)
    #expect(try #require(ratios.mean).formatted(2) == "0.63", "the cube root of a quarter")
  }
}
