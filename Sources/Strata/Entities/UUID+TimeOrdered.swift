public import Foundation

extension UUID {
  /// Creates a unique identifier that sorts by the time of its creation (version 7 of RFC 9562).
  ///
  /// It has 48 bits of milliseconds since 1970, then 74 random bits. Keys that are created one
  /// after the other lie beside each other in the store's index, so inserting them is as fast as
  /// inserting counters. Entities that are created offline never collide.
  public static func timeOrdered() -> UUID { timeOrdered(at: Date()) }

  static func timeOrdered(at date: Date) -> UUID {
    let seconds = max(0, date.timeIntervalSince1970)
    let milliseconds = UInt64(seconds * 1000) & 0xFFFF_FFFF_FFFF
    var random = SystemRandomNumberGenerator()
    let high = milliseconds << 16 | 0x7000 | random.next() & 0x0FFF
    let low = 0x8000_0000_0000_0000 | random.next() >> 2
    return withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) {
      UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
    }
  }
}
