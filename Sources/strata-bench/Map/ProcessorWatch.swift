import Foundation

/// A watch of the processor time of this thread, which starts when it is made.
///
/// Time that a busy machine spends on other threads does not count.
struct ProcessorWatch {
  private let start = Self.now
  private let thread = ObjectIdentifier(Thread.current)

  var milliseconds: Double { (Self.now - start) / 1e6 }
  var microseconds: Double { (Self.now - start) / 1e3 }

  /// The milliseconds since the start; nil on another thread, whose clock has another zero.
  ///
  /// On Linux the main actor runs on any thread, and changes it from time to time.
  var millisecondsOfThread: Double? {
    ObjectIdentifier(Thread.current) == thread ? milliseconds : nil
  }

  /// The processor time of this thread in nanoseconds.
  private static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }
}
