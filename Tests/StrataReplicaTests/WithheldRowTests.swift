import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataReplica

private struct Coded: Entity, Hashable {
  var id = 0
  var code = ""

  static let schema = Schema<Coded>("coded", key: \.id) {
    Attribute(\.code).unique()
  }
}

/// Rows of a server that a store cannot have.
@MainActor @Suite(.inTurn) struct WithheldRowTests {
  // MARK: - Values

  private func live() async throws -> (Stack, ModelServer, Replica) {
    let stack = try await Stack.temporary([Note.self])
    let server = ModelServer(seed: 1)
    for id in 1...5 { server.state.withLock { $0.set(Note(id: id), isFlushed: true) } }
    let followed = FollowedTables(stack.replicableTables)
    let replica = try await Replica.open(
      stack, of: followed, ReplicaOptions(),
      { () async throws(ReplicaError) in try server.connect(followed) },
      pageSize: 2, pausing: { _ in await Task.yield() })
    try await replica.settled()
    return (stack, server, replica)
  }

  private func ids(_ stack: Stack) async throws -> [Int] {
    try await stack.fetch(Note.sorted(by: \.id)).map(\.id)
  }

  /// A pull by keys, a pull in pages, and a copy.
  @Test(arguments: [1, 5, 0]) func `one bad row stops no other, and comes once it is mended`(
    _ others: Int
  ) async throws {
    let (stack, server, replica) = try await live()
    server.state.withLock { state in
      state.set(Note(id: 3, title: ModelServer.unreadableTitle), isFlushed: true)
      for id in 6..<6 + others { state.set(Note(id: id), isFlushed: true) }
      if others == 0 { state.prune() }
    }
    try await replica.caughtUp()
    try await replica.caughtUp()
    #expect(try await ids(stack) == [1, 2, 4, 5] + Array(6..<6 + others))
    let withheld = try await replica.withheld()
    #expect(withheld.map(\.key) == [RecordKey(.integer(3))])
    #expect(withheld.map(\.attributes) == [["title"]])
    #expect(withheld.first?.message == "notes.title is unreadable")
    #expect(replica.monitor.state.withheld == 1)
    #expect(try await replica.verify().isEmpty)
    server.state.withLock { $0.set(Note(id: 3, title: "good"), isFlushed: true) }
    try await replica.caughtUp()
    #expect(try await ids(stack) == [1, 2, 3, 4, 5] + Array(6..<6 + others))
    #expect(try await replica.withheld().isEmpty)
    await replica.close()
    await stack.close()
  }

  // MARK: - Unique values

  /// The rows that every host has: each takes its code unless a row with a lesser key has it.
  private func expected(_ rows: [Int: String]) -> [Coded] {
    var codes: Set<String> = []
    return rows.sorted { $0.key < $1.key }.compactMap { id, code in
      codes.insert(code).inserted ? Coded(id: id, code: code) : nil
    }
  }

  /// A host that pulls at times of its own, by keys or in pages.
  private struct Host {
    let stack: Stack
    var changed: Set<Int> = []

    mutating func pull(_ rows: [Int: String], inPages: Bool, _ random: inout SeededRandom)
      async throws
    {
      let table = try #require(stack.replicableTable(of: Coded.self))
      let followed = FollowedTables([table])
      let again = try await stack.withheldRows(of: [table]).filter(\.isDuplicate)
      let keys = changed.union(again.compactMap { $0.key.id(of: Coded.self) })
      func part(_ ids: some Sequence<Int>) throws -> ServerRows {
        var records: [RecordKey: Record] = [:]
        for id in ids {
          guard let code = rows[id] else { continue }
          let record = try table.encode(Coded(id: id, code: code), RecordBuilder())
          records[RecordKey(.integer(Int64(id)))] = record
        }
        return ServerRows(table, .keys(Set(ids.map { RecordKey(.integer(Int64($0))) })), records)
      }
      if inPages {
        try await stack.clearStage()
        for id in keys.sorted().shuffled(using: &random) { try await stack.stage(try part([id])) }
      }
      try await stack.apply(
        inPages ? [] : [try part(keys)], of: followed, isStaged: inPages, state: .init())
      changed = []
    }
  }

  @Test func `hosts of a server with duplicates end equal, whenever they pull`() async throws {
    var random = SeededRandom.printingSeed()
    for _ in 0..<4 {
      var hosts: [Host] = []
      for _ in 0..<3 {
        hosts.append(Host(stack: try await Stack.temporary([Coded.self])))
        _ = try await hosts[hosts.count - 1].stack.openReplica(
          of: hosts[hosts.count - 1].stack.replicableTables, first: .init())
      }
      var rows: [Int: String] = [:]
      for step in 0..<25 {
        for _ in 0..<(1 + random.below(4)) {
          let id = random.below(7)
          rows[id] = random.oneIn(4) ? nil : ["a", "b", "c"][random.below(3)]
          for index in hosts.indices { hosts[index].changed.insert(id) }
        }
        for index in hosts.indices where step == 24 || random.oneIn(3) {
          try await hosts[index].pull(rows, inPages: random.oneIn(2), &random)
          let stored = try await hosts[index].stack.fetch(Coded.sorted(by: \.id))
          #expect(stored == expected(rows), "host \(index), step \(step): \(rows)")
        }
      }
      for host in hosts { await host.stack.close() }
    }
  }

  /// Two rows swap a unique value in one save, and the server has an index that no transaction defers.
  @Test func `a refused swap of unique values can be given up`() async throws {
    let stack = try await Stack.temporary([Coded.self])
    let table = try #require(stack.replicableTable(of: Coded.self))
    let (tables, followed) = ([table], FollowedTables([table]))
    _ = try await stack.openReplica(of: tables, first: .init())
    var random = SeededRandom(seed: 1)
    var host = Host(stack: stack, changed: [1, 2])
    try await host.pull([1: "x", 2: "y"], inPages: false, &random)
    try await stack.withScratch { context in
      for (id, code) in [(1, "y"), (2, "x")] {
        context.update(try #require(try await context.find(Coded.self, id))) { $0.code = code }
      }
    }
    let handed = try await stack.handOver(of: tables, limit: .max, state: .init())
    #expect(handed.edits.count == 2)
    let verdicts =
      [ServerVerdict(table, RecordKey(.integer(2)), refusal: "duplicate key")]
      + [ServerVerdict(table, RecordKey(.integer(1)), refusal: nil)]
    try await stack.apply([], of: followed, confirming: verdicts, state: .init())
    let refusal = try #require(try await stack.replicaOutbox.refusals().first)
    #expect(try await stack.replicaOutbox.revert(refusal))
    #expect(try await stack.fetch(Coded.sorted(by: \.id)).map(\.code) == ["x", "y"])
    #expect(try await stack.waitingRows(of: tables).isEmpty)
    await stack.close()
  }

  // MARK: - Authors

  @Test func `a commit carries its author`() async throws {
    let stack = try await Stack.temporary([Coded.self])
    let changes = stack.changes
    var random = SeededRandom(seed: 1)
    var host = Host(stack: stack, changed: [1])
    try await host.pull([1: "x"], inPages: false, &random)
    var authors: [String?] = []
    for await change in changes {
      authors.append(change.author)
      if authors.count == 2 { break }
      try await stack.withScratch { $0.insert(Coded(id: 2, code: "y")) }
    }
    #expect(authors.first == Stack.replicaAuthor)
    #expect(authors.last != Stack.replicaAuthor && authors.last != .some(nil))
    let table = try #require(stack.replicableTable(of: Coded.self))
    let sets = [(1, "a"), (2, "a"), (3, "b")].map { commit, author in
      ChangeSet(
        commit: commit, author: author, model: stack.store.model, tables: [table.id: .reset])
    }
    #expect(sets[0].composed(with: sets[1]).author == "a")
    #expect(sets[0].composed(with: sets[2]).author == nil)
    await stack.close()
  }
}
