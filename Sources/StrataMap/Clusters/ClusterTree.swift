internal import Strata

/// The clusters of a set of points at every zoom level, kept up to date point by point.
///
/// At each level, from the finest to the coarsest, the points that led at the level before are
/// taken by rank, and one leads again unless a leader of higher rank is within the radius: the
/// maximal independent set of a random order. All others join the nearest such leader. So the
/// result depends on the set of points alone, and since ranks are as good as random, the change of
/// one point reaches, in expectation, only a constant number of others at each level (K.
/// Censor-Hillel, E. Haramaty, Z. Karnin, *Optimal Dynamic Distributed MIS*, PODC 2016).
///
/// Points of one small cell are one *site* before that, led by the one of highest rank: otherwise
/// each of 10,000 points at one place would have to be looked at when their leader goes.
///
/// Points have the numbers of their slots. A point that moves is another one in another slot.
struct ClusterTree: Sendable {
  let levels: ClusterLevels
  var nodes: [ClusterNode] = []
  private(set) var ids: [RecordKey] = []
  private var freeSlots: [Int32] = []
  private var slotsByID = SlotTable()
  /// By level, the points that lead there; the last one has the sites.
  var leaders: [SlotTable]
  /// The sites of two points and more, by their leader.
  var stacks: [Int32: ClusterStack] = [:]
  /// Points whose summary has to be made anew, and the first ones of a stack's runs.
  var stale: [Int32] = []
  /// What the update of one level needs, kept for its memory.
  var work = ClusterWork()

  init(_ options: ClusterOptions) {
    levels = ClusterLevels(options)
    leaders = (0...levels.sites).map { _ in SlotTable() }
  }

  /// How many points there are.
  var count: Int { slotsByID.count }

  // MARK: Slots

  func slot(of id: RecordKey) -> Int? {
    var found: Int?
    slotsByID.forEach(Self.idHash(id.stableHash)) { if ids[$0] == id { found = $0 } }
    return found
  }

  /// All slots that have a point, in order: points that came at once have theirs by rank.
  func slots() -> [Int32] {
    var slots: [Int32] = []
    slots.reserveCapacity(count)
    for slot in nodes.indices where !nodes[slot].marks.contains(.gone) {
      slots.append(Int32(truncatingIfNeeded: slot))
    }
    return slots
  }

  /// Gives an id a slot that no level knows yet.
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

  /// Makes an id forget its slot, which stays as it is until it is freed.
  mutating func abandon(_ slot: Int) {
    slotsByID.remove(Self.idHash(nodes[slot].rank), slot)
    nodes[slot].marks.insert(.gone)
  }

  mutating func free(_ slots: [Int]) {
    freeSlots.append(contentsOf: slots.lazy.map { Int32($0) })
  }

  /// Makes room for more points; answers the new capacity in slots, if it is another one.
  mutating func reserve(for count: Int) -> Int? {
    let needed = nodes.count + max(count - freeSlots.count, 0)
    guard needed > nodes.capacity else { return nil }
    let capacity = max(16, nodes.isEmpty ? needed : needed + needed / 8)
    nodes.reserveCapacity(capacity)
    ids.reserveCapacity(capacity)
    if slotsByID.count == 0 { slotsByID = SlotTable(capacity: capacity) }
    return capacity
  }

  /// The upper bits of the rank place a point among others already.
  private static func idHash(_ rank: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: rank) }

  /// Whether a point comes before another one.
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

  /// Makes a point leave whom it has joined, if it has.
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

  /// Adds to the weight of a point and of all above it, whose summaries are stale then.
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

  /// What a point adds to the summaries of its clusters has changed.
  mutating func valueChanged(_ slot: Int) {
    guard let leader = siteLeader(at: nodes[slot].position) else { return }
    if let members = stack(leader)?.members {
      runChanged(at: place(of: slot, in: members), in: members)
    }
    add(0, from: leader)
  }

  /// The points whose summaries have to be made anew, those first that others depend on.
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

  /// Calls `body` with every point that has joined another one, at whatever level.
  @inline(__always)
  func forEachChild(_ slot: Int, _ body: (Int) -> Void) {
    var child = nodes[slot].firstChild
    while child >= 0 {
      body(Int(child))
      child = nodes[Int(child)].nextSibling
    }
  }
}
