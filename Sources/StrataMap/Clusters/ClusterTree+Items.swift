/// A leader at a zoom level, which is displayed there as an item.
struct ClusterPlace: Sendable, Hashable {
  let slot: Int
  /// The zoom level. The level of the sites, or a finer level, stands for the point by itself.
  let zoom: Int
}

extension ClusterTree {
  /// Returns the items in a rectangle by rank; items with fewer points than `minimum` are taken
  /// apart.
  ///
  /// - Complexity: O(k log k), k being the number of items.
  func places(in rect: WorldRect, zoom: Int, minimum: Int) -> [ClusterPlace] {
    let isApart = zoom > levels.maximum
    let level = min(zoom, levels.sites)
    // A point may be in the rectangle while its leader is not.
    let margin = isApart ? 1 << levels.siteShift : minimum > 2 ? levels.reach(level) : 0
    var places: [ClusterPlace] = []
    forEachLeader(of: level, in: rect.padded(margin)) { slot in
      let place = ClusterPlace(slot: slot, zoom: level)
      if isApart || minimum > 2 && count(place) < minimum {
        let points = isApart ? members(slot).map { Int($0) } : leaves(place, from: 0, limit: .max)
        for point in points where rect.contains(nodes[point].position) {
          places.append(ClusterPlace(slot: point, zoom: levels.sites))
        }
      } else if rect.contains(nodes[slot].position) {
        places.append(place)
      }
    }
    places.sort { outranks($0.slot, $1.slot) }
    return places
  }

  @inline(__always)
  private func forEachLeader(of level: Int, in rect: WorldRect, _ body: (Int) -> Void) {
    guard levels.countOfCells(level, rect) < leaders[level].count else {
      return leaders[level].forEachSlot { if rect.contains(nodes[$0].position) { body($0) } }
    }
    levels.forEachCell(level, rect) { cell in
      leaders[level].forEach(cell.hash) { slot in
        let position = nodes[slot].position
        if cell.contains(position) && rect.contains(position) { body(slot) }
      }
    }
  }

  /// Returns the item that stands for a point at a zoom level.
  func place(of slot: Int, zoom: Int) -> ClusterPlace {
    if zoom > levels.maximum { return ClusterPlace(slot: slot, zoom: levels.sites) }
    var slot = siteLeader(at: nodes[slot].position) ?? slot
    while !nodes[slot].leads(zoom) { slot = Int(nodes[slot].parent) }
    return ClusterPlace(slot: slot, zoom: zoom)
  }

  /// Calls `body` with every point that has joined a leader at this zoom level or a finer level.
  @inline(__always)
  func forEachMember(of place: ClusterPlace, _ body: (Int) -> Void) {
    forEachChild(place.slot) { if Int(nodes[$0].top) > place.zoom { body($0) } }
  }

  /// Returns the number of points that an item stands for.
  func count(_ place: ClusterPlace) -> Int {
    if place.zoom > levels.maximum { return 1 }
    let node = nodes[place.slot]
    if Int(node.top) == place.zoom { return Int(node.weight) }
    var count = siteCount(place.slot)
    forEachMember(of: place) { count += Int(nodes[$0].weight) }
    return count
  }

  /// Returns the points that have joined a leader.
  ///
  /// Points that part from the leader at a finer level come first. Points of the same level are in
  /// order of rank.
  func members(of place: ClusterPlace) -> [Int] {
    // The keys of the comparison are copied, because reading the points for each comparison would
    // miss the cache.
    var members: [(top: UInt8, rank: UInt64, slot: Int)] = []
    forEachChild(place.slot) { slot in
      let node = nodes[slot]
      if Int(node.top) > place.zoom { members.append((node.top, node.rank, slot)) }
    }
    if members.count > 1 {
      members.sort {
        if $0.top != $1.top { return $0.top > $1.top }
        return $0.rank != $1.rank ? $0.rank > $1.rank : outranks($0.slot, $1.slot)
      }
    }
    return members.map(\.slot)
  }

  /// Returns the least zoom level at which an item comes apart; nil for a single point.
  ///
  /// Beyond the last level, the points of a site are displayed by themselves, even at one place.
  func expansionZoom(_ place: ClusterPlace) -> Int? {
    if count(place) == 1 { return nil }
    var zoom = levels.sites
    forEachMember(of: place) { zoom = min(zoom, Int(nodes[$0].top)) }
    return zoom
  }

  /// Returns the parts of an item at its expansion zoom; none for a single point.
  func children(_ place: ClusterPlace, minimum: Int) -> [ClusterPlace] {
    guard let zoom = expansionZoom(place) else { return [] }
    // Sites are not displayed: beyond the last level there are only points.
    if zoom == levels.sites { return points(place) }
    let parts = members(of: place).filter { Int(nodes[$0].top) == zoom }
    return ([place.slot] + parts).flatMap { slot in
      let part = ClusterPlace(slot: slot, zoom: zoom)
      return count(part) < minimum ? points(part) : [part]
    }
  }

  /// Returns the points of an item, each as an item by itself.
  private func points(_ place: ClusterPlace) -> [ClusterPlace] {
    leaves(place, from: 0, limit: .max).map { ClusterPlace(slot: $0, zoom: levels.sites) }
  }

  /// Returns a page of an item's points, in an order that depends only on the set of points.
  ///
  /// - Complexity: O(limit + levels) expected.
  func leaves(_ place: ClusterPlace, from offset: Int, limit: Int) -> [Int] {
    var page = LeafPage(skipping: max(offset, 0), limit: max(limit, 0))
    if place.zoom > levels.maximum {
      page.append(CollectionOfOne(Int32(place.slot)))
    } else {
      collect(place, into: &page)
    }
    return page.slots
  }

  private func collect(_ place: ClusterPlace, into page: inout LeafPage) {
    page.append(members(place.slot))
    for member in members(of: place) {
      if page.isFull { return }
      let node = nodes[member]
      if page.skip(Int(node.weight)) { continue }
      collect(ClusterPlace(slot: member, zoom: Int(node.top)), into: &page)
    }
  }

  /// A page of an item's leaves.
  private struct LeafPage {
    private(set) var slots: [Int] = []
    private var skipping: Int
    private let limit: Int

    init(skipping: Int, limit: Int) {
      self.skipping = skipping
      self.limit = limit
    }

    var isFull: Bool { slots.count >= limit }

    /// Skips `count` leaves if the page begins after them, and returns whether it did.
    mutating func skip(_ count: Int) -> Bool {
      guard skipping >= count else { return false }
      skipping -= count
      return true
    }

    mutating func append(_ leaves: some Collection<Int32>) {
      let rest = leaves.dropFirst(skipping).prefix(limit - slots.count)
      slots.append(contentsOf: rest.lazy.map { Int($0) })
      skipping -= min(skipping, leaves.count)
    }
  }
}
