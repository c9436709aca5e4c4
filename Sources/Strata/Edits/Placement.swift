/// The position of an element in an ordered list: a number between the positions of its neighbours.
///
/// If no number is left between them, neighbours on both sides get new positions, too. The count of
/// these neighbours doubles until there is enough room.
struct Placement {
  /// The element's own position.
  private(set) var position = 0.0
  /// New positions of other elements, in the order of the list.
  private(set) var moved: [(index: Int, position: Double)] = []

  /// Finds the positions that put an element at an index of a list.
  ///
  /// - Parameters:
  ///   - index: the element's index in the list; past an end, the element comes first or last.
  ///   - count: the number of the other elements.
  ///   - old: returns the position of the other element at an index. The positions ascend; equal
  ///     positions are allowed.
  /// - Complexity: O(1) calls of `old`, and O(*m*) if *m* other elements get new positions.
  init(at index: Int, count: Int, _ old: (Int) -> Double) {
    let index = max(0, min(index, count))
    var low = index
    var high = index
    var reach = 1
    while true {
      let lower = low > 0 ? old(low - 1) : nil
      let upper = high < count ? old(high) : nil
      if let numbers = Self.numbers(count: high - low + 1, between: lower, upper) {
        position = numbers[index - low]
        for other in low..<high {
          let number = numbers[other < index ? other - low : other - low + 1]
          if number != old(other) { moved.append((other, number)) }
        }
        return
      }
      low = max(0, index - reach)
      high = min(count, index + reach)
      reach *= 2
    }
  }

  /// Returns ascending numbers strictly between two bounds; nil if there is too little room.
  ///
  /// With at most one bound, there is always room, unless the bound is too large for steps of 1.
  private static func numbers(
    count: Int, between lower: Double?, _ upper: Double?
  ) -> [Double]? {
    let numbers: [Double]
    switch (lower, upper) {
    case (nil, nil): numbers = (0..<count).map { Double($0) }
    case (let lower?, nil): numbers = (1...count).map { lower + Double($0) }
    case (nil, let upper?): numbers = (1...count).reversed().map { upper - Double($0) }
    case (let lower?, let upper?):
      let step = (upper - lower) / Double(count + 1)
      numbers = (1...count).map { lower + step * Double($0) }
    }
    let all = [lower].compactMap { $0 } + numbers + [upper].compactMap { $0 }
    let isAscending = zip(all, all.dropFirst()).allSatisfy { $0 < $1 }
    return isAscending && numbers.allSatisfy(\.isFinite) ? numbers : nil
  }
}
