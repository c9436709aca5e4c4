/// The changes of one table in a layer: a dictionary that keeps the order of insertion.
///
/// The writer needs a batch in key order. A batch that is built in this order never hashes a key:
/// its entries are sorted, and a binary search finds a key. The first key out of order creates the
/// index.
///
/// sorted ─key out of order→ indexed;  indexed ─everything removed→ sorted
struct LayerTable: Sendable {
  struct Entry: Sendable {
    let key: RecordKey
    /// Nil if the change was removed; the entry stays, so that positions stay valid.
    var change: LayerChange?
  }

  private var entries: ContiguousArray<Entry> = []
  /// The position of each key in `entries`; nil while the entries are in key order.
  private var positions: [RecordKey: Int]?
  /// The number of changes.
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  subscript(key: RecordKey) -> LayerChange? {
    get { position(of: key).flatMap { entries[$0].change } }
    set { replace(key) { _ in newValue } }
  }

  /// Replaces the change of a key with the result of `body`.
  mutating func replace(_ key: RecordKey, _ body: (LayerChange?) -> LayerChange?) {
    guard let position = position(of: key) else {
      if let change = body(nil) { append(Entry(key: key, change: change)) }
      return
    }
    let old = entries[position].change
    let new = body(old)
    entries[position].change = new
    count += (new == nil ? 0 : 1) - (old == nil ? 0 : 1)
    if new == nil { compactIfSparse() }
  }

  private mutating func append(_ entry: Entry) {
    if positions == nil, let last = entries.last, !(last.key < entry.key) { makeIndex() }
    positions?[entry.key] = entries.count
    entries.append(entry)
    count += 1
  }

  /// Returns the position of a key's entry, whose change may be nil.
  private func position(of key: RecordKey) -> Int? {
    if let positions { return positions[key] }
    guard let last = entries.last, !(last.key < key) else { return nil }
    let position = entries.indices.partitioningIndex { entries[$0].key < key }
    return entries[position].key == key ? position : nil
  }

  private mutating func makeIndex() {
    var index: [RecordKey: Int] = Dictionary(minimumCapacity: entries.capacity)
    for (position, entry) in entries.enumerated() { index[entry.key] = position }
    positions = index
  }

  private mutating func compactIfSparse() {
    guard isEmpty || (entries.count > 32 && entries.count > count * 2) else { return }
    entries.removeAll { $0.change == nil }
    if isEmpty { positions = nil }
    if positions != nil { makeIndex() }
  }

  /// The entries in key order, including entries without a change.
  var inKeyOrder: ContiguousArray<Entry> {
    if positions == nil { return entries }
    var sorted = entries
    sorted.sort { $0.key < $1.key }
    return sorted
  }
}

extension LayerTable: Sequence {
  struct Iterator: IteratorProtocol {
    fileprivate var base: ContiguousArray<Entry>.Iterator

    mutating func next() -> (key: RecordKey, change: LayerChange)? {
      while let entry = base.next() {
        if let change = entry.change { return (entry.key, change) }
      }
      return nil
    }
  }

  func makeIterator() -> Iterator { Iterator(base: entries.makeIterator()) }
  var underestimatedCount: Int { count }
}
