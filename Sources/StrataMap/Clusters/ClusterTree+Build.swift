extension ClusterTree {
  /// Clusters the points of some slots from scratch, without regard to earlier points.
  ///
  /// - Complexity: O(n log n + n · levels), n being the number of points.
  mutating func build(_ slots: [Int32]) {
    leaders = leaders.map { _ in SlotTable() }
    stacks = [:]
    stale.removeAll(keepingCapacity: true)
    for slot in slots {
      let node = nodes[Int(slot)]
      nodes[Int(slot)] = ClusterNode(node.position, rank: node.rank, top: levels.none)
    }
    var candidates = buildSites(byRank(slots))
    for level in (0...levels.maximum).reversed() { candidates = build(level, candidates) }
    weigh(slots)
  }

  private func byRank(_ slots: [Int32]) -> [Int32] {
    var ranked = slots.map { (rank: nodes[Int($0)].rank, slot: $0) }
    ranked.sort {
      $0.rank != $1.rank ? $0.rank > $1.rank : outranks(Int($0.slot), Int($1.slot))
    }
    return ranked.map(\.slot)
  }

  /// Adds points, by rank, to their sites, and returns the sites' leaders by rank.
  private mutating func buildSites(_ slots: [Int32]) -> [Int32] {
    leaders[levels.sites] = SlotTable(capacity: slots.count)
    var sites: [Int32] = []
    for slot in slots {
      let position = nodes[Int(slot)].position
      if let leader = siteLeader(at: position) {
        nodes[leader].marks.insert(.leadsStack)
        stacks[Int32(leader), default: ClusterStack(leader, rank: nodes[leader].rank)]
          .append(slot, rank: nodes[Int(slot)].rank)
      } else {
        nodes[Int(slot)].marks.insert(.leadsSite)
        nodes[Int(slot)].top = UInt8(levels.sites)
        leaders[levels.sites].insert(levels.cell(position, levels.sites), Int(slot))
        sites.append(slot)
      }
    }
    leaders[levels.sites].fit()
    return sites
  }

  /// Chooses the leaders of a level among the leaders of the finer level, and returns them by rank.
  ///
  /// The candidates are in order of rank.
  private mutating func build(_ level: Int, _ candidates: [Int32]) -> [Int32] {
    var table = SlotTable(capacity: candidates.count)
    var chosen: [Int32] = []
    let radius = levels.radius(level)
    for candidate in candidates {
      let slot = Int(candidate)
      let position = nodes[slot].position
      var nearest = -1
      var distance = UInt64.max
      // A point in the table leads already, and so has a higher rank.
      levels.forEachCell(level, WorldRect(around: position, radius: radius)) { cell in
        table.forEach(cell.hash) { other in
          guard cell.contains(nodes[other].position),
            let square = position.squaredDistance(to: nodes[other].position, within: radius),
            square < distance || square == distance && outranks(other, nearest)
          else { return }
          (nearest, distance) = (other, square)
        }
      }
      if nearest >= 0 {
        link(slot, to: nearest)
      } else {
        nodes[slot].top = UInt8(level)
        table.insert(levels.cell(position, level), slot)
        chosen.append(candidate)
      }
    }
    table.fit()
    leaders[level] = table
    return chosen
  }

  /// Sums up the weights, from points that lead only their site to points that lead the most
  /// levels.
  private mutating func weigh(_ slots: [Int32]) {
    var byTop = [[Int32]](repeating: [], count: levels.none + 1)
    for slot in slots { byTop[Int(nodes[Int(slot)].top)].append(slot) }
    for slot in byTop[levels.none] where ClusterStack.beginsRun(nodes[Int(slot)].rank) {
      markStale(Int(slot))
    }
    for group in byTop[...levels.sites].reversed() {
      for slot in group {
        nodes[Int(slot)].weight += Int32(siteCount(Int(slot)))
        markStale(Int(slot))
        let parent = nodes[Int(slot)].parent
        if parent >= 0 { nodes[Int(parent)].weight += nodes[Int(slot)].weight }
      }
    }
  }
}
