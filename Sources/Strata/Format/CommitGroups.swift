/// The edits that have to reach a server together, because one commit may have made some of them.
///
/// An edit stands for the edits of all commits between the first and the last that edited its row. Two
/// edits whose ranges meet are in one group.
package struct CommitGroups {
  /// The number of each edit's group.
  private let groups: [Int]

  /// - Complexity: O(*n* log *n*) of the edits.
  package init(_ commits: [ClosedRange<Int64>]) {
    var groups = [Int](repeating: 0, count: commits.count)
    var (group, end) = (-1, Int64.min)
    for number in commits.indices.sorted(by: {
      commits[$0].lowerBound < commits[$1].lowerBound
    }) {
      if commits[number].lowerBound > end || group < 0 { group += 1 }
      end = max(end, commits[number].upperBound)
      groups[number] = group
    }
    self.groups = groups
  }

  /// Returns all edits that are in a group with one of some edits.
  package func all(with edits: some Sequence<Int>) -> [Int] {
    let some = Set(edits.map { groups[$0] })
    return groups.indices.filter { some.contains(groups[$0]) }
  }

  /// Returns the first edits, in whole groups, whose sizes are not more than a limit together.
  ///
  /// The first group is returned in any case.
  package func first(within limit: Int, sizes: [Int]) -> Set<Int> {
    var sums = [Int](repeating: 0, count: (groups.max() ?? -1) + 1)
    for (group, size) in zip(groups, sizes) { sums[group] += size }
    var (chosen, total) = (Set<Int>(), 0)
    for group in groups where !chosen.contains(group) {
      if total + sums[group] > limit && !chosen.isEmpty { break }
      total += sums[group]
      chosen.insert(group)
    }
    return Set(groups.indices.filter { chosen.contains(groups[$0]) })
  }
}
