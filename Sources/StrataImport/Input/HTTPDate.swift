internal import Foundation

/// A date of a header field in one of the three forms of HTTP (RFC 9110, 5.6.7).
///
/// ```
/// Sun, 06 Nov 1994 08:49:37 GMT    IMF-fixdate
/// Sunday, 06-Nov-94 08:49:37 GMT   RFC 850
/// Sun Nov  6 08:49:37 1994         asctime
/// ```
enum HTTPDate {
  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  /// Returns the date that a text names; nil for any other text.
  ///
  /// - Parameter now: the time by which the century of a year with two digits is found.
  static func date(_ text: String, now: Date = Date()) -> Date? {
    let words = text.lowercased().split { $0 == " " || $0 == "," || $0 == "-" }.map(String.init)
    // The day of the week says nothing new.
    guard let weekday = words.first, weekday.allSatisfy(\.isLetter) else { return nil }
    switch words.count {
    case 6 where words[5] == "gmt":
      guard let year = year(words[3], now) else { return nil }
      return date(year, words[2], words[1], words[4])
    case 5:
      guard words[4].count == 4, let year = number(words[4]) else { return nil }
      return date(year, words[1], words[2], words[3])
    default: return nil
    }
  }

  /// Reads a year. A year of two digits is at most 50 years in the future.
  private static func year(_ text: String, _ now: Date) -> Int? {
    guard let number = number(text) else { return nil }
    if text.count == 4 { return number }
    guard text.count == 2 else { return nil }
    let current = calendar.component(.year, from: now)
    let year = current - current % 100 + number
    return year > current + 50 ? year - 100 : year <= current - 50 ? year + 100 : year
  }

  private static func date(_ year: Int, _ month: String, _ day: String, _ time: String) -> Date? {
    let clock = time.split(separator: ":", omittingEmptySubsequences: false).map {
      $0.count == 2 ? number(String($0)) : nil
    }
    guard let month = months.firstIndex(of: month), let day = number(day), clock.count == 3,
      let hour = clock[0], let minute = clock[1], let second = clock[2],
      hour < 24, minute < 60, second <= 60
    else { return nil }
    let parts = DateComponents(
      year: year, month: month + 1, day: day, hour: hour, minute: minute, second: second)
    guard let date = calendar.date(from: parts),
      calendar.component(.day, from: date) == day || second == 60
    else { return nil }
    return date
  }

  private static func number(_ text: String) -> Int? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
  }

  private static var calendar: Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }
}

extension Duration {
  /// Reads the value of a `Retry-After` field: seconds, or a date (RFC 9110, 10.2.3).
  ///
  /// More seconds than 2^31, some 68 years, count as 2^31 (RFC 9111, 1.2.2). A date in the past is
  /// no wait.
  init?(retryAfter text: String, now: Date = Date()) {
    let text = text.trimmingCharacters(in: .whitespaces)
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      self = .seconds(min(Int(text) ?? .max, 1 << 31))
      return
    }
    guard let date = HTTPDate.date(text, now: now) else { return nil }
    self = .seconds(max(0, min(date.timeIntervalSince(now), 0x1p31)))
  }
}
