/// Slot numbers by 32 bits of a hash: open addressing with linear probing.
///
/// An entry contains its hash. So a look-up touches only the table, and a removal can close the
/// gap. Different elements may share a hash, so the caller compares the elements that it finds.
struct SlotTable: Sendable {
  /// The hash in the upper half, the slot in the lower half.
  private var entries: [UInt64]
  private(set) var count = 0

  private static let free = UInt64.max
  /// The least size: a table is never empty, so that it can grow.
  private static let least = 8

  init(capacity: Int = 0) {
    entries = Array(repeating: Self.free, count: max(Self.least, capacity * 3 / 2))
  }

  /// Returns the first index of a hash. The upper bits spread hashes evenly over the table.
  @inline(__always)
  private static func home(_ hash: UInt32, _ size: Int) -> Int {
    Int(truncatingIfNeeded: (UInt64(hash) &* UInt64(size)) >> 32)
  }

  /// Calls `body` with every slot of a hash.
  @inline(__always)
  func forEach(_ hash: UInt32, _ body: (_ slot: Int) -> Void) {
    entries.withUnsafeBufferPointer { entries in
      var position = Self.home(hash, entries.count)
      while entries[position] != Self.free {
        let entry = entries[position]
        if UInt32(truncatingIfNeeded: entry >> 32) == hash {
          body(Int(truncatingIfNeeded: entry & 0xFFFF_FFFF))
        }
        position += 1
        if position == entries.count { position = 0 }
      }
    }
  }

  /// Calls `body` with every slot in the table.
  func forEachSlot(_ body: (_ slot: Int) -> Void) {
    for entry in entries where entry != Self.free { body(Int(entry & 0xFFFF_FFFF)) }
  }

  mutating func insert(_ hash: UInt32, _ slot: Int) {
    // Grows from three quarters full to half full.
    if count * 4 >= entries.count * 3 { resize(to: entries.count * 3 / 2) }
    Self.put(UInt64(hash) << 32 | UInt64(slot), &entries)
    count += 1
  }

  private static func put(_ entry: UInt64, _ entries: inout [UInt64]) {
    var position = home(UInt32(truncatingIfNeeded: entry >> 32), entries.count)
    while entries[position] != free {
      position += 1
      if position == entries.count { position = 0 }
    }
    entries[position] = entry
  }

  mutating func remove(_ hash: UInt32, _ slot: Int) {
    let entry = UInt64(hash) << 32 | UInt64(slot)
    let size = entries.count
    var hole = Self.home(hash, size)
    while entries[hole] != entry {
      guard entries[hole] != Self.free else { fatalError("SlotTable: slot \(slot) is not in it") }
      hole += 1
      if hole == size { hole = 0 }
    }
    // An entry after the hole moves into the hole, unless the hole is before the entry's first
    // index.
    var position = hole
    while true {
      position += 1
      if position == size { position = 0 }
      let next = entries[position]
      if next == Self.free { break }
      let home = Self.home(UInt32(truncatingIfNeeded: next >> 32), size)
      let isReachable =
        hole <= position ? home <= hole || home > position : home <= hole && home > position
      if isReachable {
        entries[hole] = next
        hole = position
      }
    }
    entries[hole] = Self.free
    count -= 1
    // Shrinks to half full, so that the next resizing is as many changes away in both directions.
    if entries.count > 64 && count * 6 < entries.count { resize(to: max(Self.least, count * 2)) }
  }

  /// Releases memory that an estimate of the capacity reserved.
  mutating func fit() {
    if entries.count > 64 && count * 2 < entries.count {
      resize(to: max(Self.least, count * 3 / 2))
    }
  }

  private mutating func resize(to size: Int) {
    var larger = Array(repeating: Self.free, count: size)
    for entry in entries where entry != Self.free { Self.put(entry, &larger) }
    entries = larger
  }
}
