internal import Strata

/// The points of a site with two or more points, by rank.
///
/// For summaries the points are divided into runs. A run begins with the first point, and with
/// every point whose rank says so. Runs are short, and depend only on the set of points. A change
/// concerns only a few of them.
struct ClusterStack: Sendable {
  var members: [Int32]
  /// The members that begin a run because of their rank, by rank.
  var runs: [Int32]

  /// Creates the stack of a leader alone.
  init(_ leader: Int, rank: UInt64) {
    members = [Int32(leader)]
    runs = Self.beginsRun(rank) ? members : []
  }

  /// Adds a point that every other member outranks.
  mutating func append(_ slot: Int32, rank: UInt64) {
    members.append(slot)
    if Self.beginsRun(rank) { runs.append(slot) }
  }

  /// Returns whether a point of this rank begins a run, which is true for 1 rank in 64.
  @inline(__always)
  static func beginsRun(_ rank: UInt64) -> Bool { rank & 63 == 0 }
}

extension ClusterTree {
  /// Returns the leader of the site whose cell contains a point.
  func siteLeader(at position: WorldPoint) -> Int? {
    let shift = levels.siteShift
    var found: Int?
    leaders[levels.sites].forEach(levels.cell(position, levels.sites)) { slot in
      let other = nodes[slot].position
      if other.x >> shift == position.x >> shift && other.y >> shift == position.y >> shift {
        found = slot
      }
    }
    return found
  }

  /// Returns the stack that a point leads; nil if the site is the point alone.
  ///
  /// The mark avoids the look-up for nearly all points.
  @inline(__always)
  func stack(_ leader: Int) -> ClusterStack? {
    nodes[leader].marks.contains(.leadsStack) ? stacks[Int32(leader)] : nil
  }

  /// Returns the points of the site that a point leads, by rank.
  func members(_ leader: Int) -> [Int32] { stack(leader)?.members ?? [Int32(leader)] }

  /// Returns the number of points of the site that a point leads.
  @inline(__always)
  func siteCount(_ leader: Int) -> Int { stack(leader)?.members.count ?? 1 }

  private mutating func takeStack(_ leader: Int) -> ClusterStack? {
    guard nodes[leader].marks.contains(.leadsStack) else { return nil }
    nodes[leader].marks.remove(.leadsStack)
    return stacks.removeValue(forKey: Int32(leader))
  }

  /// Adds a point to the site of its cell. The point may become the leader.
  mutating func enterSite(_ slot: Int) {
    guard let leader = siteLeader(at: nodes[slot].position) else {
      setLeadsSite(slot, true)
      return add(1, from: slot)
    }
    var stack = takeStack(leader) ?? ClusterStack(leader, rank: nodes[leader].rank)
    let position = position(of: slot, in: stack.members)
    stack.members.insert(Int32(slot), at: position)
    if ClusterStack.beginsRun(nodes[slot].rank) {
      stack.runs.insert(Int32(slot), at: self.position(of: slot, in: stack.runs))
    }
    runChanged(at: position, in: stack.members)
    handOver(stack, from: leader, before: stack.members.count - 1)
  }

  /// Removes a point from its site. If it led the site, the next point by rank becomes the leader.
  mutating func leaveSite(_ slot: Int) {
    guard let leader = siteLeader(at: nodes[slot].position) else {
      fatalError("ClusterTree: point \(slot) has no site")
    }
    guard var stack = takeStack(leader) else {
      setLeadsSite(slot, false)
      return add(-1, from: slot)
    }
    let position = position(of: slot, in: stack.members)
    stack.members.remove(at: position)
    if ClusterStack.beginsRun(nodes[slot].rank) {
      stack.runs.remove(at: self.position(of: slot, in: stack.runs))
    }
    runChanged(at: position - 1, in: stack.members)
    handOver(stack, from: leader, before: stack.members.count + 1)
  }

  /// Stores a changed site, which had `count` points and was led by `leader`.
  private mutating func handOver(_ stack: ClusterStack, from leader: Int, before count: Int) {
    let new = Int(stack.members[0])
    let now = Int32(stack.members.count)
    if new == leader {
      add(now - Int32(count), from: leader)
    } else {
      setLeadsSite(leader, false)
      add(-Int32(count), from: leader)
      setLeadsSite(new, true)
      add(now, from: new)
    }
    if now > 1 {
      nodes[new].marks.insert(.leadsStack)
      stacks[Int32(new)] = stack
    }
  }

  private mutating func setLeadsSite(_ slot: Int, _ leads: Bool) {
    if !nodes[slot].marks.contains(.siteChanged) {
      nodes[slot].marks.insert(.siteChanged)
      work.changedSites.append(slot)
      if !leads { nodes[slot].marks.insert(.ledSite) }
    }
    let cell = levels.cell(nodes[slot].position, levels.sites)
    if leads {
      nodes[slot].marks.insert(.leadsSite)
      leaders[levels.sites].insert(cell, slot)
    } else {
      nodes[slot].marks.remove(.leadsSite)
      leaders[levels.sites].remove(cell, slot)
    }
  }

  /// Returns the position of a point among points by rank, or the position at which it would be.
  func position(of slot: Int, in members: [Int32]) -> Int {
    members.indices.partitioningIndex { outranks(Int(members[$0]), slot) }
  }

  /// Marks the run at a position as stale, and the run before it, as a run may begin or end there.
  mutating func runChanged(at position: Int, in members: [Int32]) {
    var position = min(position + 1, members.count - 1)
    var runs = 0
    // The point after it may have been the leader, whose summary covered the whole site.
    while position > 0 && runs < 3 {
      let slot = Int(members[position])
      if ClusterStack.beginsRun(nodes[slot].rank) {
        markStale(slot)
        runs += 1
      }
      position -= 1
    }
  }
}
