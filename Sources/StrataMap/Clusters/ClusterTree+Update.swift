/// The working state of a level's update, and its result for the next level.
struct ClusterWork: Sendable {
  /// Points that became leaders at the level before.
  var arrivals: [Int] = []
  /// Points that no longer lead the level before, with the coarsest level that they led.
  var departures: [(slot: Int, top: Int)] = []
  /// Points that began or ceased to lead their site.
  var changedSites: [Int] = []
  /// Points to decide again, in a heap with the highest rank first.
  var queue: [Int] = []
  /// Points found around another point.
  var found: [Int] = []
}

extension ClusterTree {
  /// Removes points, and adds points that are in no site yet.
  ///
  /// - Complexity: O(k · levels) expected, k being the number of points.
  mutating func update(removing removed: [Int], adding added: [Int]) {
    for slot in removed { leaveSite(slot) }
    for slot in added { enterSite(slot) }
    beginLevels()
    for level in (0...levels.maximum).reversed() {
      if work.arrivals.isEmpty && work.departures.isEmpty { break }
      update(level)
    }
    work.arrivals.removeAll(keepingCapacity: true)
    work.departures.removeAll(keepingCapacity: true)
  }

  /// Turns the sites with a new leader into arrivals and departures.
  private mutating func beginLevels() {
    for slot in work.changedSites {
      let marks = nodes[slot].marks
      nodes[slot].marks.subtract([.siteChanged, .ledSite])
      switch (marks.contains(.ledSite), marks.contains(.leadsSite)) {
      case (true, false):
        work.departures.append((slot, Int(nodes[slot].top)))
        unlink(slot)
        nodes[slot].top = UInt8(levels.none)
      case (false, true):
        nodes[slot].top = UInt8(levels.sites)
        work.arrivals.append(slot)
      case (true, true), (false, false):
        break
      }
    }
    work.changedSites.removeAll(keepingCapacity: true)
  }

  /// Updates a level for its arrivals and departures.
  private mutating func update(_ level: Int) {
    let (arrivals, departures) = (work.arrivals, work.departures)
    work.arrivals.removeAll(keepingCapacity: true)
    work.departures.removeAll(keepingCapacity: true)
    for (slot, top) in departures where top <= level {
      leaders[level].remove(levels.cell(nodes[slot].position, level), slot)
      work.departures.append((slot, top))
      enqueueChildren(slot, of: level)
    }
    for slot in arrivals { enqueue(slot) }
    while let slot = dequeue() { decideLead(slot, level) }
  }

  /// Decides whether a point leads a level, after every point of higher rank has been decided.
  private mutating func decideLead(_ slot: Int, _ level: Int) {
    let led = nodes[slot].leads(level)
    guard let leader = nearestLeader(of: slot, level) else {
      if !led { lead(slot, level) }
      return
    }
    if led {
      work.departures.append((slot, Int(nodes[slot].top)))
      leaders[level].remove(levels.cell(nodes[slot].position, level), slot)
      unlink(slot)
      nodes[slot].top = UInt8(level + 1)
      link(slot, to: leader)
      enqueueChildren(slot, of: level)
    } else if nodes[slot].parent != Int32(leader) {
      unlink(slot)
      link(slot, to: leader)
    }
  }

  /// Makes a point a leader. Points of lower rank around it may cease to lead, or may join it.
  private mutating func lead(_ slot: Int, _ level: Int) {
    unlink(slot)
    nodes[slot].top = UInt8(level)
    let position = nodes[slot].position
    leaders[level].insert(levels.cell(position, level), slot)
    work.arrivals.append(slot)
    let radius = levels.radius(level)
    work.found.removeAll(keepingCapacity: true)
    levels.forEachCell(level + 1, WorldRect(around: position, radius: radius)) { cell in
      leaders[level + 1].forEach(cell.hash) { other in
        let node = nodes[other]
        guard other != slot, cell.contains(node.position),
          let square = position.squaredDistance(to: node.position, within: radius),
          outranks(slot, other)
        else { return }
        // A point that has joined no leader is in the queue already.
        if !node.leads(level) {
          guard node.parent >= 0 else { return }
          let parent = Int(node.parent)
          guard
            let theirs = nodes[parent].position.squaredDistance(to: node.position, within: radius),
            square < theirs || square == theirs && outranks(slot, parent)
          else { return }
        }
        work.found.append(other)
      }
    }
    for index in work.found.indices { enqueue(work.found[index]) }
  }

  /// Returns the nearest leader of higher rank within the radius; of equally near leaders, the
  /// highest.
  private func nearestLeader(of slot: Int, _ level: Int) -> Int? {
    let position = nodes[slot].position
    let radius = levels.radius(level)
    var nearest: Int?
    var distance = UInt64.max
    levels.forEachCell(level, WorldRect(around: position, radius: radius)) { cell in
      leaders[level].forEach(cell.hash) { other in
        let node = nodes[other]
        guard other != slot, cell.contains(node.position),
          let square = position.squaredDistance(to: node.position, within: radius),
          square <= distance, outranks(other, slot)
        else { return }
        if square == distance, let nearest, outranks(nearest, other) { return }
        (nearest, distance) = (other, square)
      }
    }
    return nearest
  }

  // MARK: The queue

  /// Enqueues the points that have joined a point at this level.
  private mutating func enqueueChildren(_ slot: Int, of level: Int) {
    var child = nodes[slot].firstChild
    while child >= 0 {
      let node = nodes[Int(child)]
      if Int(node.top) == level + 1 { enqueue(Int(child)) }
      child = node.nextSibling
    }
  }

  private mutating func enqueue(_ slot: Int) {
    guard !nodes[slot].marks.contains(.queued) else { return }
    nodes[slot].marks.insert(.queued)
    work.queue.append(slot)
    var position = work.queue.count - 1
    while position > 0 {
      let parent = (position - 1) / 2
      guard outranks(slot, work.queue[parent]) else { break }
      work.queue[position] = work.queue[parent]
      position = parent
    }
    work.queue[position] = slot
  }

  private mutating func dequeue() -> Int? {
    guard let first = work.queue.first, let last = work.queue.popLast() else { return nil }
    nodes[first].marks.remove(.queued)
    guard !work.queue.isEmpty else { return first }
    var position = 0
    while true {
      var child = 2 * position + 1
      guard child < work.queue.count else { break }
      if child + 1 < work.queue.count, outranks(work.queue[child + 1], work.queue[child]) {
        child += 1
      }
      guard outranks(work.queue[child], last) else { break }
      work.queue[position] = work.queue[child]
      position = child
    }
    work.queue[position] = last
    return first
  }
}
