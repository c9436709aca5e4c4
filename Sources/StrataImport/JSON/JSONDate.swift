/// Dates written as text: RFC 3339, and the neighbouring forms of ISO 8601 that servers send.
///
/// `YYYY-MM-DDTHH:MM:SS[.fraction](Z|±HH:MM|±HHMM|±HH)`, with `t`, `z` or a space accepted, or
/// `YYYY-MM-DD` alone, which is midnight UTC. Years are 0000 to 9999 in the Gregorian calendar, also
/// before its introduction. Second 60 is the first second of the next minute. Digits of the fraction
/// after the fifteenth have no weight.
package enum JSONDate {
  /// The seconds since 2001-01-01T00:00:00Z, Foundation's reference date; nil for any other text.
  package static func secondsSinceReferenceDate(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
    guard text.count >= 10, text[4] == dash, text[7] == dash else { return nil }
    let (century, yearOfCentury) = (pair(text, 0), pair(text, 2))
    let (month, day) = (pair(text, 5), pair(text, 8))
    guard century | yearOfCentury | month | day >= 0 else { return nil }
    let year = century * 100 + yearOfCentury
    guard (1...12).contains(month), day >= 1, day <= length(ofMonth: month, year: year) else {
      return nil
    }
    let midnight = (days(year: year, month: month, day: day) - daysToReferenceDate) * 86_400
    return text.count == 10 ? Double(midnight) : time(text, after: midnight)
  }

  /// Reads `THH:MM:SS[.fraction](Z|±HH[[:]MM])` from index 10.
  @inline(__always)
  private static func time(_ text: UnsafeBufferPointer<UInt8>, after midnight: Int) -> Double? {
    guard text.count >= 20, text[13] == colon, text[16] == colon else { return nil }
    guard text[10] | 0x20 == UInt8(ascii: "t") || text[10] == UInt8(ascii: " ") else { return nil }
    let (hour, minute, second) = (pair(text, 11), pair(text, 14), pair(text, 17))
    guard hour | minute | second >= 0, hour <= 23, minute <= 59, second <= 60 else { return nil }
    var index = 19
    var fraction = 0.0
    if text[index] == UInt8(ascii: ".") {
      guard let value = self.fraction(text, &index) else { return nil }
      fraction = value
    }
    guard let offset = offset(text, index) else { return nil }
    return Double(midnight + hour * 3600 + minute * 60 + second - offset) + fraction
  }

  /// Reads a point and the digits after it.
  private static func fraction(_ text: UnsafeBufferPointer<UInt8>, _ index: inout Int) -> Double? {
    index += 1
    let first = index
    var (value, scale) = (0.0, 1.0)
    while index < text.count, case let digit = text[index] &- UInt8(ascii: "0"), digit <= 9 {
      if index - first < 15 { (value, scale) = (value * 10 + Double(digit), scale * 10) }
      index += 1
    }
    return index > first ? value / scale : nil
  }

  /// Reads `Z`, `±HH:MM`, `±HHMM` or `±HH` up to the text's end; in seconds east of Greenwich.
  @inline(__always)
  private static func offset(_ text: UnsafeBufferPointer<UInt8>, _ index: Int) -> Int? {
    guard index < text.count else { return nil }
    let sign = text[index]
    if sign | 0x20 == UInt8(ascii: "z") { return index + 1 == text.count ? 0 : nil }
    guard sign == UInt8(ascii: "+") || sign == dash else { return nil }
    var (hours, minutes) = (0, 0)
    switch text.count - index {
    case 3: hours = pair(text, index + 1)
    case 5: (hours, minutes) = (pair(text, index + 1), pair(text, index + 3))
    case 6 where text[index + 3] == colon:
      (hours, minutes) = (pair(text, index + 1), pair(text, index + 4))
    default: return nil
    }
    guard hours | minutes >= 0, hours <= 23, minutes <= 59 else { return nil }
    let seconds = hours * 3600 + minutes * 60
    return sign == dash ? -seconds : seconds
  }

  // MARK: Calendar

  /// Days from 0000-03-01 (Hinnant, "chrono-compatible low-level date algorithms"): years begin in
  /// March, so that a leap day is the last of its year.
  @inline(__always)
  private static func days(year: Int, month: Int, day: Int) -> Int {
    let shifted = month > 2 ? year : year - 1
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
  }

  /// 0000-03-01 to 2001-01-01.
  private static let daysToReferenceDate = 730_791

  @inline(__always)
  private static func length(ofMonth month: Int, year: Int) -> Int {
    guard month == 2 else { return 30 + (month + month >> 3) & 1 }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return isLeap ? 29 : 28
  }

  // MARK: Characters

  private static var dash: UInt8 { UInt8(ascii: "-") }
  private static var colon: UInt8 { UInt8(ascii: ":") }

  /// The number of two digits at an index, negative unless both are digits.
  @inline(__always)
  private static func pair(_ text: UnsafeBufferPointer<UInt8>, _ index: Int) -> Int {
    let (tens, ones) = (text[index] &- 0x30, text[index + 1] &- 0x30)
    return tens <= 9 && ones <= 9 ? Int(tens) * 10 + Int(ones) : -1
  }
}
