extension DeleteRules {
  /// Returns the deletions that may go together, and the others with the reason why they stay.
  ///
  /// Refused deletions are halved until the deletions that cause the refusal are found. Rules count
  /// the rows that remain. So each of two deletions alone may be permitted, but not both. Then the
  /// first one goes.
  ///
  /// - Parameter refusal: returns the reason why some deletions, without any others, are refused;
  ///   nil if they may go.
  static func permitted<Deletion, Refusal>(
    of deletions: [Deletion],
    _ refusal: (ArraySlice<Deletion>) throws(StoreError) -> Refusal?
  ) throws(StoreError) -> (going: [Deletion], refused: [(deletion: Deletion, reason: Refusal)]) {
    var refused: [(deletion: Deletion, reason: Refusal)] = []
    /// Returns `first`, which may go, and those of the others that may go with it.
    func adding(
      _ others: ArraySlice<Deletion>, to first: [Deletion]
    ) throws(StoreError) -> [Deletion] {
      let all = first + others
      guard let last = others.last, let reason = try refusal(all[...]) else { return all }
      if others.count == 1 {
        refused.append((last, reason))
        return first
      }
      let middle = others.startIndex + others.count / 2
      let half = try adding(others[..<middle], to: first)
      // The search in the second half alone does not repeat the rules of the first half.
      let isAlone = first.isEmpty && !half.isEmpty
      let rest = try isAlone ? adding(others[middle...], to: [])[...] : others[middle...]
      return try adding(rest, to: half)
    }
    return (try adding(deletions[...], to: []), refused)
  }
}
