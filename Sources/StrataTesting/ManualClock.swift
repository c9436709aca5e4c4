public import Foundation
public import Strata

/// A clock that stands still until a test moves it.
///
/// The clock is for every API that takes a `Clock`, such as `Refresher` and
/// `LiveQuery.updates(every:clock:)`. With ``stackOptions`` it is also the time of a stack's
/// freshness, eviction and history:
///
/// ```swift
/// let clock = ManualClock()
/// let stack = try await Stack.temporary(Song.self, options: clock.stackOptions)
/// clock.advance(by: .seconds(3600))
/// #expect(try await stack.isStale(Song.all, olderThan: .seconds(60)))
/// ```
public final class ManualClock: Clock {
  /// A moment of the clock.
  public struct Instant: InstantProtocol {
    /// The time since the clock was made.
    public fileprivate(set) var offset = Duration.zero

    /// Returns the moment that is `duration` later; earlier if `duration` is negative.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    /// Returns the time from this moment to another; negative if the other moment is earlier.
    public func duration(to other: Instant) -> Duration { other.offset - offset }
    public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private typealias Continuation = UnsafeContinuation<Void, Never>

  private struct State: Sendable {
    /// The date at the clock's beginning.
    var start: Date
    var now = Instant()
    var sleeps: [Duration] = []
    var sleepers: [Int: (deadline: Instant, continuation: Continuation)] = [:]
    /// The sleepers that were cancelled before they fell asleep.
    var cancelled: Set<Int> = []
    var lastSleeper = 0
    var watchers: [(count: Int, continuation: Continuation)] = []

    var date: Date { start.addingTimeInterval(now.offset / .seconds(1)) }

    mutating func wake() -> [Continuation] {
      let due = sleepers.filter { $0.value.deadline <= now }
      for id in due.keys { sleepers[id] = nil }
      return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
        .map(\.value.continuation)
    }
  }

  private let state: Lock<State>
  private let skipsSleeps: Bool

  /// Creates a clock that stands at a date.
  ///
  /// - Parameters:
  ///   - date: the date at first; the reference date, 2001-01-01, unless given.
  ///   - skippingSleeps: whether a sleep moves the clock and returns at once, for code whose pauses
  ///     do not matter. ``sleeps`` has the durations of the skipped sleeps.
  public init(
    _ date: Date = Date(timeIntervalSinceReferenceDate: 0), skippingSleeps: Bool = false
  ) {
    state = Lock(State(start: date))
    skipsSleeps = skippingSleeps
  }

  /// The present moment of the clock.
  public var now: Instant { state.withLock { $0.now } }

  /// One nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// The date that the clock shows.
  ///
  /// Setting the date wakes no sleeper. Only the calendar changes, forwards or backwards, as when a
  /// user sets the date.
  public var date: Date {
    get { state.withLock { $0.date } }
    set { state.withLock { $0.start += newValue.timeIntervalSince($0.date) } }
  }

  /// Options for a stack that uses the date of this clock.
  public var stackOptions: Stack.Options {
    var options = Stack.Options()
    options.now = { self.date }
    return options
  }

  /// Moves the clock, and wakes every sleeper whose time has come, the earliest first.
  public func advance(by duration: Duration) {
    let woken = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      return state.wake()
    }
    for continuation in woken { continuation.resume() }
  }

  // MARK: Sleeping

  /// The durations of all sleeps until now, in the order in which they began.
  public var sleeps: [Duration] { state.withLock { $0.sleeps } }

  /// Waits until at least `count` tasks sleep, even if the waiting task is cancelled.
  public func waitForSleepers(_ count: Int = 1) async {
    await withUnsafeContinuation { (continuation: Continuation) in
      let areThere = state.withLock { state in
        if state.sleepers.count >= count { return true }
        state.watchers.append((count, continuation))
        return false
      }
      if areThere { continuation.resume() }
    }
  }

  /// Waits until the clock has reached `deadline`.
  ///
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try Task.checkCancellation()
    let id = state.withLock { state in
      state.lastSleeper += 1
      state.sleeps.append(state.now.duration(to: deadline))
      return state.lastSleeper
    }
    if skipsSleeps { return advance(by: max(.zero, now.duration(to: deadline))) }
    await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        for waiting in fallAsleep(id, until: deadline, continuation) { waiting.resume() }
      }
    } onCancel: {
      let continuation = state.withLock { state in
        let sleeper = state.sleepers.removeValue(forKey: id)
        if sleeper == nil { state.cancelled.insert(id) }
        return sleeper?.continuation
      }
      continuation?.resume()
    }
    state.withLock { _ = $0.cancelled.remove(id) }
    try Task.checkCancellation()
  }

  /// Returns the continuations to resume: the sleeper's own if it need not sleep, or waiters for
  /// sleepers.
  private func fallAsleep(
    _ id: Int, until deadline: Instant, _ continuation: Continuation
  ) -> [Continuation] {
    state.withLock { state in
      if deadline <= state.now || state.cancelled.contains(id) { return [continuation] }
      state.sleepers[id] = (deadline, continuation)
      let count = state.sleepers.count
      let reached = state.watchers.filter { $0.count <= count }
      state.watchers.removeAll { $0.count <= count }
      return reached.map(\.continuation)
    }
  }
}
