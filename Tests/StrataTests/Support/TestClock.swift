import Strata
import StrataTesting

/// A clock that moves when it is told to, and wakes whoever sleeps until then.
final class TestClock: Clock {
  struct Instant: InstantProtocol {
    var offset = Duration.zero

    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct State: Sendable {
    var now = Instant()
    var sleepers: [Int: (until: Instant, continuation: CheckedContinuation<Void, Never>)] = [:]
    var cancelled: Set<Int> = []
    var last = 0
  }

  private let state = Lock(State())

  var now: Instant { state.withLock { $0.now } }
  var minimumResolution: Duration { .nanoseconds(1) }

  func advance(by duration: Duration) {
    let woken = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let due = state.sleepers.filter { $0.value.until <= state.now }
      for id in due.keys { state.sleepers[id] = nil }
      return due.values.map(\.continuation)
    }
    for continuation in woken { continuation.resume() }
  }

  /// Returns once so many sleep.
  func sleepers(_ count: Int) async {
    while state.withLock({ $0.sleepers.count }) < count { await Task.yield() }
  }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let id = state.withLock { state in
      state.last += 1
      return state.last
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isDue = state.withLock { state in
          if deadline <= state.now || state.cancelled.contains(id) { return true }
          state.sleepers[id] = (deadline, continuation)
          return false
        }
        if isDue { continuation.resume() }
      }
    } onCancel: {
      let continuation = state.withLock { state in
        state.cancelled.insert(id)
        return state.sleepers.removeValue(forKey: id)?.continuation
      }
      continuation?.resume()
    }
    try Task.checkCancellation()
  }
}
