import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

@Suite(.inTurn) struct JSONNumberTests {
  private func value(_ text: String, _ kind: JSONColumn.Kind) throws -> Outcome? {
    scan("[{\"n\":\(text)}]", try plan(("n", kind))).first
  }

  @Test func `generated numbers are read bit for bit as the standard library reads them`() throws {
    var numbers = NumberTexts(generator: SeededRandom.printingSeed())
    let texts = (0..<30_000).map { _ in numbers.next() }
    let outcomes = scan(
      "[\(texts.map { "[\($0)]" }.joined(separator: ","))]", try plan(("[0]", .real)))
    #expect(outcomes.count == texts.count)
    for (text, outcome) in zip(texts, outcomes) {
      let expected = try #require(Double(text))
      guard case .real(let value)? = outcome.values?.first else {
        #expect(!expected.isFinite && outcome.refusal?.problem == .numberOutOfRange, "\(text)")
        continue
      }
      if value.bitPattern != expected.bitPattern { Issue.record("\(text) was read as \(value)") }
    }
  }

  @Test(
    arguments: [
      ("9223372036854775807", Int64.max), ("-9223372036854775808", .min), ("0", 0), ("-0", 0),
      ("1.0", 1), ("1e3", 1000), ("1.5e1", 15), ("-2.50e2", -250), ("100e-2", 1), ("0e99999999", 0),
      ("9007199254740993", 9_007_199_254_740_993), ("922337203685477580.7e1", .max),
    ])
  func `integers are exact`(text: String, expected: Int64) throws {
    #expect(try value(text, .integer)?.values == [.integer(expected)])
  }

  @Test(
    arguments: [
      "9223372036854775808", "-9223372036854775809", "18446744073709551616", "1.5", "1e-1", "1e19",
      "99999999999999999999", "1e999999999999999999999",
    ])
  func `numbers that are no integers of 64 bits are refused`(text: String) throws {
    #expect(try value(text, .integer)?.refusal?.problem == .notAnInteger)
    #expect(try value(text, .integer)?.refusal?.found == text)
  }

  @Test(
    arguments: [
      ("-0", -0.0), ("-0.0", -0.0), ("9007199254740993", 9_007_199_254_740_992),
      ("4.9e-324", .leastNonzeroMagnitude), ("2.4703282292062327e-324", 0),
      ("1.7976931348623157e308", .greatestFiniteMagnitude),
      ("2.2250738585072011e-308", .leastNormalMagnitude.nextDown), ("1e-400", 0), ("1e23", 1e23),
    ])
  func `reals are the nearest doubles`(text: String, expected: Double) throws {
    guard case .real(let value)? = try value(text, .real)?.values?.first else {
      Issue.record("not read: \(text)")
      return
    }
    #expect(value.bitPattern == expected.bitPattern)
  }

  @Test(arguments: ["1e309", "-1e400", "1e999999999999"])
  func `a number beyond every double is refused where a real is wanted`(text: String) throws {
    #expect(try value(text, .real)?.refusal?.problem == .numberOutOfRange)
    #expect(try value(text, .json)?.values == [.text(text)])
  }

  @Test func `a number in a string counts only where that is allowed`() throws {
    let json = #"[{"n":"12.50"},{"n":"\u0031"},{"n":"12x"},{"n":""},{"n":" 1"},{"n":"0123"}]"#
    let path = try JSONPath("n")
    let lenient = try JSONPlan([JSONColumn(path, .real, allowsNumberInString: true)])
    #expect(scan(json, lenient).prefix(2).map(\.values) == [[.real(12.5)], [.real(1)]])
    #expect(
      scan(json, lenient).dropFirst(2).map(\.refusal?.problem)
        == Array(repeating: .expected(.number), count: 4))
    #expect(
      scan(json, try plan(("n", .real))).allSatisfy { $0.refusal?.problem == .expected(.number) })
  }
}
