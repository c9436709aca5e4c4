import Foundation

/// A watch of the processor time of this thread, which starts when it is made.
///
/// Time that a busy machine spends on other threads does not count.
struct ProcessorWatch {
  private let start = Self.now

  var milliseconds: Double { (Self.now - start) / 1e6 }
  var microseconds: Double { (Self.now - start) / 1e3 }

  /// The processor time of this thread in nanoseconds.
  private static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }
}
