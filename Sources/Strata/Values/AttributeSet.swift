/// A set of attributes of one entity, by position in its table.
package struct AttributeSet: Sendable, Hashable {
  private var low: UInt64 = 0
  /// The words for positions from 64 on.
  ///
  /// There are no trailing zero words, so equal sets compare equal.
  private var high: [UInt64] = []

  package init() {}

  package init(_ positions: some Sequence<Int>) {
    for position in positions { insert(position) }
  }

  /// Returns the first `count` attributes.
  package static func all(_ count: Int) -> AttributeSet {
    if count < 64 {
      var set = AttributeSet()
      set.low = (1 << UInt64(count)) - 1
      return set
    }
    return AttributeSet(0..<count)
  }

  /// Whether the set has no attributes.
  package var isEmpty: Bool { low == 0 && high.isEmpty }

  /// The number of attributes in the set.
  package var count: Int { high.reduce(low.nonzeroBitCount) { $0 + $1.nonzeroBitCount } }

  @inline(__always)
  package func contains(_ position: Int) -> Bool {
    if position < 64 { return low & (1 << UInt64(position)) != 0 }
    let word = position / 64 - 1
    return word < high.count && high[word] & (1 << UInt64(position % 64)) != 0
  }

  @inline(__always)
  package mutating func insert(_ position: Int) {
    if position < 64 {
      low |= 1 << UInt64(position)
    } else {
      let word = position / 64 - 1
      while high.count <= word { high.append(0) }
      high[word] |= 1 << UInt64(position % 64)
    }
  }

  package mutating func formUnion(_ other: AttributeSet) {
    low |= other.low
    while high.count < other.high.count { high.append(0) }
    for (word, bits) in other.high.enumerated() { high[word] |= bits }
  }

  package func union(_ other: AttributeSet) -> AttributeSet {
    var result = self
    result.formUnion(other)
    return result
  }

  func intersection(_ other: AttributeSet) -> AttributeSet {
    var result = AttributeSet()
    result.low = low & other.low
    result.high = zip(high, other.high).map { $0 & $1 }
    while result.high.last == 0 { result.high.removeLast() }
    return result
  }

  func subtracting(_ other: AttributeSet) -> AttributeSet {
    var result = self
    result.low &= ~other.low
    for (word, bits) in zip(high.indices, other.high) { result.high[word] &= ~bits }
    while result.high.last == 0 { result.high.removeLast() }
    return result
  }

  package func isDisjoint(with other: AttributeSet) -> Bool {
    low & other.low == 0 && zip(high, other.high).allSatisfy { $0 & $1 == 0 }
  }

  /// The positions in ascending order.
  package var positions: [Int] {
    var result: [Int] = []
    for (word, bits) in ([low] + high).enumerated() {
      var bits = bits
      while bits != 0 {
        result.append(word * 64 + bits.trailingZeroBitCount)
        bits &= bits &- 1
      }
    }
    return result
  }
}
