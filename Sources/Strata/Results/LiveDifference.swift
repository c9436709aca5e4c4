/// The difference between two versions of a live query, as a list needs it.
///
/// Deletions and the origins of moves are offsets in the old version. Insertions, the destinations
/// of moves, and edits are offsets in the new version. To turn the old list into the new list,
/// remove the deletions and the origins of moves first. Then insert the insertions and the
/// destinations of moves, in ascending order.
struct LiveDifference: Sendable {
  struct Edit: Sendable {
    let offset: Int
    let attributes: AttributeSet
  }

  private(set) var deletions: [Int] = []
  private(set) var insertions: [Int] = []
  private(set) var moves: [(from: Int, to: Int)] = []
  private(set) var edits: [Edit] = []
  /// The same difference by section, if the query has sections.
  private(set) var sections: SectionDifference?
  /// What differs beside the rows of a live tree, by offset.
  private(set) var related: [RelatedDifference] = []

  var isEmpty: Bool {
    deletions.isEmpty && insertions.isEmpty && moves.isEmpty && edits.isEmpty && related.isEmpty
  }

  private struct Common {
    let old: Int
    let new: Int
    /// Whether the section differs, so that the element moves even if its neighbours are the same.
    let changesSection: Bool
  }

  /// Creates the difference from `old` to `new`, in which only `keys` may differ.
  ///
  /// - Parameter reading: the attributes that count as edits, beside the attributes that sort; nil
  ///   for all.
  /// - Complexity: O(*k* log *n*) for *k* keys.
  init(
    from old: ShownRows, to new: ShownRows, keys: Set<RecordKey>, reading: AttributeSet? = nil
  ) {
    let isReordered = old.tree.rows.order != new.tree.rows.order
    let order = new.tree.rows.order.attributes
    let read = reading?.union(order)
    let sectionOrder = new.sections?.order
    var candidates: [Common] = []
    for key in ShownRows.keysThatMayDiffer(old, new, changed: keys) {
      switch (old.find(key), new.find(key)) {
      case (nil, nil): break
      case (let before?, nil): deletions.append(before.offset)
      case (nil, let after?): insertions.append(after.offset)
      case (let before?, let after?):
        if let was = old.related, let rows = new.related {
          related += rows.differences(beside: after, from: was, beside: before.record)
        }
        let changed = after.record.sharedDifferences(from: before.record)
        let edited = read.map(changed.intersection) ?? changed
        if !edited.isEmpty { edits.append(Edit(offset: after.offset, attributes: edited)) }
        if isReordered || !changed.isDisjoint(with: order) {
          candidates.append(
            Common(
              old: before.offset, new: after.offset,
              changesSection: sectionOrder.map {
                $0.compare(before.record, after.record) != 0
              } ?? false))
        }
      }
    }
    deletions.sort()
    insertions.sort()
    edits.sort { $0.offset < $1.offset }
    related.sort { ($0.offset, $0.branch) < ($1.offset, $1.branch) }
    moves = Self.moves(candidates, deletions: deletions, insertions: insertions)
    if let before = old.sections, let after = new.sections {
      sections = SectionDifference(self, from: before, to: after)
    }
  }

  /// Creates the difference of a change; nil if the difference is not worth listing.
  init?(_ change: LiveChange, reading: AttributeSet?) {
    let keys: Set<RecordKey>
    // Sections never move. Sections in a different order make a different list.
    if change.old.sections?.order != change.new.sections?.order { return nil }
    switch change.changed {
    case .all: return nil
    case .every: keys = change.old.keys.union(change.new.keys)
    case .some(let batches): keys = batches.distinct
    }
    self.init(from: change.old, to: change.new, keys: keys, reading: reading)
  }

  /// Returns the fewest candidates that have to move so that all other elements stay in order.
  ///
  /// A candidate may stay if the number of unmoved elements before it is unchanged: it is then in
  /// the same gap between them. Of the candidates in a gap, a longest increasing subsequence stays.
  private static func moves(
    _ candidates: [Common], deletions: [Int], insertions: [Int]
  ) -> [(from: Int, to: Int)] {
    if candidates.isEmpty { return [] }
    let oldGone = (deletions + candidates.map(\.old)).sorted()
    let newComers = (insertions + candidates.map(\.new)).sorted()
    var inGap: [Common] = []
    var moves: [(from: Int, to: Int)] = []
    for candidate in candidates.sorted(by: { $0.old < $1.old }) {
      let before =
        candidate.old - oldGone.indices.partitioningIndex { oldGone[$0] < candidate.old }
      let after =
        candidate.new - newComers.indices.partitioningIndex { newComers[$0] < candidate.new }
      if before == after && !candidate.changesSection {
        inGap.append(candidate)
      } else {
        moves.append((candidate.old, candidate.new))
      }
    }
    // Gaps have the same order on both sides, so one subsequence over all gaps suffices.
    let staying = longestIncreasingSubsequence(inGap.map(\.new))
    for (index, candidate) in inGap.enumerated() where !staying.contains(index) {
      moves.append((candidate.old, candidate.new))
    }
    return moves.sorted { $0.to < $1.to }
  }

  /// Returns the indices of a longest increasing subsequence, by patience sorting. O(*n* log *n*).
  private static func longestIncreasingSubsequence(_ values: [Int]) -> Set<Int> {
    var tails: [Int] = []
    var previous = [Int?](repeating: nil, count: values.count)
    for index in values.indices {
      let length = tails.indices.partitioningIndex { values[tails[$0]] < values[index] }
      if length > 0 { previous[index] = tails[length - 1] }
      if length == tails.count { tails.append(index) } else { tails[length] = index }
    }
    var result: Set<Int> = []
    var next = tails.last
    while let index = next {
      result.insert(index)
      next = previous[index]
    }
    return result
  }
}
