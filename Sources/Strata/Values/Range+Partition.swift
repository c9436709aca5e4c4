extension Range<Int> {
  /// Returns the first index for which `isBefore` is false, or the end of the range.
  ///
  /// All indices for which it is true must come first. O(log *n*).
  @inlinable @inline(__always)
  package func partitioningIndex(_ isBefore: (Int) -> Bool) -> Int {
    var (low, high) = (lowerBound, upperBound)
    while low < high {
      let middle = low &+ (high &- low) >> 1
      if isBefore(middle) { low = middle &+ 1 } else { high = middle }
    }
    return low
  }
}
