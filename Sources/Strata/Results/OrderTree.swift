/// A persistent, ordered list of records in which ranks cost O(log *n*).
///
/// The list is a B+tree of plain values: copies share every node, and a change copies only the path
/// to it. The leaves hold the records. An inner node has the first record and the size of each
/// child, so it finds a record by order and by rank. Nodes of 32 to 64 records are the measured
/// best: larger nodes copy more, smaller nodes miss the cache more.
struct OrderTree: Sendable {
  /// The maximum number of entries in a node.
  static let capacity = 64

  struct Node: Sendable {
    /// A leaf's records, or the first record of each child of an inner node.
    var records: ContiguousArray<Record>
    /// The children of an inner node; empty in a leaf.
    var children: ContiguousArray<Node>
    /// The number of records in the node and below it.
    var total: Int

    var isLeaf: Bool { children.isEmpty }

    init(leaf records: ContiguousArray<Record>) {
      self.records = records
      children = []
      total = records.count
    }

    init(children: ContiguousArray<Node>) {
      records = ContiguousArray(children.map { $0.records[0] })
      self.children = children
      total = children.reduce(0) { $0 + $1.total }
    }
  }

  let order: RecordOrder
  private var root: Node

  /// The number of records.
  var count: Int { root.total }

  /// Creates a tree of records that are sorted already. O(*n*).
  init(sorted records: ContiguousArray<Record>, by order: RecordOrder) {
    self.order = order
    var level = Self.chunks(records).map { Node(leaf: ContiguousArray($0)) }
    if level.isEmpty { level = [Node(leaf: [])] }
    while level.count > 1 {
      level = Self.chunks(ContiguousArray(level)).map { Node(children: ContiguousArray($0)) }
    }
    root = level[0]
  }

  /// Returns slices of three quarters of a node, which leave room to grow.
  private static func chunks<T>(_ elements: ContiguousArray<T>) -> [ArraySlice<T>] {
    let size = capacity * 3 / 4
    return stride(from: 0, to: elements.count, by: size).map {
      ArraySlice(elements[$0..<min($0 + size, elements.count)])
    }
  }

  // MARK: Looking up

  /// The record at a rank. O(log *n*).
  ///
  /// - Precondition: `rank` is at least 0 and below ``count``.
  subscript(rank: Int) -> Record {
    let (leaf, position) = leaf(at: rank)
    return leaf[position]
  }

  /// Returns the leaf that has the record at `rank`, and the record's position in it.
  func leaf(at rank: Int) -> (records: ContiguousArray<Record>, position: Int) {
    guard rank >= 0 && rank < count else {
      fatalError("there is no element \(rank) among \(count)")
    }
    return Self.leaf(in: root, at: rank)
  }

  private static func leaf(
    in node: Node, at rank: Int
  ) -> (records: ContiguousArray<Record>, position: Int) {
    if node.isLeaf { return (node.records, rank) }
    var rank = rank
    var child = 0
    while rank >= node.children[child].total {
      rank -= node.children[child].total
      child += 1
    }
    return leaf(in: node.children[child], at: rank)
  }

  /// Returns the rank of a record in the tree; nil if no record compares equal. O(log *n*).
  func rank(of record: Record) -> Int? {
    let found = record.withView { view in
      position { order.compare($0, view) }
    }
    return found.isEqual ? found.rank : nil
  }

  /// Returns the record of a key, in a tree in key order. O(log *n*).
  func record(of key: RecordKey) -> Record? {
    let found = position { order.compare($0, key: key) }
    return found.isEqual ? self[found.rank] : nil
  }

  /// Returns the rank of the first record for which `isBefore` is false.
  ///
  /// All records for which it is true must come first.
  func partition(_ isBefore: (RecordView) -> Bool) -> Int {
    position { isBefore($0) ? -1 : 1 }.rank
  }

  /// Returns the rank of the first record for which `compare` is not negative.
  ///
  /// `isEqual` tells whether `compare` is zero for this record.
  private func position(_ compare: (RecordView) -> Int) -> (rank: Int, isEqual: Bool) {
    Self.position(in: root, compare)
  }

  private static func position(
    in node: Node, _ compare: (RecordView) -> Int
  ) -> (rank: Int, isEqual: Bool) {
    let (index, isEqual) = lowerBound(node.records, compare)
    if node.isLeaf { return (index, isEqual) }
    let child = isEqual ? index : max(0, index - 1)
    let below = position(in: node.children[child], compare)
    return (before(child, in: node) + below.rank, below.isEqual)
  }

  private static func before(_ child: Int, in node: Node) -> Int {
    var sum = 0
    for index in 0..<child { sum &+= node.children[index].total }
    return sum
  }

  @inline(__always)
  private static func lowerBound(
    _ records: ContiguousArray<Record>, _ compare: (RecordView) -> Int
  ) -> (index: Int, isEqual: Bool) {
    records.withUnsafeBufferPointer { records in
      var isEqual = false
      let index = records.indices.partitioningIndex { index in
        let order = records[index].withView(compare)
        if order == 0 { isEqual = true }
        return order < 0
      }
      return (index, isEqual)
    }
  }

  // MARK: Changing

  /// Inserts a record that is not in the tree. O(log *n*).
  mutating func insert(_ record: Record) {
    if let sibling = Self.insert(record, into: &root, order) {
      root = Node(children: [root, sibling])
    }
  }

  /// Removes the record that compares equal; returns false if there is none. O(log *n*).
  @discardableResult
  mutating func remove(_ record: Record) -> Bool {
    let removed = Self.remove(record, from: &root, order)
    while root.children.count == 1 { root = root.children[0] }
    return removed
  }

  /// Replaces the record that compares equal; returns false if there is none. O(log *n*).
  @discardableResult
  mutating func replace(_ record: Record) -> Bool { Self.replace(record, in: &root, order) }

  // The recursive steps are static. A method that calls another method on `self` would hold the
  // root twice, and so copy the whole path every time.

  @inline(__always)
  private static func lowerBound(
    _ record: Record, in node: Node, _ order: RecordOrder
  ) -> (index: Int, isEqual: Bool) {
    record.withView { view in lowerBound(node.records) { order.compare($0, view) } }
  }

  private static func child(for record: Record, in node: Node, _ order: RecordOrder) -> Int {
    let (index, isEqual) = lowerBound(record, in: node, order)
    return isEqual ? index : max(0, index - 1)
  }

  /// Inserts a record; returns a new right sibling if the node had to be split.
  private static func insert(
    _ record: Record, into node: inout Node, _ order: RecordOrder
  ) -> Node? {
    node.total += 1
    if node.isLeaf {
      let index = lowerBound(record, in: node, order).index
      node.records.insert(record, at: index)
      return node.records.count > capacity ? split(&node) : nil
    }
    let child = child(for: record, in: node, order)
    let sibling = insert(record, into: &node.children[child], order)
    node.records[child] = node.children[child].records[0]
    guard let sibling else { return nil }
    node.records.insert(sibling.records[0], at: child + 1)
    node.children.insert(sibling, at: child + 1)
    return node.children.count > capacity ? split(&node) : nil
  }

  private static func split(_ node: inout Node) -> Node {
    let half = node.records.count / 2
    if node.isLeaf {
      let right = Node(leaf: ContiguousArray(node.records[half...]))
      node.records.removeSubrange(half...)
      node.total -= right.total
      return right
    }
    let right = Node(children: ContiguousArray(node.children[half...]))
    node.children.removeSubrange(half...)
    node.records.removeSubrange(half...)
    node.total -= right.total
    return right
  }

  private static func remove(
    _ record: Record, from node: inout Node, _ order: RecordOrder
  ) -> Bool {
    if node.isLeaf {
      let (index, isEqual) = lowerBound(record, in: node, order)
      guard isEqual else { return false }
      node.records.remove(at: index)
      node.total -= 1
      return true
    }
    let child = child(for: record, in: node, order)
    guard remove(record, from: &node.children[child], order) else { return false }
    node.total -= 1
    if node.children[child].total == 0 {
      node.children.remove(at: child)
      node.records.remove(at: child)
    } else {
      node.records[child] = node.children[child].records[0]
      mergeIfSmall(child, in: &node)
    }
    return true
  }

  /// Merges a child that became small with its right neighbour, so that the tree stays shallow.
  private static func mergeIfSmall(_ child: Int, in node: inout Node) {
    let next = child + 1
    guard next < node.children.count, node.children[child].records.count < capacity / 4,
      node.children[child].records.count + node.children[next].records.count <= capacity
    else { return }
    let right = node.children.remove(at: next)
    node.records.remove(at: next)
    node.children[child].records.append(contentsOf: right.records)
    node.children[child].children.append(contentsOf: right.children)
    node.children[child].total += right.total
  }

  private static func replace(
    _ record: Record, in node: inout Node, _ order: RecordOrder
  ) -> Bool {
    if node.isLeaf {
      let (index, isEqual) = lowerBound(record, in: node, order)
      guard isEqual else { return false }
      node.records[index] = record
      return true
    }
    let child = child(for: record, in: node, order)
    guard replace(record, in: &node.children[child], order) else { return false }
    node.records[child] = node.children[child].records[0]
    return true
  }
}

extension OrderTree {
  /// An iterator over the records of some ranks in order, leaf by leaf.
  struct Iterator: IteratorProtocol {
    private let tree: OrderTree
    private var leaf: ContiguousArray<Record> = []
    private var position = 0
    private var ranks: Range<Int>

    init(_ tree: OrderTree, _ ranks: Range<Int>) { (self.tree, self.ranks) = (tree, ranks) }

    mutating func next() -> Record? {
      if ranks.isEmpty { return nil }
      if position == leaf.count { (leaf, position) = tree.leaf(at: ranks.lowerBound) }
      defer {
        position += 1
        ranks.removeFirst()
      }
      return leaf[position]
    }
  }

  /// Creates a tree of records in any order, which are sorted in memory. O(*n* log *n*).
  init(_ records: ContiguousArray<Record>, by order: RecordOrder) {
    var records = records
    records.sort { order.compare($0, $1) < 0 }
    self.init(sorted: records, by: order)
  }
}
