import Foundation
import StrataTestTurns
import Testing

@testable import StrataImport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.inTurn) struct RetryAfterTests {
  /// Sunday, 6 November 1994, 08:49:37 GMT.
  private static let example = Date(timeIntervalSince1970: 784_111_777)

  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    "sun, 06 nov 1994 08:49:37 gmt", "Mon, 06 Nov 1994 08:49:37 GMT",
  ])
  func `every form of a date is read`(text: String) {
    #expect(HTTPDate.date(text) == Self.example)
    let now = Self.example.addingTimeInterval(-20)
    #expect(Duration(retryAfter: text, now: now) == .seconds(20))
    #expect(Duration(retryAfter: text, now: Self.example.addingTimeInterval(5)) == .zero)
  }

  @Test func `every day of a century is read in every form`() throws {
    let names = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let long = ["Sun", "Mon", "Tues", "Wednes", "Thurs", "Fri", "Satur"]
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    for step in 0..<2_500 {
      // 1978 to 2076: the years that two digits can name, as seen from 2027.
      let date = Date(timeIntervalSince1970: 252_500_000 + Double(step) * 1_230_007)
      let parts = calendar.dateComponents(
        [.year, .month, .day, .hour, .minute, .second, .weekday], from: date)
      let (year, month) = (try #require(parts.year), months[try #require(parts.month) - 1])
      let (day, weekday) = (try #require(parts.day), try #require(parts.weekday) - 1)
      func two(_ number: Int?) -> String { String("0\(number ?? 0)".suffix(2)) }
      let time = "\(two(parts.hour)):\(two(parts.minute)):\(two(parts.second))"
      let padded = day < 10 ? " \(day)" : "\(day)"
      for text in [
        "\(names[weekday]), \(two(day)) \(month) \(year) \(time) GMT",
        "\(long[weekday])day, \(two(day))-\(month)-\(two(year % 100)) \(time) GMT",
        "\(names[weekday]) \(month) \(padded) \(time) \(year)",
      ] {
        #expect(HTTPDate.date(text, now: now) == date, "\(text)")
      }
    }
  }

  @Test(
    arguments: [
      ("0", 0), ("1", 1), (" 120 ", 120), ("86400", 86400), ("2147483648", 1 << 31),
      ("9223372036854775807", 1 << 31), ("99999999999999999999999999", 1 << 31),
    ] as [(String, Int64)])
  func `seconds are read up to 68 years`(text: String, seconds: Int64) {
    #expect(Duration(retryAfter: text) == .seconds(seconds))
  }

  @Test(arguments: [
    "", " ", "-1", "+5", "1.5", "soon", "0x10", "１２", "5 s", "Sun, 06 Nov 1994 08:49:37",
    "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 31 Feb 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 8:9:7 GMT", "Sun, 06 Nov 994 08:49:37 GMT",
    "1994-11-06T08:49:37Z", "Sunday, 06-Nov-1 08:49:37 GMT", "Sun Foo  6 08:49:37 1994",
  ])
  func `any other text is no wait`(text: String) { #expect(Duration(retryAfter: text) == nil) }

  @Test func `a wait that cannot be read is the usual wait`() throws {
    let policy = RetryPolicy(jitter: 0)
    func delay(_ field: String) throws -> Duration? {
      let url = try #require(URL(string: "https://api.test/"))
      let response = try #require(
        HTTPURLResponse(
          url: url, statusCode: 503, httpVersion: nil, headerFields: ["Retry-After": field]))
      return policy.delay(after: 1, .source(HTTPStatusError(response)))
    }
    #expect(try delay("-1") == .milliseconds(500))
    #expect(try delay("7") == .seconds(7))
    #expect(try delay("9223372036854775807") == .seconds(30))
  }
}
