import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

@Suite(.inTurn) struct JSONDateTests {
  private func seconds(_ text: String, assumesUTC: Bool = false) -> Double? {
    Array(text.utf8).withUnsafeBufferPointer {
      JSONDate.secondsSinceReferenceDate($0, assumesUTC: assumesUTC)
    }
  }

  @Test(
    arguments: [
      ("2001-01-01T00:00:00Z", 0), ("2001-01-01", 0), ("2001-01-02", 86_400),
      ("2001-01-01t00:00:01z", 1), ("2001-01-01 00:01:00Z", 60), ("2001-01-01T00:00:00.5Z", 0.5),
      ("2001-01-01T00:00:00.25+00:00", 0.25), ("2001-01-01T01:00:00+01:00", 0),
      ("2001-01-01T01:00:00+0100", 0), ("2001-01-01T01:00:00+01", 0),
      ("2000-12-31T18:30:00-05:30", 0), ("2000-12-31T23:59:60Z", 0),
      ("2000-12-31T23:59:60.5Z", 0.5), ("2000-12-31T23:59:59.999Z", -1 + 0.999),
      ("1970-01-01T00:00:00Z", -978_307_200), ("2000-02-29T00:00:00Z", -26_524_800),
      ("2001-01-01T00:00:00.123456789012345678Z", 0.123456789012345),
      ("2001-01-01T00:01Z", 60), ("2001-01-01T00:00:00,5Z", 0.5), ("20010102", 86_400),
      ("20010101T000001Z", 1), ("20010101T0100+01", 0), ("20010101T000000.5Z", 0.5),
      ("+002001-01-01T00:00:00Z", 0), ("+012001-01-01", 315_569_520_000),
      ("-000001-12-31T00:00:00Z", -63_145_612_800),
    ] as [(String, Double)])
  func `dates become seconds since the reference date`(text: String, expected: Double) {
    #expect(seconds(text) == expected)
  }

  @Test func `every day from 0000 to 9999 has its number`() {
    // 0000-01-01 is 366 + 365 + … = 730,851 days before 2001-01-01.
    var (expected, days) = (-730_851, 0)
    for year in 0...9999 {
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      for (month, count) in [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        .enumerated()
      {
        for day in [1, count] {
          let text = "\(pad(year, 4))-\(pad(month + 1, 2))-\(pad(day, 2))"
          if seconds(text) != Double((expected + day - 1) * 86_400) { Issue.record("\(text)") }
        }
        #expect(seconds("\(pad(year, 4))-\(pad(month + 1, 2))-\(pad(count + 1, 2))") == nil)
        expected += count
        days += count
      }
    }
    #expect(days == 3_652_425)
  }

  @Test func `a time without a zone is in UTC only where that is said`() {
    for text in [
      "2001-01-01T00:01:00", "2001-01-01 00:01", "20010101T000100", "2001-01-01T00:01:00Z",
    ] {
      #expect(seconds(text, assumesUTC: true) == 60, "\(text)")
    }
    #expect(seconds("2001-01-01T00:01:00") == nil)
    #expect(seconds("2001-01-01T00:01:00 ", assumesUTC: true) == nil)
  }

  @Test func `Foundation reads the same since the calendar was introduced`() throws {
    var random = SeededRandom.printingSeed()
    for _ in 0..<2000 {
      func two(_ range: ClosedRange<Int>) -> String {
        pad(Int.random(in: range, using: &random), 2)
      }
      let day =
        "\(pad(Int.random(in: 1583...9999, using: &random), 4))-\(two(1...12))-\(two(1...28))"
      let zone = ["Z", "+\(two(0...14)):\(two(0...59))", "-\(two(0...12)):\(two(0...59))"]
      let text =
        "\(day)T\(two(0...23)):\(two(0...59)):\(two(0...59))\(zone.randomElement(using: &random) ?? "Z")"
      let expected = try Date(text, strategy: .iso8601).timeIntervalSinceReferenceDate
      #expect(seconds(text) == expected, "\(text)")
    }
  }

  private func pad(_ number: Int, _ width: Int) -> String {
    let digits = "\(number)"
    return String(repeating: "0", count: width - digits.count) + digits
  }

  @Test(
    arguments: [
      "", "2001", "2001-1-1", "2001-01-01T", "2001-01-01T00:00:00", "2001-01-01T00Z",
      "2001-13-01", "2001-00-01", "2001-02-29", "1900-02-29", "2001-04-31", "2001-01-00",
      "2001-01-01T24:00:00Z", "2001-01-01T00:60:00Z", "2001-01-01T00:00:61Z",
      "2001-01-01T00:00:00.Z", "2001-01-01T00:00:00+24:00",
      "2001-01-01T00:00:00+01:60", "2001-01-01T00:00:00+1", "2001-01-01T00:00:00+01:",
      "2001-01-01T00:00:00ZZ", "2001-01-01X00:00:00Z", "2001/01/01", "-001-01-01", "+2001-01-01",
      "2001-01-01T00:00:00Z ", " 2001-01-01", "2001-01-01T00:00:00.5", "２001-01-01",
      "2001-01-01T000000Z", "20010101T00:00:00Z", "2001-0101", "200101-01", "-000000-01-01",
      "+2001-01-01T00:00:00Z", "20010101T00000Z", "2001-W01-1", "2001-001",
      "2001-01-01T00:00:0xZ", "2001-01-01T-1:00:00Z", "2001-01-01T00-00-00Z",
    ])
  func `a text that is no date is refused`(text: String) {
    #expect(seconds(text) == nil)
  }

  @Test func `columns take dates as text, seconds and milliseconds`() throws {
    let plan = try plan(
      ("a", .date(.iso8601)), ("b", .date(.epochSeconds)), ("c", .date(.epochMilliseconds)))
    let json = #"[{"a":"2001-01-01T00:00:01.5Z","b":978307201.5,"c":978307201500},{"a":5}]"#
    let outcomes = scan(json, plan)
    #expect(outcomes.first?.values == [.real(1.5), .real(1.5), .real(1.5)])
    #expect(outcomes.last?.refusal?.problem == .expected(.date))
    #expect(
      scan(#"[{"a":"yesterday"}]"#, plan).first?.refusal?.description
        == #"a: not a date: "yesterday" at line 1, column 7 (byte 6)"#)
  }
}
