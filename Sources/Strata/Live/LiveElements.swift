/// The elements of a live query at one moment: a value that never changes.
///
/// Elements are decoded when they are read; keeping a version costs one reference. An attribute
/// that cannot be read, which only another program can cause, has its default value here, while
/// `fetch` reports it.
public struct LiveElements<E: Entity>: RandomAccessCollection, Sendable {
  private let table: Table
  let shown: ShownRows

  init(_ shown: ShownRows, _ table: Table) {
    self.shown = shown
    self.table = table
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { shown.range.count }

  /// The element at an offset. O(log *n*).
  public subscript(offset: Int) -> E { decode(shown.record(at: offset)) }

  private func decode(_ record: Record) -> E { table.decodeLeniently(record, as: E.self) }

  /// Goes through the elements leaf by leaf. O(1) an element.
  public struct Iterator: IteratorProtocol {
    fileprivate let elements: LiveElements
    fileprivate var offset = 0
    fileprivate var leaf: ContiguousArray<Record> = []
    fileprivate var position = 0

    public mutating func next() -> E? {
      if position == leaf.count {
        guard offset < elements.count else { return nil }
        (leaf, position) = elements.shown.leaf(at: offset)
      }
      guard offset < elements.count else { return nil }
      defer {
        offset += 1
        position += 1
      }
      return elements.decode(leaf[position])
    }
  }

  public func makeIterator() -> Iterator { Iterator(elements: self) }
}

/// What a live query shows: a result and the ranks that the query's limit and offset leave of it.
struct ShownRows: Sendable {
  var tree: ResultTree
  private let limit: Int?
  private let offset: Int

  init(_ tree: ResultTree, _ plan: QueryPlan) {
    self.tree = tree
    limit = plan.limit
    offset = plan.offset
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

  fileprivate func leaf(at offset: Int) -> (ContiguousArray<Record>, Int) {
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
