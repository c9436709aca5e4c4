import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

private struct Rack: Entity, Equatable {
  var id = 0
  var level = 0

  static let schema = Schema<Rack>("racks", key: \.id) { Attribute(\.level) }
}

private struct Volume: Entity, Equatable {
  var id = 0
  var rackID: Rack.ID?
  var pages = 0

  static let rack = toOne(\.rackID, Rack.self, onDelete: .nullify)
  static let schema = Schema<Volume>("volumes", key: \.id) {
    rack
    Attribute(\.pages)
  }
}

private struct Leaf: Entity, Equatable {
  var id = 0
  var volumeID: Volume.ID?
  var text = ""

  static let volume = toOne(\.volumeID, Volume.self, onDelete: .nullify)
  static let schema = Schema<Leaf>("leaves", key: \.id) {
    volume
    Attribute(\.text)
  }
}

/// Rows of a server that the store has because the rows to which they refer are there.
@MainActor @Suite(.inTurn, .stack(Rack.self, Volume.self, Leaf.self))
struct FollowedRowsTests {
  let stack = Stack.test

  /// The server's rows in plain arrays, and what a store follows of them.
  private struct Server {
    var racks: [Int: Rack] = [:]
    var volumes: [Int: Volume] = [:]
    var leaves: [Int: Leaf] = [:]

    func follows(_ rack: Rack) -> Bool { rack.level >= 5 }
    func follows(_ volume: Volume) -> Bool {
      volume.pages != 3 && volume.rackID.flatMap { racks[$0] }.map(follows) ?? false
    }
    func follows(_ leaf: Leaf) -> Bool {
      leaf.volumeID.flatMap { volumes[$0] }.map(follows) ?? false
    }

    /// Changes some rows, and returns the keys of those of each table.
    mutating func change(_ random: inout SeededRandom) -> [Set<Int>] {
      var changed: [Set<Int>] = [[], [], []]
      for _ in 0...random.below(4) {
        let (id, table) = (random.below(5), random.below(3))
        changed[table].insert(id)
        let isGone = random.oneIn(4)
        switch table {
        case 0: racks[id] = isGone ? nil : Rack(id: id, level: random.below(10))
        case 1:
          let rack: Int? = random.oneIn(6) ? nil : random.below(5)
          volumes[id] = isGone ? nil : Volume(id: id, rackID: rack, pages: random.below(5))
        default:
          let volume: Int? = random.oneIn(6) ? nil : random.below(5)
          leaves[id] =
            isGone ? nil : Leaf(id: id, volumeID: volume, text: "server \(random.below(100))")
        }
      }
      return changed
    }
  }

  private func key(_ id: Int) -> RecordKey { RecordKey(.integer(Int64(id))) }

  private func tables() throws -> FollowedTables {
    let (racks, volumes, leaves) = (
      stack.store.model.table(of: Rack.self), stack.store.model.table(of: Volume.self),
      stack.store.model.table(of: Leaf.self)
    )
    // The order in which they are named does not matter.
    return try FollowedTables([
      (leaves, try stack.rowFilter(Leaf.all, following: \Leaf.volumeID)),
      (volumes, try stack.rowFilter(Volume.where { $0.pages != 3 }, following: \Volume.rackID)),
      (racks, try stack.rowFilter(Rack.where { $0.level >= 5 })),
    ])
  }

  /// Brings the store to the server's rows of some keys, as a replica does.
  ///
  /// - Parameter whole: the position of a table of which all rows are read, page by page, with the tables
  ///   that refer to it.
  private func pull(
    _ server: Server, _ changed: [Set<Int>], _ tables: FollowedTables, wholeFrom whole: Int = 3
  ) async throws {
    let builder = RecordBuilder()
    var keys = changed.map { Set($0.map(key)) }
    let entering = try await stack.unfollowed(keys[0], in: tables.tables[0], of: tables)
    keys[1].formUnion(
      server.volumes.values.filter { $0.rackID.map { entering.contains(key($0)) } ?? false }
        .map { key($0.id) })
    let opening = try await stack.unfollowed(keys[1], in: tables.tables[1], of: tables)
    keys[2].formUnion(
      server.leaves.values.filter { $0.volumeID.map { opening.contains(key($0)) } ?? false }
        .map { key($0.id) })
    func part<E: Entity>(_ position: Int, _ rows: [Int: E]) throws -> ServerRows {
      let table = tables.tables[position]
      var records: [RecordKey: Record] = [:]
      for (id, row) in rows where keys[position].contains(key(id)) {
        records[key(id)] = try table.encode(row, builder)
      }
      return ServerRows(table, .keys(keys[position]), records)
    }
    let parts = [
      try part(2, server.leaves), try part(0, server.racks), try part(1, server.volumes),
    ].filter { part in tables.tables[..<whole].contains { $0 === part.table } }
    try await stack.clearStage()
    func stage<E: Entity>(_ position: Int, _ rows: [E]) async throws {
      if position < whole { return }
      let table = tables.tables[position]
      let records = try rows.map { try table.encode($0, builder) }
      let all = Dictionary(records.map { ($0.key(Table.keyColumn), $0) }) { $1 }
      let middle = all.keys.sorted().dropFirst(all.count / 2).first
      for (after, through) in middle.map({ [(nil, $0), ($0, nil)] }) ?? [(nil, nil)] {
        let slice = all.filter { key, _ in
          after.map { $0 < key } != false && through.map { key <= $0 } != false
        }
        try await stack.stage(ServerRows(table, .range(after: after, through: through), slice))
      }
    }
    try await stage(0, server.racks.values.filter(server.follows))
    try await stage(1, server.volumes.values.filter(server.follows))
    try await stage(2, server.leaves.values.filter(server.follows))
    try await stack.apply(
      parts, of: tables, isStaged: whole < 3, state: Data("state".utf8))
  }

  private func expectEqual(_ server: Server, _ seed: String) async throws {
    let (racks, volumes, leaves) = (
      try await stack.fetch(Rack.all), try await stack.fetch(Volume.all),
      try await stack.fetch(Leaf.all)
    )
    let sorted = (
      server.racks.values.filter(server.follows).sorted { $0.id < $1.id },
      server.volumes.values.filter(server.follows).sorted { $0.id < $1.id },
      server.leaves.values.filter(server.follows).sorted { $0.id < $1.id }
    )
    #expect(racks == sorted.0 && volumes == sorted.1 && leaves == sorted.2, "\(seed)")
  }

  @Test func `a row follows the row to which it refers, whatever changes`() async throws {
    let tables = try tables()
    #expect(tables.tables.map(\.name) == ["racks", "volumes", "leaves"])
    _ = try await stack.openReplica(of: tables.tables, first: Data())
    var random = SeededRandom.printingSeed()
    var server = Server()
    for step in 0..<300 {
      let changed = server.change(&random)
      try await pull(server, changed, tables, wholeFrom: random.oneIn(3) ? random.below(3) : 3)
      try await expectEqual(server, "step \(step)")
    }
    #expect(try await stack.replicaOutbox.requests().isEmpty)
  }

  @Test func `a row whose edits wait stays until the server has them`() async throws {
    let tables = try tables()
    _ = try await stack.openReplica(of: tables.tables, first: Data())
    var server = Server()
    server.racks[1] = Rack(id: 1, level: 7)
    server.volumes[1] = Volume(id: 1, rackID: 1)
    server.leaves = [1: Leaf(id: 1, volumeID: 1), 2: Leaf(id: 2, volumeID: 1)]
    try await pull(server, [[1], [1], [1, 2]], tables)
    try await stack.withScratch { context in
      context.update(try #require(try await context.find(Leaf.self, 1))) { $0.text = "mine" }
    }
    server.racks[1]?.level = 1
    try await pull(server, [[1], [], []], tables)
    #expect(try await stack.fetch(Rack.all).isEmpty)
    #expect(try await stack.fetch(Volume.all).isEmpty)
    #expect(try await stack.fetch(Leaf.all) == [Leaf(id: 1, volumeID: 1, text: "mine")])
    // The rack comes back, and brings what refers to it.
    server.racks[1]?.level = 9
    try await pull(server, [[1], [], []], tables)
    #expect(try await stack.fetch(Leaf.all).map(\.text) == ["mine", ""])
    server.racks[1]?.level = 1
    try await pull(server, [[1], [], []], tables)
    // Once the server has the edit, a pull reads the row again.
    let edits = try await stack.handOver(of: tables.tables, limit: .max, state: Data()).edits
    #expect(edits.map(\.key) == [key(1)])
    server.leaves[1]?.text = "mine"
    let leaves = tables.tables[2]
    let row = try leaves.encode(try #require(server.leaves[1]), RecordBuilder())
    try await stack.apply(
      [ServerRows(leaves, .keys([key(1)]), [key(1): row])], of: tables, confirming: [],
      state: Data())
    #expect(try await stack.fetch(Leaf.all).isEmpty)
    #expect(try await stack.replicaOutbox.requests().isEmpty)
  }

  @Test func `the rows below a row whose edits wait go all the same`() async throws {
    let tables = try tables()
    _ = try await stack.openReplica(of: tables.tables, first: Data())
    var server = Server()
    server.racks[1] = Rack(id: 1, level: 7)
    server.volumes[1] = Volume(id: 1, rackID: 1)
    server.leaves[1] = Leaf(id: 1, volumeID: 1)
    try await pull(server, [[1], [1], [1]], tables)
    try await stack.withScratch { context in
      context.update(try #require(try await context.find(Volume.self, 1))) { $0.pages = 4 }
    }
    server.racks[1]?.level = 1
    try await pull(server, [[1], [], []], tables)
    #expect(try await stack.fetch(Volume.all).map(\.pages) == [4])
    #expect(try await stack.fetch(Leaf.all).isEmpty)
    server.racks[1]?.level = 8
    try await pull(server, [[1], [], []], tables)
    #expect(try await stack.fetch(Leaf.all) == [Leaf(id: 1, volumeID: 1)])
  }

  @Test func `references lead to tables that are followed, and not back`() throws {
    let model = stack.store.model
    let volumes = model.table(of: Volume.self)
    #expect(throws: StoreError.self) {
      try FollowedTables([(volumes, try stack.rowFilter(Volume.all, following: \Volume.rackID))])
    }
    #expect(throws: StoreError.self) {
      _ = try stack.rowFilter(Volume.all, following: \Volume.pages)
    }
  }
}
