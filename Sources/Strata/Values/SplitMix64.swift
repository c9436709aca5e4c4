/// A generator of numbers that a seed reproduces, and a hash of one number.
///
/// The algorithm is SplitMix64 (Steele, Lea and Flood, 2014).
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private static let increment: UInt64 = 0x9E37_79B9_7F4A_7C15

  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  /// Creates a generator whose numbers are independent of those of other parts of the seed.
  package init(seed: UInt64, part: UInt64) { state = Self.mixed(seed ^ Self.mixed(part)) }

  package mutating func next() -> UInt64 {
    defer { state &+= Self.increment }
    return Self.mixed(state)
  }

  /// Returns a number that depends on every bit of `value` and is the same on every machine.
  @inline(__always)
  package static func mixed(_ value: UInt64) -> UInt64 {
    var word = value &+ increment
    word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    return word ^ word >> 31
  }
}
