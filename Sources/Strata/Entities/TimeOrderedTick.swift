internal import Foundation
internal import Synchronization

/// A moment in parts of 1/4096 of a millisecond, which are about 244 ns.
struct TimeOrderedTick: Hashable, Sendable {
  /// The parts since 1970, in 60 bits.
  let count: UInt64

  init(count: UInt64) { self.count = count & 0xFFF_FFFF_FFFF_FFFF }

  init(_ date: Date) {
    let milliseconds = max(0, date.timeIntervalSince1970) * 1_000
    let whole = milliseconds.rounded(.down)
    self.init(count: UInt64(whole) << 12 | UInt64((milliseconds - whole) * 4_096))
  }

  var milliseconds: UInt64 { count >> 12 }
  var fraction: UInt64 { count & 0xFFF }
}

/// Ticks in ascending order.
///
/// While ticks are taken faster than one in 244 ns, or after the clock was set back, the next tick
/// is one part after the last tick.
struct TimeOrderedTicks: ~Copyable, Sendable {
  /// The ticks of this process.
  static let process = TimeOrderedTicks()

  private let last = Atomic<UInt64>(0)

  /// Returns the tick of a moment, or the tick after the last tick if that is later.
  ///
  /// A call that begins after the end of another call returns a later tick, on any thread.
  /// Exchanges of one atomic have one order on all threads, so no stronger order is needed.
  func next(at date: Date) -> TimeOrderedTick {
    let now = TimeOrderedTick(date).count
    var known = last.load(ordering: .relaxed)
    while true {
      let next = max(now, known + 1)
      let (isExchanged, original) = last.weakCompareExchange(
        expected: known, desired: next, ordering: .relaxed)
      if isExchanged { return TimeOrderedTick(count: next) }
      known = original
    }
  }
}
