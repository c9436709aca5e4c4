extension JSONDate {
  /// Returns the text that reads back as the date, with as few digits of a second as possible.
  ///
  /// Within some seconds of the reference date a `Double` is finer than the fifteen digits that a
  /// reader uses. There the text is the nearest to the date.
  ///
  /// - Returns: nil for years of more than six digits.
  static func text(secondsSinceReferenceDate date: Double) -> String? {
    guard date.isFinite, abs(date) < 1e14 else { return nil }
    var whole = date.rounded(.down)
    var fraction = date - whole
    if fraction >= 1 { (whole, fraction) = (whole + 1, 0) }
    var second = Int(whole)
    if fraction == 0 { return text(second: second, digits: "") }
    var scale = 1.0
    for count in 1...15 {
      scale *= 10
      // `digits` is below 2⁵³, so it is exact. The reader divides the same two numbers.
      let digits = (fraction * scale).rounded()
      let isSame = digits < scale && whole + digits / scale == date
      guard isSame || count == 15 else { continue }
      if digits >= scale {
        second += 1
        return text(second: second, digits: "")
      }
      let shown = String(Int(digits))
      return text(
        second: second, digits: "." + String(repeating: "0", count: count - shown.count) + shown)
    }
    return nil
  }

  private static func text(second: Int, digits: String) -> String? {
    let day = second.quotientRoundedDown(by: 86_400)
    let (year, month, dayOfMonth) = date(daysSinceReferenceDate: day)
    guard (-999_999...999_999).contains(year) else { return nil }
    let time = second - day * 86_400
    let sign = year < 0 ? "-" : year > 9_999 ? "+" : ""
    return sign + padded(abs(year), sign.isEmpty ? 4 : 6) + "-" + padded(month, 2) + "-"
      + padded(dayOfMonth, 2) + "T" + padded(time / 3600, 2) + ":" + padded(time / 60 % 60, 2) + ":"
      + padded(time % 60, 2) + digits + "Z"
  }

  private static func padded(_ number: Int, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }

  /// Returns the proleptic Gregorian date of a day (Hinnant, "chrono-compatible low-level date
  /// algorithms").
  private static func date(daysSinceReferenceDate days: Int) -> (year: Int, month: Int, day: Int) {
    // Days from 0000-03-01, because the year of the algorithm begins in March.
    let shifted = days + 730_791
    let era = shifted.quotientRoundedDown(by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * month + 2) / 5 + 1
    let year = yearOfEra + era * 400 + (month >= 10 ? 1 : 0)
    return (year, month < 10 ? month + 3 : month - 9, day)
  }
}

extension Int {
  fileprivate func quotientRoundedDown(by divisor: Int) -> Int {
    let quotient = self / divisor
    return self % divisor < 0 ? quotient - 1 : quotient
  }
}
