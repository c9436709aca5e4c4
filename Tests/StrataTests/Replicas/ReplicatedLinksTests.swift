import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

private struct Profile: Entity, Equatable {
  var id = 0
  var likes = 0

  static let badges = manyToMany(Badge.self, ordered: true)
  static let schema = Schema<Profile>("profiles", key: \.id) {
    Attribute(\.likes)
    badges
  }
}

private struct Badge: Entity, Equatable {
  var id = ""
  var rank = 0

  static let schema = Schema<Badge>("badges", key: \.id) { Attribute(\.rank) }
}

/// The links of many-to-many relationships in stores that follow a server.
@MainActor @Suite(.inTurn, .stack(Profile.self, Badge.self))
struct ReplicatedLinksTests {
  let stack = Stack.test
  private let builder = RecordBuilder()

  private var profiles: Table { stack.store.model.table(of: Profile.self) }
  private var badges: Table { stack.store.model.table(of: Badge.self) }

  private func links() throws -> Table {
    try #require(stack.replicableTables.first { $0.isJoin })
  }

  private func key(_ id: Int) -> RecordKey { RecordKey(.integer(Int64(id))) }

  /// Returns the server's rows of some keys, as a pull brings them.
  private func rows<E: Entity>(
    _ table: Table, _ rows: [E], without gone: [RecordKey] = []
  ) throws -> ServerRows {
    var records: [RecordKey: Record] = [:]
    for row in rows {
      let record = try table.encode(row, builder)
      records[RecordKey(record[Table.keyColumn])] = record
    }
    return ServerRows(table, .keys(Set(records.keys).union(gone)), records)
  }

  private func link(_ post: Int, _ tag: String, position: Double) throws -> Record {
    builder.begin(columns: 4)
    builder.append(try JoinTable.key(.integer(Int64(post)), .text(tag)))
    builder.append(Int64(post))
    builder.append(.text(tag))
    builder.append(position)
    return try builder.finish()
  }

  private func begin() async throws -> FollowedTables {
    let tables = FollowedTables(stack.replicableTables)
    _ = try await stack.openReplica(of: tables.tables, first: Data())
    try await stack.apply(
      [
        rows(profiles, [Profile(id: 1), Profile(id: 2)]),
        rows(self.badges, [Badge(id: "a"), Badge(id: "b")]),
      ], of: tables, state: Data())
    return tables
  }

  @Test func `the links between followed entities are followed`() throws {
    let links = try links()
    #expect(links.serverName == "profiles_badges")
    let both = stack.withLinks([(profiles, nil), (badges, nil)])
    #expect(both.map(\.table.name) == ["profiles", "badges", links.name])
    #expect(both.last?.filter == nil)
    #expect(stack.withLinks([(profiles, nil)]).map(\.table.name) == ["profiles"])
    let some = try stack.rowFilter(Badge.where { $0.rank > 1 })
    let partial = stack.withLinks([(profiles, nil), (badges, some)])
    #expect(partial.last?.filter?.reference?.target === badges)
    #expect(partial.last?.filter?.reference?.column == JoinTable.target)
  }

  @Test func `a link is pushed after its ends, and pulled`() async throws {
    let tables = try await begin()
    try await stack.withScratch { context in
      context.insert(Badge(id: "new"))
      context.link(1, to: "new", in: Profile.badges)
    }
    let edits = try await stack.handOver(of: tables.tables, limit: .max, state: Data()).edits
    #expect(edits.map(\.table.name) == ["badges", try links().name])
    let theirs = try link(2, "a", position: 5)
    try await stack.apply(
      [
        rows(self.badges, [Badge(id: "new")]),
        ServerRows(try links(), .keys([theirs.key(0)]), [theirs.key(0): theirs]),
      ], of: tables, confirming: [], state: Data())
    #expect(try await stack.fetch(Profile.badges(of: 2)).map(\.id) == ["a"])
    #expect(try await stack.fetch(Profile.badges(of: 1)).map(\.id) == ["new"])
    #expect(try await stack.replicaOutbox.requests().isEmpty)
  }

  @Test func `a link of a row that the server has deleted goes without being pushed`() async throws
  {
    let tables = try await begin()
    let known = try link(2, "b", position: 5)
    try await stack.apply(
      [ServerRows(try links(), .keys([known.key(0)]), [known.key(0): known])], of: tables,
      state: Data())
    try await stack.withScratch { context in
      context.link(1, to: "a", in: Profile.badges)
      context.link(1, to: "b", in: Profile.badges)
      context.link(2, to: "a", in: Profile.badges)
    }
    try await stack.apply(
      [rows(self.badges, [Badge](), without: [RecordKey(.text("a"))])], of: tables, state: Data())
    let left = try await stack.replicaOutbox.requests()
    #expect(left.map(\.key) == [RecordKey(try JoinTable.key(.integer(1), .text("b")))])
    let stored = try await stack.read("SELECT owner, target FROM \"strata_join_profiles.badges\"")
    #expect(stored.count == 2)
    // A row that only leaves the filter takes no link along.
    let filter = try stack.rowFilter(Badge.where { $0.rank == 0 })
    let partial = try FollowedTables([(profiles, nil), (self.badges, filter), (try links(), nil)])
    try await stack.apply(
      [rows(self.badges, [Badge(id: "b", rank: 9)])], of: partial, state: Data())
    #expect(try await stack.fetch(Badge.all).isEmpty)
    #expect(try await stack.replicaOutbox.requests().count == 1)
  }

  @Test func `the same link on two hosts is one link, and no conflict`() async throws {
    let tables = try await begin()
    try await stack.withScratch { $0.link(1, to: "a", in: Profile.badges) }
    let theirs = try link(1, "a", position: 5)
    let conflicts = try await stack.apply(
      [ServerRows(try links(), .keys([theirs.key(0)]), [theirs.key(0): theirs])], of: tables,
      state: Data()
    ).conflicts
    #expect(conflicts.isEmpty)
    let edits = try await stack.handOver(of: tables.tables, limit: .max, state: Data()).edits
    #expect(edits.map { $0.conflict(with: theirs) == nil } == [true])
    #expect(try await stack.fetch(Profile.badges(of: 1)).map(\.id) == ["a"])
  }
}
