internal import Foundation
internal import Synchronization

/// The tests of the process that took longest, which it prints at its end.
///
/// A test's time begins with its turn, so a test that waited for others is not among them.
enum LongestTests {
  private static let count = 10
  private static let times = Mutex<[(test: String, time: Duration)]>([])

  /// Prints the list when the process ends.
  private static let report: Void = {
    atexit {
      let longest = LongestTests.times.withLock { $0.sorted { $0.time > $1.time } }
      print("The tests that took longest:")
      for (test, time) in longest.prefix(LongestTests.count) {
        print(String(format: "%8.3f s  %@", time / .seconds(1), test))
      }
    }
  }()

  static func add(_ test: String, _ time: Duration) {
    report
    times.withLock { $0.append((test, time)) }
  }
}
