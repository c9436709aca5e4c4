/// Dates written as text: RFC 3339, and the neighbouring forms of ISO 8601 that servers send.
///
/// The form is `YYYY-MM-DDTHH:MM[:SS[.fraction]](Z|±HH:MM|±HHMM|±HH)`, or without dashes and colons
/// `YYYYMMDDTHHMM[SS[.fraction]](…)`. The letters may be `t` and `z`, a space may replace the `T`,
/// and a comma may replace the point. A date alone is midnight UTC. A year has four digits, or a
/// sign and six digits. The calendar is Gregorian, also before its introduction. Second 60 is the
/// first second of the next minute. Digits of the fraction after the fifteenth are ignored.
package enum JSONDate {
  /// Returns the seconds since 2001-01-01T00:00:00Z, Foundation's reference date.
  ///
  /// - Parameter assumesUTC: whether a time without a zone is in UTC. Otherwise it is refused.
  /// - Returns: nil for text that is not a date.
  package static func secondsSinceReferenceDate(
    _ text: UnsafeBufferPointer<UInt8>, assumesUTC: Bool = false
  ) -> Double? {
    var reader = Reader(text: text)
    guard let (midnight, isExtended) = reader.date() else { return nil }
    if reader.isAtEnd { return Double(midnight) }
    guard let (seconds, fraction) = reader.time(isExtended: isExtended) else { return nil }
    var offset = 0
    if !(assumesUTC && reader.isAtEnd) {
      guard let zone = reader.zone() else { return nil }
      offset = zone
    }
    return reader.isAtEnd ? Double(midnight + seconds - offset) + fraction : nil
  }
}

extension JSONDate {
  /// Reads the parts of a date from left to right.
  private struct Reader {
    let text: UnsafeBufferPointer<UInt8>
    var index = 0

    init(text: UnsafeBufferPointer<UInt8>) { self.text = text }

    var isAtEnd: Bool { index == text.count }

    /// Reads `YYYY-MM-DD`, or the same without dashes, as seconds since the reference date.
    @inline(__always)
    mutating func date() -> (midnight: Int, isExtended: Bool)? {
      guard let year = year() else { return nil }
      let isExtended = take(UInt8(ascii: "-"))
      let month = pair()
      if isExtended, !take(UInt8(ascii: "-")) { return nil }
      let day = pair()
      guard (1...12).contains(month), day >= 1, day <= JSONDate.length(ofMonth: month, year: year)
      else {
        return nil
      }
      let days =
        JSONDate.days(year: year, month: month, day: day) - JSONDate.daysToReferenceDate
      return (days * 86_400, isExtended)
    }

    /// Reads `YYYY` or `±YYYYYY`. Year -000000 is invalid.
    @inline(__always)
    private mutating func year() -> Int? {
      let sign = next
      let isSigned = sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-")
      if isSigned { index += 1 }
      let first = isSigned ? pair() : 0
      let (second, third) = (pair(), pair())
      guard first | second | third >= 0 else { return nil }
      let year = first * 10_000 + second * 100 + third
      if sign == UInt8(ascii: "-") { return year == 0 ? nil : -year }
      return year
    }

    /// Reads `THH:MM[:SS[.fraction]]`, or the same without colons.
    @inline(__always)
    mutating func time(isExtended: Bool) -> (seconds: Int, fraction: Double)? {
      guard take(UInt8(ascii: "T")) || take(UInt8(ascii: "t")) || take(UInt8(ascii: " ")) else {
        return nil
      }
      let hour = pair()
      if isExtended, !take(UInt8(ascii: ":")) { return nil }
      let minute = pair()
      guard hour | minute >= 0, hour <= 23, minute <= 59 else { return nil }
      let hasSecond = isExtended ? take(UInt8(ascii: ":")) : JSONDate.isDigit(next)
      guard hasSecond else { return (hour * 3600 + minute * 60, 0) }
      let second = pair()
      guard 0...60 ~= second else { return nil }
      var fraction = 0.0
      if take(UInt8(ascii: ".")) || take(UInt8(ascii: ",")) {
        guard let value = self.fraction() else { return nil }
        fraction = value
      }
      return (hour * 3600 + minute * 60 + second, fraction)
    }

    /// Reads the digits after a point.
    private mutating func fraction() -> Double? {
      let first = index
      var (value, scale) = (0.0, 1.0)
      while JSONDate.isDigit(next) {
        if index - first < 15 { (value, scale) = (value * 10 + Double(next &- 0x30), scale * 10) }
        index += 1
      }
      return index > first ? value / scale : nil
    }

    /// Reads `Z`, `±HH:MM`, `±HHMM` or `±HH` as seconds east of Greenwich.
    @inline(__always)
    mutating func zone() -> Int? {
      if take(UInt8(ascii: "Z")) || take(UInt8(ascii: "z")) { return 0 }
      let isWest = take(UInt8(ascii: "-"))
      guard isWest || take(UInt8(ascii: "+")) else { return nil }
      let hours = pair()
      var minutes = 0
      if take(UInt8(ascii: ":")) || !isAtEnd { minutes = pair() }
      guard hours | minutes >= 0, hours <= 23, minutes <= 59 else { return nil }
      let seconds = hours * 3600 + minutes * 60
      return isWest ? -seconds : seconds
    }

    // MARK: Characters

    /// The next byte; NUL at the end.
    private var next: UInt8 { index < text.count ? text[index] : 0 }

    @inline(__always)
    private mutating func take(_ byte: UInt8) -> Bool {
      guard next == byte else { return false }
      index += 1
      return true
    }

    /// Reads two digits as a number; the result is negative for any other text.
    @inline(__always)
    private mutating func pair() -> Int {
      guard index + 1 < text.count else { return -1 }
      let (tens, ones) = (text[index] &- 0x30, text[index + 1] &- 0x30)
      index += 2
      return tens <= 9 && ones <= 9 ? Int(tens) * 10 + Int(ones) : -1
    }
  }

  @inline(__always)
  private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 <= 9 }

  // MARK: Calendar

  /// Returns the days from 0000-03-01 (Hinnant, "chrono-compatible low-level date algorithms").
  ///
  /// Years begin in March, so that a leap day is the last day of its year.
  @inline(__always)
  private static func days(year: Int, month: Int, day: Int) -> Int {
    let shifted = month > 2 ? year : year - 1
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
  }

  /// The days from 0000-03-01 to 2001-01-01.
  private static let daysToReferenceDate = 730_791

  @inline(__always)
  private static func length(ofMonth month: Int, year: Int) -> Int {
    guard month == 2 else { return 30 + (month + month >> 3) & 1 }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return isLeap ? 29 : 28
  }
}
