import Synchronization

/// A clock that stands still until it is told otherwise.
final class ManualClock: Clock {
  struct Instant: InstantProtocol {
    var offset: Duration

    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private let milliseconds = Atomic(0)

  var now: Instant {
    Instant(offset: .milliseconds(milliseconds.load(ordering: .sequentiallyConsistent)))
  }
  var minimumResolution: Duration { .milliseconds(1) }

  func advance(milliseconds count: Int) {
    milliseconds.add(count, ordering: .sequentiallyConsistent)
  }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    fatalError("nothing here waits for this clock")
  }
}
