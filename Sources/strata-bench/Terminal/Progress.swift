/// The progress of long work as a line of text.
package struct Progress: Sendable {
  private let start: Duration

  /// - Parameter start: The time at which the work begins.
  package init(start: Duration) { self.start = start }

  /// Returns a line with the part that is done, the time that is left at the pace so far, and the
  /// current step.
  ///
  /// The step is last, because a narrow terminal cuts the end of the line.
  ///
  /// - Parameters:
  ///   - step: The work that runs now.
  ///   - done: The part of the work that is done, from 0 to 1; nil if it is unknown.
  ///   - now: The current time, by the clock of `start`.
  package func line(_ step: String, done: Double?, now: Duration) -> String {
    let elapsed = now - start
    guard let done else { return "\(Self.text(elapsed)), \(step)" }
    let part = min(max(done, 0), 1)
    let percent = "\(Int(part * 100)) %"
    // A pace needs a few seconds to be worth telling.
    guard part > 0, elapsed >= .seconds(2) else { return "\(percent), \(step)" }
    let left = elapsed * ((1 - part) / part)
    return "\(percent), about \(Self.text(left)) left, \(step)"
  }

  /// Returns a duration such as `8 s`, `3 min 20 s` or `2 h 5 min`.
  static func text(_ duration: Duration) -> String {
    let seconds = Int(max(0, duration / .seconds(1)).rounded())
    if seconds < 60 { return "\(seconds) s" }
    if seconds < 3_600 { return "\(seconds / 60) min \(seconds % 60) s" }
    return "\(seconds / 3_600) h \(seconds % 3_600 / 60) min"
  }
}
