internal import Strata

/// The clusters of a set of points at every zoom level, kept up to date point by point.
///
/// At each level, from the finest to the coarsest, the leaders of the level before are taken by
/// rank. A point leads again unless a leader of higher rank is within the radius. This is the
/// maximal independent set of a random order. Every other point joins its nearest leader of higher
/// rank. So the result depends only on the set of points. Since ranks are as good as random, the
/// change of a single point reaches, in expectation, only a constant number of other points at each
/// level (K. Censor-Hillel, E. Haramaty, Z. Karnin, *Optimal Dynamic Distributed MIS*, PODC 2016).
///
/// Before the finest level, the points of a small cell form a *site*, which its point of highest
/// rank leads. Otherwise the removal of a leader would require a new decision for each of 10,000
/// points at one place.
///
/// A point is identified by the number of its slot. A point that moves becomes another point in
/// another slot.
struct ClusterTree: Sendable {
  let levels: ClusterLevels
  var nodes: [ClusterNode] = []
  private(set) var ids: [RecordKey] = []
  private var freeSlots: [Int32] = []
  private var slotsByID = SlotTable()
  /// The leaders of each level; the last table has the leaders of the sites.
  var leaders: [SlotTable]
  /// The sites of two or more points, by their leader.
  var stacks: [Int32: ClusterStack] = [:]
  /// Points whose summaries have to be computed again, including points that begin a stack's run.
  var stale: [Int32] = []
  /// The working state of a level's update, kept so that its memory is reused.
  var work = ClusterWork()

  init(_ options: ClusterOptions) {
    levels = ClusterLevels(options)
    leaders = (0...levels.sites).map { _ in SlotTable() }
  }

  /// The number of points.
  var count: Int { slotsByID.count }

  // MARK: Slots

  func slot(of id: RecordKey) -> Int? {
    var found: Int?
    slotsByID.forEach(Self.idHash(id.stableHash)) { if ids[$0] == id { found = $0 } }
    return found
  }

  /// Returns all slots that have a point, in order.
  ///
  /// Points that were added together to an empty index have their slots in order of rank.
  func slots() -> [Int32] {
    var slots: [Int32] = []
    slots.reserveCapacity(count)
    for slot in nodes.indices where !nodes[slot].marks.contains(.gone) {
      slots.append(Int32(truncatingIfNeeded: slot))
    }
    return slots
  }

  /// Returns a slot for an id. No level knows the slot yet.
  mutating func occupy(_ id: RecordKey, _ position: WorldPoint) -> Int {
    let rank = id.stableHash
    let node = ClusterNode(position, rank: rank, top: levels.none)
    let slot: Int
    if let free = freeSlots.popLast() {
      slot = Int(free)
      nodes[slot] = node
      ids[slot] = id
    } else {
      slot = nodes.count
      nodes.append(node)
      ids.append(id)
    }
    slotsByID.insert(Self.idHash(rank), slot)
    return slot
  }

  /// Removes an id's slot from the look-up. The slot keeps its point until it is freed.
  mutating func abandon(_ slot: Int) {
    slotsByID.remove(Self.idHash(nodes[slot].rank), slot)
    nodes[slot].marks.insert(.gone)
  }

  mutating func free(_ slots: [Int]) {
    freeSlots.append(contentsOf: slots.lazy.map { Int32($0) })
  }

  /// Reserves memory for more points, and returns the new capacity in slots; nil if it is the same.
  mutating func reserve(for count: Int) -> Int? {
    let needed = nodes.count + max(count - freeSlots.count, 0)
    guard needed > nodes.capacity else { return nil }
    let capacity = max(16, nodes.isEmpty ? needed : needed + needed / 8)
    nodes.reserveCapacity(capacity)
    ids.reserveCapacity(capacity)
    if slotsByID.count == 0 { slotsByID = SlotTable(capacity: capacity) }
    return capacity
  }

  /// Returns the lower bits of a rank, because the upper bits already decide the order of points.
  private static func idHash(_ rank: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: rank) }

  /// Returns whether point `one` has a higher rank than point `other`.
  @inline(__always)
  func outranks(_ one: Int, _ other: Int) -> Bool {
    let (a, b) = (nodes[one].rank, nodes[other].rank)
    return a != b ? a > b : ids[one] < ids[other]
  }

  // MARK: Links

  /// Makes a point join a leader.
  mutating func link(_ child: Int, to parent: Int) {
    let next = nodes[parent].firstChild
    nodes[child].parent = Int32(parent)
    nodes[child].previousSibling = ClusterNode.none
    nodes[child].nextSibling = next
    if next >= 0 { nodes[Int(next)].previousSibling = Int32(child) }
    nodes[parent].firstChild = Int32(child)
    add(nodes[child].weight, from: parent)
  }

  /// Removes a point from its leader, if it has joined a leader.
  mutating func unlink(_ child: Int) {
    let node = nodes[child]
    guard node.parent >= 0 else { return }
    if node.previousSibling >= 0 {
      nodes[Int(node.previousSibling)].nextSibling = node.nextSibling
    } else {
      nodes[Int(node.parent)].firstChild = node.nextSibling
    }
    if node.nextSibling >= 0 {
      nodes[Int(node.nextSibling)].previousSibling = node.previousSibling
    }
    nodes[child].parent = ClusterNode.none
    add(-node.weight, from: Int(node.parent))
  }

  /// Adds to the weight of a point and of all points above it, and marks their summaries as stale.
  mutating func add(_ weight: Int32, from slot: Int) {
    var slot = Int32(slot)
    while slot >= 0 {
      nodes[Int(slot)].weight += weight
      markStale(Int(slot))
      slot = nodes[Int(slot)].parent
    }
  }

  mutating func markStale(_ slot: Int) {
    guard !nodes[slot].marks.contains(.stale) else { return }
    nodes[slot].marks.insert(.stale)
    stale.append(Int32(slot))
  }

  /// Marks the summaries that depend on a point's value as stale.
  mutating func valueChanged(_ slot: Int) {
    guard let leader = siteLeader(at: nodes[slot].position) else { return }
    if let members = stack(leader)?.members {
      runChanged(at: position(of: slot, in: members), in: members)
    }
    add(0, from: leader)
  }

  /// Returns the points whose summaries have to be computed again, each after the points it depends
  /// on.
  mutating func takeStale() -> [Int] {
    if stale.count < 256 {
      var slots = stale.compactMap { slot -> (top: UInt8, slot: Int)? in
        nodes[Int(slot)].marks.remove(.stale)
        let node = nodes[Int(slot)]
        return node.marks.contains(.gone) ? nil : (node.top, Int(slot))
      }
      stale.removeAll(keepingCapacity: true)
      slots.sort { $0.top > $1.top }
      return slots.map(\.slot)
    }
    var byTop = [[Int]](repeating: [], count: levels.none + 1)
    for slot in stale {
      nodes[Int(slot)].marks.remove(.stale)
      let node = nodes[Int(slot)]
      if !node.marks.contains(.gone) { byTop[Int(node.top)].append(Int(slot)) }
    }
    stale = []
    return Array(byTop.reversed().joined())
  }

  /// Calls `body` with every point that has joined a point, at any level.
  @inline(__always)
  func forEachChild(_ slot: Int, _ body: (Int) -> Void) {
    var child = nodes[slot].firstChild
    while child >= 0 {
      body(Int(child))
      child = nodes[Int(child)].nextSibling
    }
  }
}
