/// The step of a live tree's levels to a commit or to wanted rows, after the step of its roots.
struct TreeStep: Sendable {
  enum Progress {
    case done
    /// A level lacks the rows for some keys.
    case lacking(level: Int, Set<RecordKey>)
    /// So much has changed that reading all levels again costs less.
    case stale
  }

  private let changes: ChangeSet?
  /// The roots and the rows of the levels before the step.
  private let (roots, levels): (ResultTree, [LevelRows])
  private var next = 0

  init(_ changes: ChangeSet?, from result: MaintainedResult) {
    self.changes = changes
    roots = result.tree
    levels = result.levels
  }

  /// Brings level after level to the commit, until one lacks rows.
  ///
  /// - Parameter wanted: the keys of each level for which unsaved edits want rows; taken.
  mutating func advance(
    _ result: inout MaintainedResult, _ changed: inout MaintainedChange,
    _ wanted: inout [Set<RecordKey>]
  ) -> Progress {
    if changed.levels.isEmpty { changed.levels = levels.map { _ in [] } }
    while next < levels.count {
      let number = next
      next += 1
      let level = result.levels[number].level
      var rows: ContiguousArray<RowChange> = []
      switch changes?.tables[level.table.id] {
      case nil: break
      case .reset: return .stale
      case .rows(let changed): rows = changed
      }
      let above = level.parent.map { result.levels[$0].tree } ?? result.tree
      if rows.count > max(10_000, levels[number].tree.count) { return .stale }
      var lacking = result.levels[number].apply(
        rows, Set(level.parent.map { changed.levels[$0] } ?? changed.keys),
        from: level.parent.map { levels[$0].tree } ?? roots, to: above, &changed.levels[number])
      if !wanted.isEmpty {
        result.levels[number].invite(wanted[number])
        lacking.formUnion(wanted[number])
        wanted[number] = []
      }
      if lacking.count > max(1_000, above.count / 2) { return .stale }
      if !lacking.isEmpty { return .lacking(level: number, lacking) }
    }
    changed.keys += affectedRoots(changed, result.levels)
    return .done
  }

  /// Returns the keys of the roots to which changed rows belong, before or after the step.
  private func affectedRoots(
    _ changed: MaintainedChange, _ new: [LevelRows]
  ) -> Set<RecordKey> {
    var roots: Set<RecordKey> = []
    for (number, keys) in changed.levels.enumerated() {
      for key in keys {
        for levels in [levels, new] {
          guard let row = levels[number].tree.record(of: key) else { continue }
          roots.formUnion(levels.roots(of: row, in: number))
        }
      }
    }
    return roots
  }
}
