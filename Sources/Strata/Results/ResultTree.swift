/// The result of a query, kept in the query's order and by key.
///
/// A result is a value: keeping an old version costs a reference, and versions share their common
/// parts.
struct ResultTree: Sendable {
  private(set) var rows: OrderTree
  /// The same records in key order; nil if that is the query's order.
  private var byKey: OrderTree?

  /// Creates the result from records, which are in the query's order if `isSorted`. O(*n* log *n*).
  init(_ records: ContiguousArray<Record>, order: RecordOrder, isSorted: Bool = false) {
    rows = isSorted ? OrderTree(sorted: records, by: order) : OrderTree(records, by: order)
    byKey = order.isByKey ? nil : OrderTree(records, by: .byKey)
  }

  var count: Int { rows.count }

  /// Returns the record of a key. O(log *n*).
  func record(of key: RecordKey) -> Record? { (byKey ?? rows).record(of: key) }

  /// An iterator over the records by key. O(1) for each record.
  var inKeyOrder: OrderTree.Iterator { OrderTree.Iterator(byKey ?? rows, 0..<count) }

  /// Sets the record of a key; nil removes it. O(log *n*).
  ///
  /// - Returns: the previous record.
  @discardableResult
  mutating func set(_ record: Record?, for key: RecordKey) -> Record? {
    let old = self.record(of: key)
    if old == record { return old }
    switch (old, record) {
    case (nil, nil): break
    case (nil, let new?):
      rows.insert(new)
      byKey?.insert(new)
    case (let old?, nil):
      rows.remove(old)
      byKey?.remove(old)
    case (let old?, let new?):
      if rows.order.compare(old, new) == 0 {
        rows.replace(new)
      } else {
        rows.remove(old)
        rows.insert(new)
      }
      byKey?.replace(new)
    }
    return old
  }
}
