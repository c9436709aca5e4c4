internal import Foundation

/// SQLite's comparison of byte strings and numbers.
enum CellOrder {
  /// Compares two byte strings as `memcmp` does, with a prefix before the longer string.
  @inline(__always)
  static func compare(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
    let shared = min(a.count, b.count)
    if shared > 0, let x = a.baseAddress, let y = b.baseAddress {
      let order = memcmp(x, y, shared)
      if order != 0 { return Int(order) }
    }
    return a.count - b.count
  }

  /// Compares two reals, with not-a-number first and equal to itself.
  @inline(__always)
  static func compare(_ a: Double, _ b: Double) -> Int {
    if a < b { return -1 }
    if a > b { return 1 }
    if a == b { return 0 }
    return (a.isNaN ? 0 : 1) - (b.isNaN ? 0 : 1)
  }

  /// Compares an integer with a real exactly.
  ///
  /// A conversion of the integer to `Double` would make 2⁵³ + 1 equal to 2⁵³.
  static func compare(_ a: Int64, _ b: Double) -> Int {
    if b.isNaN { return 1 }
    if b < -0x1p63 { return 1 }
    if b >= 0x1p63 { return -1 }
    let whole = Int64(b)  // in range, rounded towards zero
    if a != whole { return a < whole ? -1 : 1 }
    return compare(Double(whole), b)
  }
}
