/// The rows that differ between two versions of a result, in key order. O(*n*) in all.
struct RowDifferences: Sequence, IteratorProtocol {
  private var old: OrderTree.Iterator
  private var new: OrderTree.Iterator
  private var before: Record?
  private var after: Record?

  init(from old: ResultTree, to new: ResultTree) {
    (self.old, self.new) = (old.inKeyOrder, new.inKeyOrder)
    (before, after) = (self.old.next(), self.new.next())
  }

  mutating func next() -> (key: RecordKey, before: Record?, after: Record?)? {
    while let row = before ?? after {
      var order = before == nil ? 1 : -1
      if let before, let after { order = RecordOrder.byKey.compare(before, after) }
      let pair = (before: order <= 0 ? before : nil, after: order >= 0 ? after : nil)
      if order <= 0 { before = old.next() }
      if order >= 0 { after = new.next() }
      if pair.before == pair.after { continue }
      return ((pair.before ?? pair.after ?? row).key(Table.keyColumn), pair.before, pair.after)
    }
    return nil
  }
}
