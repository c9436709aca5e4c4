/// The versions of a row before and after a change; nil is no row.
typealias RowVersions = (before: Record?, after: Record?)

/// The rows that a live query shows: a result, within the query's limit and offset.
struct ShownRows: Sendable {
  private(set) var tree: ResultTree
  private let limit: Int?
  private let offset: Int
  private(set) var sections: SectionIndex?
  /// What stands beside the rows; nil if this is no live tree.
  var related: TreeRows?

  init(_ tree: ResultTree, _ plan: LivePlan) {
    self.tree = tree
    limit = plan.query.limit
    offset = plan.query.offset
    sections = plan.sectionOrder.map { SectionIndex(of: self, by: $0) }
  }

  /// Creates the rows with some ranks of a tree.
  init(_ tree: ResultTree, _ ranks: Range<Int>) {
    self.init(tree: tree, limit: ranks.count, offset: ranks.lowerBound, sections: nil)
  }

  /// Creates the version after `old`, in which only the keys of `changed` may differ in the tree.
  init(_ tree: ResultTree, after old: ShownRows, _ changed: KeyBatches) {
    self = old
    self.tree = tree
    guard let order = sections?.order else { return }
    if isWhole && changed.count <= old.sections?.count ?? 0 {
      sections?.follow(from: old.tree, to: tree, changed.distinct)
    } else {
      sections = SectionIndex(of: self, by: order)
    }
  }

  /// Returns the rows in a range of offsets.
  func part(_ offsets: Range<Int>) -> ShownRows {
    ShownRows(
      tree: tree, limit: offsets.count, offset: range.lowerBound + offsets.lowerBound,
      sections: nil)
  }

  private init(tree: ResultTree, limit: Int?, offset: Int, sections: SectionIndex?) {
    self.tree = tree
    self.limit = limit
    self.offset = offset
    self.sections = sections
  }

  /// Returns the offset after the last row that is equal to `record` in an order.
  ///
  /// The tree's order must begin with this order.
  func end(ofRunLike record: Record, in order: RecordOrder) -> Int {
    record.withView { view in
      tree.rows.partition { order.compare($0, view) <= 0 } - range.lowerBound
    }
  }

  /// The ranks of the shown rows.
  var range: Range<Int> {
    let start = Swift.min(offset, tree.count)
    return start..<(limit.map { Swift.min(start + $0, tree.count) } ?? tree.count)
  }

  /// Whether every row of the tree is shown.
  var isWhole: Bool { limit == nil && offset == 0 }

  func record(at offset: Int) -> Record {
    guard offset >= 0 && offset < range.count else {
      fatalError("there is no element \(offset) among \(range.count)")
    }
    return tree.rows[range.lowerBound + offset]
  }

  /// Returns the shown record of a key.
  func record(of key: RecordKey) -> Record? {
    isWhole ? tree.record(of: key) : find(key)?.record
  }

  /// An iterator over the shown records. O(1) for each record.
  var records: OrderTree.Iterator { OrderTree.Iterator(tree.rows, range) }

  /// Returns the versions of the records of some keys that differ from those of another tree.
  func versions(of keys: Set<RecordKey>, from old: ResultTree) -> [RowVersions] {
    keys.compactMap { key in
      let (before, after) = (old.record(of: key), tree.record(of: key))
      return before == after ? nil : (before, after)
    }
  }

  /// Returns the shown record of a key and its offset.
  func find(_ key: RecordKey) -> (record: Record, offset: Int)? {
    guard let record = tree.record(of: key), let rank = tree.rows.rank(of: record),
      range.contains(rank)
    else { return nil }
    return (record, rank - range.lowerBound)
  }
}

extension ShownRows {
  /// The keys of all shown rows. O(*n*).
  var keys: Set<RecordKey> { keys(within: range.count) }

  /// Returns the keys of at most `distance` rows at either edge of the shown rows.
  private func keys(within distance: Int) -> Set<RecordKey> {
    let first = 0..<min(distance, range.count)
    let last = max(first.upperBound, range.count - distance)..<range.count
    var keys: Set<RecordKey> = []
    for offsets in [first, last] {
      for offset in offsets { keys.insert(record(at: offset).key(Table.keyColumn)) }
    }
    return keys
  }

  /// Returns the keys that two versions may show differently, if `changed` differ in the tree.
  ///
  /// A changed record moves the other records by at most one rank. A limit or an offset therefore
  /// drops or lets in only records whose distance from an edge is at most the number of changed
  /// records.
  static func keysThatMayDiffer(
    _ old: ShownRows, _ new: ShownRows, changed: Set<RecordKey>
  ) -> Set<RecordKey> {
    if old.isWhole && new.isWhole { return changed }
    return changed.union(old.keys(within: changed.count)).union(new.keys(within: changed.count))
  }

  /// Returns whether a reader of `attributes` sees a difference from an older version.
  ///
  /// - Parameters:
  ///   - changed: the only keys that may differ in the tree.
  ///   - attributes: the attributes that are read; nil for all. The attributes that sort the rows
  ///     are always read.
  /// - Complexity: O(*k* log *n*) for *k* keys, or less if there is a difference early on.
  func differs(
    from old: ShownRows, changed: KeyBatches, reading attributes: AttributeSet?
  ) -> Bool {
    let read = attributes?.union(tree.rows.order.attributes)
    func isOther(_ before: Record, _ after: Record) -> Bool {
      if relatedDiffers(from: old, beside: before, after) { return true }
      if before == after { return false }
      guard let read else { return true }
      return !after.differences(from: before).isDisjoint(with: read)
    }
    if range.count != old.range.count { return true }
    if isWhole {
      return changed.contains { key in
        switch (old.tree.record(of: key), tree.record(of: key)) {
        case (nil, nil): false
        case (let before?, let after?): isOther(before, after)
        case (nil, _?), (_?, nil): true
        }
      }
    }
    if range.count <= changed.count {
      return (0..<range.count).contains { offset in
        let before = old.record(at: offset)
        let after = record(at: offset)
        return before.key(Table.keyColumn) != after.key(Table.keyColumn) || isOther(before, after)
      }
    }
    // Unchanged rows keep their order, so they keep their offsets if the first shown row is the
    // same.
    if range.count > 0, record(at: 0).key(Table.keyColumn) != old.record(at: 0).key(Table.keyColumn)
    {
      return true
    }
    return changed.contains { key in
      switch (old.find(key), find(key)) {
      case (nil, nil): false
      case (let before?, let after?):
        before.offset != after.offset || isOther(before.record, after.record)
      case (nil, _?), (_?, nil): true
      }
    }
  }
  /// Returns whether what stands beside a row differs between two versions.
  func relatedDiffers(from old: ShownRows, beside before: Record, _ after: Record) -> Bool {
    guard let related, let relatedBefore = old.related else { return false }
    return related.differs(beside: after, from: relatedBefore, beside: before)
  }
}
