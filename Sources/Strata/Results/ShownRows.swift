/// What a live query shows: a result and the ranks that the query's limit and offset leave of it.
struct ShownRows: Sendable {
  private(set) var tree: ResultTree
  private let limit: Int?
  private let offset: Int
  private(set) var sections: SectionIndex?

  init(_ tree: ResultTree, _ plan: LivePlan) {
    self.tree = tree
    limit = plan.query.limit
    offset = plan.query.offset
    sections = plan.sectionOrder.map { SectionIndex(of: self, by: $0) }
  }

  /// A version after another one of the same query, of which only some keys may differ in the tree.
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

  /// Some of the rows.
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

  /// The offset behind the last row that is equal to `record` in an order that begins the tree's.
  func end(ofRunLike record: Record, in order: RecordOrder) -> Int {
    record.withView { view in
      tree.rows.partition { order.compare($0, view) <= 0 } - range.lowerBound
    }
  }

  /// The ranks shown.
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

  /// The shown record of a key.
  func record(of key: RecordKey) -> Record? {
    isWhole ? tree.record(of: key) : find(key)?.record
  }

  func leaf(at offset: Int) -> (ContiguousArray<Record>, Int) {
    tree.rows.leaf(at: range.lowerBound + offset)
  }

  /// The shown record of a key and its offset.
  func find(_ key: RecordKey) -> (record: Record, offset: Int)? {
    guard let record = tree.record(of: key), let rank = tree.rows.rank(of: record),
      range.contains(rank)
    else { return nil }
    return (record, rank - range.lowerBound)
  }
}

extension ShownRows {
  /// The keys of everything shown. O(*n*).
  var keys: Set<RecordKey> { keys(within: range.count) }

  /// The keys of at most `distance` rows at either edge of what is shown.
  private func keys(within distance: Int) -> Set<RecordKey> {
    let first = 0..<min(distance, range.count)
    let last = max(first.upperBound, range.count - distance)..<range.count
    var keys: Set<RecordKey> = []
    for offsets in [first, last] {
      for offset in offsets { keys.insert(record(at: offset).key(Table.keyColumn)) }
    }
    return keys
  }

  /// The keys that two versions may show differently, of which `changed` differ in the tree.
  ///
  /// A changed record moves the others by one rank at most, so the others that a limit or an
  /// offset drops or lets in stand no further from an edge than there are changed records.
  static func keysThatMayDiffer(
    _ old: ShownRows, _ new: ShownRows, changed: Set<RecordKey>
  ) -> Set<RecordKey> {
    if old.isWhole && new.isWhole { return changed }
    return changed.union(old.keys(within: changed.count)).union(new.keys(within: changed.count))
  }

  /// Whether somebody who reads `attributes` sees something else in a later version of which only
  /// `changed` may differ in the tree; nil for all attributes. What rows are sorted by is read,
  /// too.
  ///
  /// - Complexity: O(*k* log *n*) for *k* keys, less if something is different early on.
  func differs(
    from old: ShownRows, changed: KeyBatches, reading attributes: AttributeSet?
  ) -> Bool {
    let read = attributes?.union(tree.rows.order.attributes)
    func isOther(_ before: Record, _ after: Record) -> Bool {
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
    // What did not change keeps its order, so it is where it was if the first one shown is.
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
}
