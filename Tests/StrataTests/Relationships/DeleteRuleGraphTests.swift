import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// A node, which refers to other nodes in every way.
struct Node: Entity, Equatable {
  var id = 0
  var cascadeID: Node.ID?
  var nullifyID: Node.ID?
  var denyID: Node.ID?
  var otherID: Node.ID?

  static let cascades = toOne(\.cascadeID, Node.self, onDelete: .cascade)
  static let nullifies = toOne(\.nullifyID, Node.self, onDelete: .nullify)
  static let denies = toOne(\.denyID, Node.self, onDelete: .deny)
  static let other = toOne(\.otherID, Node.self, onDelete: .cascade)
  static let peers = manyToMany(Node.self)
  static let schema = Schema<Node>("nodes", key: \.id) {
    cascades
    nullifies
    denies
    other
    peers
  }
}

@Suite(.inTurn, .stack(Node.self)) struct DeleteRuleGraphTests {
  let stack = Stack.test

  private func nodes() async throws -> [Node] { try await stack.fetch(Node.all) }

  @Test func `a cascade runs along a chain of thousands`() async throws {
    let count = 3_000
    try await stack.commit { scratch in
      for id in 1...count { scratch.insert(Node(id: id, cascadeID: id == 1 ? nil : id - 1)) }
      scratch.insert(Node(id: 0, cascadeID: count + 1))
    }
    var changes = stack.changes.makeAsyncIterator()
    try await stack.commit { $0.delete(Node(id: 1)) }
    #expect(await changes.next()?.changes(of: Node.self).deleted.count == count)
    #expect(try await nodes().map(\.id) == [0])
  }

  @Test func `a cascade fans out over many rows of each`() async throws {
    try await stack.commit { scratch in
      for id in 1...2_000 { scratch.insert(Node(id: id, cascadeID: id == 1 ? nil : id / 2)) }
    }
    try await stack.commit { $0.delete(Node(id: 2, cascadeID: 1)) }
    let left = try await nodes()
    var expected: Set<Int> = [1]
    for id in 2...2_000 where id != 2 && expected.contains(id / 2) { expected.insert(id) }
    #expect(Set(left.map(\.id)) == expected)
  }

  @Test func `a cycle of rules ends, whatever it is made of`() async throws {
    try await stack.commit { scratch in
      // The rows are a ring of cascades, a ring of nullifications, and a row that refers to itself
      // in every way.
      for id in 0..<5 { scratch.insert(Node(id: id, cascadeID: (id + 1) % 5)) }
      for id in 10..<15 { scratch.insert(Node(id: id, nullifyID: 10 + (id - 9) % 5)) }
      scratch.insert(Node(id: 20, cascadeID: 20, nullifyID: 20, denyID: 20, otherID: 20))
    }
    try await stack.commit { $0.delete(Node(id: 3, cascadeID: 4)) }
    #expect(try await nodes().map(\.id) == [10, 11, 12, 13, 14, 20])
    try await stack.commit { $0.delete(Node(id: 12, nullifyID: 13)) }
    #expect(try await nodes().map(\.nullifyID) == [11, nil, 14, 10, 20])
    try await stack.commit {
      $0.delete(Node(id: 20, cascadeID: 20, nullifyID: 20, denyID: 20, otherID: 20))
    }
    #expect(try await nodes().map(\.id) == [10, 11, 13, 14])
  }

  @Test func `a row that two rules reach is deleted once`() async throws {
    // The rows form a diamond. Row 5 is nullified by one rule and deleted by the other.
    try await stack.commit { scratch in
      scratch.insert(Node(id: 1))
      scratch.insert(Node(id: 2, cascadeID: 1))
      scratch.insert(Node(id: 3, cascadeID: 1))
      scratch.insert(Node(id: 4, cascadeID: 2, otherID: 3))
      scratch.insert(Node(id: 5, cascadeID: 4, nullifyID: 1))
      scratch.insert(Node(id: 6, nullifyID: 4))
    }
    var changes = stack.changes.makeAsyncIterator()
    try await stack.commit { $0.delete(Node(id: 1)) }
    let announced = await changes.next()?.changes(of: Node.self)
    #expect(announced?.deleted.map(\.id) == [1, 2, 3, 4, 5])
    #expect(announced?.updated.map(\.after) == [Node(id: 6)])
    #expect(try await nodes() == [Node(id: 6)])
  }

  @Test func `a denial in the middle of a cascade names the blocker and undoes everything`()
    async throws
  {
    try await stack.commit { scratch in
      for id in 1...5 { scratch.insert(Node(id: id, cascadeID: id == 1 ? nil : id - 1)) }
      scratch.insert(Node(id: 9, denyID: 4))
      scratch.link(Node(id: 1), to: Node(id: 9), in: Node.peers)
    }
    let error = await failure { try await stack.commit { $0.delete(Node(id: 1)) } }
    #expect(error?.code == .deleteDenied && error?.entity == "Node")
    #expect(error?.attributes == ["denyID"])
    #expect(error?.keys == [RecordKey(.integer(4)), RecordKey(.integer(9))])
    #expect(error?.message == "Node 4 cannot be deleted: Node.denyID of 9 refers to it")
    #expect(try await nodes().count == 6)
    #expect(try await stack.rows("SELECT count(*) FROM \"strata_join_nodes.nodes\"") == ["1"])
    // The same save deletes the blocker, so nothing denies the deletion.
    try await stack.commit {
      $0.delete(Node(id: 1))
      $0.delete(Node(id: 9, denyID: 4))
    }
    #expect(try await nodes().isEmpty)
    #expect(try await stack.rows("SELECT count(*) FROM \"strata_join_nodes.nodes\"") == ["0"])
  }

  @Test func `rules do what a model of them does`() async throws {
    var random = SeededRandom.printingSeed()
    var denied = 0
    for round in 1...150 {
      // Every round has rows of its own.
      let keys = (round * 100)..<(round * 100 + 14)
      var model = NodeModel(keys, &random)
      let before = model
      try await stack.commit { scratch in
        for node in model.nodes.values { scratch.insert(node) }
        for link in model.links { scratch.link(link.owner, to: link.target, in: Node.peers) }
      }
      let doomed = Set((0...random.below(3)).map { _ in random.pick(keys) })
      let edited = random.pick(keys)
      let change = (cascade: random.pick(keys), deny: random.oneIn(2) ? random.pick(keys) : nil)
      let blockers = model.delete(doomed, edited, change)
      let error = await failure {
        try await stack.commit { scratch in
          for id in doomed { if let node = before.nodes[id] { scratch.delete(node) } }
          if let node = before.nodes[edited] {
            scratch.update(node) { ($0.cascadeID, $0.denyID) = (change.cascade, change.deny) }
          }
        }
      }
      if blockers.isEmpty {
        #expect(error == nil)
      } else {
        denied += 1
        #expect(error?.code == .deleteDenied && error?.attributes == ["denyID"])
        #expect(blockers.contains(error?.keys.map { $0.integer ?? 0 } ?? []), "\(blockers)")
      }
      let expected = blockers.isEmpty ? model : before
      let rows = try await stack.fetch(
        Node.where { $0.id >= keys.lowerBound && $0.id < keys.upperBound })
      #expect(rows == expected.nodes.values.sorted { $0.id < $1.id })
      let links = try await stack.rows(
        "SELECT owner, target FROM \"strata_join_nodes.nodes\" WHERE owner / 100 = \(round)")
      #expect(links.sorted() == expected.links.map { "\($0.owner) \($0.target)" }.sorted())
    }
    #expect(denied > 10 && denied < 140)
  }
}

/// A model of the delete rules, as plain as possible.
private struct NodeModel {
  struct Link: Hashable {
    let owner: Int
    let target: Int
  }

  private(set) var nodes: [Int: Node] = [:]
  private(set) var links: Set<Link> = []

  init(_ keys: Range<Int>, _ random: inout SeededRandom) {
    func reference(oneIn times: Int, _ random: inout SeededRandom) -> Int? {
      random.oneIn(times) ? random.pick(keys) : nil
    }
    for id in keys {
      nodes[id] = Node(
        id: id, cascadeID: reference(oneIn: 3, &random), nullifyID: reference(oneIn: 2, &random),
        denyID: reference(oneIn: 6, &random), otherID: reference(oneIn: 6, &random))
    }
    for _ in 0..<8 { links.insert(Link(owner: random.pick(keys), target: random.pick(keys))) }
  }

  /// Deletes some nodes, and changes a node unless it is deleted.
  ///
  /// - Returns: pairs of keys, of a node that cannot be deleted and of the node that forbids it.
  mutating func delete(
    _ doomed: Set<Int>, _ edited: Int, _ change: (cascade: Int, deny: Int?)
  ) -> [[Int64]] {
    nodes[edited]?.cascadeID = change.cascade
    nodes[edited]?.denyID = change.deny
    var deleted = doomed
    while true {
      let next = nodes.values.filter { node in
        [node.cascadeID, node.otherID].contains { $0.map(deleted.contains) == true }
      }
      let count = deleted.count
      deleted.formUnion(next.map(\.id))
      if deleted.count == count { break }
    }
    for id in deleted { nodes[id] = nil }
    var blockers: [[Int64]] = []
    for (id, node) in nodes {
      if let target = node.nullifyID, deleted.contains(target) { nodes[id]?.nullifyID = nil }
      if let target = node.denyID, deleted.contains(target) {
        blockers.append([Int64(target), Int64(id)])
      }
    }
    links = links.filter { !deleted.contains($0.owner) && !deleted.contains($0.target) }
    return blockers
  }
}
