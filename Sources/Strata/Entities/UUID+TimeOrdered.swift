public import Foundation

extension UUID {
  /// Creates a unique identifier that sorts by its creation (version 7 of RFC 9562).
  ///
  /// Within a process, each identifier sorts after every identifier that was created before it, in
  /// any task or thread, also within a millisecond and after the clock was set back. Identifiers of
  /// two processes or devices sort by the milliseconds of their clocks.
  ///
  /// It has 48 bits of milliseconds since 1970, 12 bits for the time within the millisecond, then
  /// 62 random bits. Keys that are created one after the other lie beside each other in the store's
  /// index, so inserting them is as fast as inserting counters. Entities that are created offline
  /// never collide.
  public static func timeOrdered() -> UUID {
    timeOrdered(at: TimeOrderedTicks.process.next(at: Date()))
  }

  static func timeOrdered(at tick: TimeOrderedTick) -> UUID {
    var random = SystemRandomNumberGenerator()
    let high = tick.milliseconds << 16 | 0x7000 | tick.fraction
    let low = 0x8000_0000_0000_0000 | random.next() >> 2
    return withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) {
      UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
    }
  }
}
