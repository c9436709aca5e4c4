import Foundation

/// Processor time of this thread since it was made: what a busy machine takes away does not count.
struct ProcessorWatch {
  private let start = Self.now

  var milliseconds: Double { (Self.now - start) / 1e6 }
  var microseconds: Double { (Self.now - start) / 1e3 }

  /// In nanoseconds.
  private static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }
}
