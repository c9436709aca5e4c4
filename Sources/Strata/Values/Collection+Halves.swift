extension RandomAccessCollection {
  /// Joins neighbours in the form of a balanced tree; nil if there are no elements.
  ///
  /// Each element takes part in O(log *n*) joins.
  func joinedByHalves(_ join: (Element, Element) -> Element) -> Element? {
    if count <= 1 { return first }
    let middle = index(startIndex, offsetBy: count / 2)
    guard let first = self[..<middle].joinedByHalves(join),
      let second = self[middle...].joinedByHalves(join)
    else { return nil }
    return join(first, second)
  }
}
