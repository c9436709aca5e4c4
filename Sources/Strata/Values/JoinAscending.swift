/// Walks two ascending lists together, and calls `visit` once for each value in order.
///
/// `visit` gets the value's position in each list; nil if a list does not have the value.
///
/// - Parameters:
///   - first: the number of elements of the first list.
///   - second: the number of elements of the second list.
///   - compare: a closure that compares the elements at two positions. It returns a negative number
///     if the first list's element comes before the other, 0 for equal elements, else a positive
///     number.
/// - Complexity: O(*m* + *n*).
@inline(__always)
func joinAscending(
  _ first: Int, _ second: Int, by compare: (Int, Int) -> Int, _ visit: (Int?, Int?) -> Void
) {
  var (i, j) = (0, 0)
  while i < first || j < second {
    let order = i == first ? 1 : j == second ? -1 : compare(i, j)
    visit(order <= 0 ? i : nil, order >= 0 ? j : nil)
    if order <= 0 { i += 1 }
    if order >= 0 { j += 1 }
  }
}
