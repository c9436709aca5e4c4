/// The points of a site, two or more, by rank.
///
/// For summaries they are divided into runs: a run begins with the first point, and with every
/// point whose rank says so. So the runs, like all else, depend on the set alone, are short, and a
/// change concerns one of them.
struct ClusterStack: Sendable {
  var members: [Int32]
  /// Those of them that begin runs, by rank.
  var runs: [Int32]

  /// The stack of its leader alone.
  init(_ leader: Int, rank: UInt64) {
    members = [Int32(leader)]
    runs = Self.beginsRun(rank) ? members : []
  }

  /// Adds a point that all others outrank.
  mutating func append(_ slot: Int32, rank: UInt64) {
    members.append(slot)
    if Self.beginsRun(rank) { runs.append(slot) }
  }

  /// Whether a point of this rank begins a run: one in 64 does.
  @inline(__always)
  static func beginsRun(_ rank: UInt64) -> Bool { rank & 63 == 0 }
}

extension ClusterTree {
  /// The leader of the site whose cell a point is in.
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

  /// The site that a point leads; nil if that is the point alone.
  ///
  /// The mark spares nearly all points the look-up.
  @inline(__always)
  func stack(_ leader: Int) -> ClusterStack? {
    nodes[leader].marks.contains(.leadsStack) ? stacks[Int32(leader)] : nil
  }

  /// The points of the site that a point leads, by rank.
  func members(_ leader: Int) -> [Int32] { stack(leader)?.members ?? [Int32(leader)] }

  /// How many points the site has that a point leads.
  @inline(__always)
  func siteCount(_ leader: Int) -> Int { stack(leader)?.members.count ?? 1 }

  private mutating func takeStack(_ leader: Int) -> ClusterStack? {
    guard nodes[leader].marks.contains(.leadsStack) else { return nil }
    nodes[leader].marks.remove(.leadsStack)
    return stacks.removeValue(forKey: Int32(leader))
  }

  /// Adds a point to the site of its cell, which it may come to lead.
  mutating func enterSite(_ slot: Int) {
    guard let leader = siteLeader(at: nodes[slot].position) else {
      setLeadsSite(slot, true)
      return add(1, from: slot)
    }
    var stack = takeStack(leader) ?? ClusterStack(leader, rank: nodes[leader].rank)
    let place = place(of: slot, in: stack.members)
    stack.members.insert(Int32(slot), at: place)
    if ClusterStack.beginsRun(nodes[slot].rank) {
      stack.runs.insert(Int32(slot), at: self.place(of: slot, in: stack.runs))
    }
    runChanged(at: place, in: stack.members)
    handOver(stack, from: leader, before: stack.members.count - 1)
  }

  /// Takes a point out of its site, which another one may come to lead.
  mutating func leaveSite(_ slot: Int) {
    guard let leader = siteLeader(at: nodes[slot].position) else {
      fatalError("ClusterTree: point \(slot) has no site")
    }
    guard var stack = takeStack(leader) else {
      setLeadsSite(slot, false)
      return add(-1, from: slot)
    }
    let place = place(of: slot, in: stack.members)
    stack.members.remove(at: place)
    if ClusterStack.beginsRun(nodes[slot].rank) {
      stack.runs.remove(at: self.place(of: slot, in: stack.runs))
    }
    runChanged(at: place - 1, in: stack.members)
    handOver(stack, from: leader, before: stack.members.count + 1)
  }

  /// The site has these points now, and had so many, led by `leader`.
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

  /// Where a point is, or would be, among points by rank.
  func place(of slot: Int, in members: [Int32]) -> Int {
    var (low, high) = (0, members.count)
    while low < high {
      let middle = (low + high) / 2
      if outranks(Int(members[middle]), slot) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The run of a place has changed, and the one before it if a run begins or began there.
  mutating func runChanged(at place: Int, in members: [Int32]) {
    var place = min(place + 1, members.count - 1)
    var runs = 0
    // The point after it may have been the leader, whose summary was that of the whole site.
    while place > 0 && runs < 3 {
      let slot = Int(members[place])
      if ClusterStack.beginsRun(nodes[slot].rank) {
        markStale(slot)
        runs += 1
      }
      place -= 1
    }
  }
}
