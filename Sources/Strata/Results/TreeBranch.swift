/// What a live tree shows beside each of its roots, without types.
enum TreeBranch: Sendable {
  /// The row of a level to which a column of the root refers.
  case one(level: Int, column: Int)
  /// The rows of a level that refer to the root.
  case many(level: Int, window: TreeWindow)
  /// The rows of a level to which the root's links lead.
  case linked(LinkedBranch)
  /// Values of the rows of a level that refer to the root.
  case values(level: Int, window: TreeWindow, of: [AggregateTerm<Int>])
  /// Values of the rows to which the root's links lead.
  case linkedValues(LinkedBranch, of: [AggregateTerm<Int>])

  /// Returns what a version of the tree shows beside a root.
  ///
  /// - Complexity: O(log *n*); O(*k* log *n*) for *k* links, or for *k* rows whose values a fold does not keep.
  func content(beside root: Record, in levels: [LevelRows]) -> TreeContent {
    switch self {
    case .one(let level, let column):
      return .row(root.isNull(column) ? nil : levels[level].tree.record(of: root.key(column)))
    case .many(let level, let window):
      return .rows(levels[level].rows(under: root.key(Table.keyColumn), window))
    case .linked(let branch): return .rows(branch.rows(beside: root, in: levels))
    case .values(let level, let window, let terms):
      let key = root.key(Table.keyColumn)
      if let fold = levels[level].fold { return .cells(fold.values(of: GroupKey([key.cell]))) }
      return .cells(levels[level].rows(under: key, window).values(of: terms))
    case .linkedValues(let branch, let terms):
      return .cells(branch.rows(beside: root, in: levels).values(of: terms))
    }
  }
}

extension ShownRows {
  /// Returns values of the rows. O(*n* log *n*).
  fileprivate func values(of terms: [AggregateTerm<Int>]) -> [Cell] {
    let fold = AggregateFold(terms, by: [], of: ContiguousArray(IteratorSequence(records)))
    return fold.values(of: GroupKey([]))
  }
}

/// What stands beside the roots of a live tree, in one version.
struct TreeRows: Sendable {
  let branches: [TreeBranch]
  var levels: [LevelRows]

  /// Returns what stands beside a root in a branch.
  func content(_ branch: Int, beside root: Record) -> TreeContent {
    branches[branch].content(beside: root, in: levels)
  }

  /// Returns whether something else stands beside a root than in an older version.
  func differs(beside after: Record, from old: TreeRows, beside before: Record) -> Bool {
    branches.indices.contains {
      content($0, beside: after).differs(from: old.content($0, beside: before))
    }
  }
}

/// The limit and the offset of a relationship, which count for each root.
struct TreeWindow: Sendable, Hashable {
  let limit: Int?
  let offset: Int

  /// The number of rows that decide which ones are shown; nil for all.
  var reach: Int? { limit.map { $0 + offset } }

  func ranks(in run: Range<Int>) -> Range<Int> {
    let start = min(run.lowerBound + offset, run.upperBound)
    return start..<(limit.map { min(start + $0, run.upperBound) } ?? run.upperBound)
  }
}

/// The targets of a many-to-many relationship.
struct LinkedBranch: Sendable {
  /// The level of the links, and the level of their targets.
  let (links, targets): (Int, Int)
  let end: JoinTable.End
  /// The query for the targets, in whose order they are shown.
  let plan: QueryPlan
  let window: TreeWindow

  /// Returns the targets in the query's order.
  fileprivate func rows(beside root: Record, in levels: [LevelRows]) -> ShownRows {
    let (links, targets) = (levels[links].tree.rows, levels[targets].tree)
    var found = ContiguousArray<Record>()
    for rank in levels[self.links].run(under: root.key(Table.keyColumn)) {
      let link = links[rank]
      guard let target = targets.record(of: link.key(end.target)) else { continue }
      found.append(end.position.map { target.appending(orNull: link[$0]) } ?? target)
    }
    let tree = ResultTree(found, order: plan.order)
    return ShownRows(tree, window.ranks(in: 0..<tree.count))
  }
}

/// What a live tree shows beside one root in one branch.
enum TreeContent: Sendable {
  case row(Record?)
  case rows(ShownRows)
  case cells([Cell])

  /// Returns whether another version shows something else.
  ///
  /// - Complexity: as for ``RunDifferences``.
  func differs(from old: TreeContent) -> Bool {
    switch (old, self) {
    case (.row(let old), .row(let new)): return old != new
    case (.cells(let old), .cells(let new)): return old != new
    case (.rows(let old), .rows(let new)):
      var differences = RunDifferences(from: old, to: new)
      return old.range.count != new.range.count || differences.next() != nil
    case (.row, _), (.rows, _), (.cells, _): return true
    }
  }
}
