/// The keys of the rows that differ between two versions of shown rows in one order.
///
/// Versions of a tree share the leaves that no change has touched, and whole leaves that are shared are passed
/// over.
///
/// - Complexity: O(*d* + *l* log *l*) for *d* differing rows and *l* leaves; O(*n*) for trees that share none.
struct RunDifferences: Sequence, IteratorProtocol {
  private var old: Run
  private var new: Run
  private let order: RecordOrder

  /// A position among the shown rows of a tree.
  private struct Run {
    private let tree: OrderTree
    private var ranks: Range<Int>
    private var leaf: ContiguousArray<Record> = []
    private var position = 0

    init(_ rows: ShownRows) {
      tree = rows.tree.rows
      ranks = rows.range
    }

    /// The row at the position; nil at the end.
    var row: Record? {
      mutating get {
        if ranks.isEmpty { return nil }
        if position == leaf.count { (leaf, position) = tree.leaf(at: ranks.lowerBound) }
        return leaf[position]
      }
    }

    mutating func advance(_ count: Int = 1) {
      position += count
      ranks = ranks.dropFirst(count)
    }

    /// Returns the number of rows from here on that two runs have in one and the same leaf.
    static func shared(_ a: Run, _ b: Run) -> Int {
      guard a.position == b.position, a.leaf.count == b.leaf.count,
        a.leaf.withUnsafeBufferPointer({ $0.baseAddress })
          == b.leaf.withUnsafeBufferPointer({ $0.baseAddress })
      else { return 0 }
      return Swift.min(a.leaf.count - a.position, a.ranks.count, b.ranks.count)
    }
  }

  init(from old: ShownRows, to new: ShownRows) {
    self.old = Run(old)
    self.new = Run(new)
    order = new.tree.rows.order
  }

  mutating func next() -> RecordKey? {
    while true {
      let (before, after) = (old.row, new.row)
      guard let row = before ?? after else { return nil }
      guard let before, let after else {
        if before == nil { new.advance() } else { old.advance() }
        return row.key(Table.keyColumn)
      }
      let shared = Run.shared(old, new)
      if shared > 0 {
        old.advance(shared)
        new.advance(shared)
        continue
      }
      let order = order.compare(before, after)
      if order <= 0 { old.advance() }
      if order >= 0 { new.advance() }
      if order == 0 && before == after { continue }
      return (order <= 0 ? before : after).key(Table.keyColumn)
    }
  }
}
