internal import Foundation

/// A hash that is the same on every launch and every machine (FNV-1a of 128 bits).
///
/// `Hasher` is no alternative, because it starts with a different seed in every process.
struct StableHash {
  private var state: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d

  /// Adds bytes and their number, which keeps neighbouring texts apart.
  mutating func combine(_ bytes: some Collection<UInt8>) {
    for byte in bytes { combine(byte) }
    withUnsafeBytes(of: UInt64(bytes.count).littleEndian) { for byte in $0 { combine(byte) } }
  }

  mutating func combine(_ cell: Cell) {
    switch cell {
    case .null: combine("null".utf8)
    case .integer(let value): combine("integer \(value)".utf8)
    case .real(let value): combine("real \(value.bitPattern)".utf8)
    case .text(let text):
      combine("text".utf8)
      combine(text.utf8)
    case .blob(let data):
      combine("blob".utf8)
      combine(data)
    }
  }

  private mutating func combine(_ byte: UInt8) {
    state ^= UInt128(byte)
    state &*= 0x0000_0000_0100_0000_0000_0000_0000_013b
  }

  var bytes: [UInt8] { withUnsafeBytes(of: state.bigEndian) { Array($0) } }
}

extension Sequence<UInt8> {
  /// A hash of 64 bits that is the same in every version of every program (FNV-1a).
  package var stableHash: UInt64 {
    reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
