import Chapter

/// A watch that starts when it is made.
struct Stopwatch {
  private let start = ContinuousClock.now

  /// The time since the start, such as `12 ms`, or `0.4 ms` if it is short.
  var time: String { Self.text(start.duration(to: .now)) }

  static func text(_ duration: Duration) -> String {
    let tenths = Int((duration / .milliseconds(0.1)).rounded())
    return tenths < 100 ? "\(tenths / 10).\(tenths % 10) ms" : "\(((tenths + 5) / 10).grouped) ms"
  }
}
