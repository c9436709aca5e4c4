import Foundation
import StrataTesting
import Testing

@testable import Strata

private struct Post: Entity, Equatable {
  var id = 0
  var likes = 0

  static let tags = manyToMany(Tag.self, ordered: true)
  static let schema = Schema<Post>("posts", key: \.id) {
    Attribute(\.likes)
    tags
  }
}

private struct Tag: Entity, Equatable {
  var id = ""
  var rank = 0

  static let schema = Schema<Tag>("tags", key: \.id) { Attribute(\.rank) }
}

/// The links of many-to-many relationships in stores that follow a server.
@MainActor @Suite(.stack(Post.self, Tag.self), .timeLimit(.minutes(25)))
struct ReplicatedLinksTests {
  let stack = Stack.test
  private let builder = RecordBuilder()

  private var posts: Table { stack.store.model.table(of: Post.self) }
  private var tags: Table { stack.store.model.table(of: Tag.self) }

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
        rows(posts, [Post(id: 1), Post(id: 2)]),
        rows(self.tags, [Tag(id: "a"), Tag(id: "b")]),
      ], of: tables, state: Data())
    return tables
  }

  @Test func `the links between followed entities are followed`() throws {
    let links = try links()
    #expect(links.serverName == "posts_tags")
    let both = stack.withLinks([(posts, nil), (tags, nil)])
    #expect(both.map(\.table.name) == ["posts", "tags", links.name])
    #expect(both.last?.filter == nil)
    #expect(stack.withLinks([(posts, nil)]).map(\.table.name) == ["posts"])
    let some = try stack.rowFilter(Tag.where { $0.rank > 1 })
    let partial = stack.withLinks([(posts, nil), (tags, some)])
    #expect(partial.last?.filter?.reference?.target === tags)
    #expect(partial.last?.filter?.reference?.column == JoinTable.target)
  }

  @Test func `a link is pushed after its ends, and pulled`() async throws {
    let tables = try await begin()
    try await stack.withScratch { context in
      context.insert(Tag(id: "new"))
      context.link(1, to: "new", in: Post.tags)
    }
    let edits = try await stack.handOver(of: tables.tables, state: Data())
    #expect(edits.map(\.table.name) == ["tags", try links().name])
    let theirs = try link(2, "a", position: 5)
    try await stack.apply(
      [
        rows(self.tags, [Tag(id: "new")]),
        ServerRows(try links(), .keys([theirs.key(0)]), [theirs.key(0): theirs]),
      ], of: tables, confirming: [], state: Data())
    #expect(try await stack.fetch(Post.tags(of: 2)).map(\.id) == ["a"])
    #expect(try await stack.fetch(Post.tags(of: 1)).map(\.id) == ["new"])
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
      context.link(1, to: "a", in: Post.tags)
      context.link(1, to: "b", in: Post.tags)
      context.link(2, to: "a", in: Post.tags)
    }
    try await stack.apply(
      [rows(self.tags, [Tag](), without: [RecordKey(.text("a"))])], of: tables, state: Data())
    let left = try await stack.replicaOutbox.requests()
    #expect(left.map(\.key) == [RecordKey(try JoinTable.key(.integer(1), .text("b")))])
    let stored = try await stack.read("SELECT owner, target FROM \"\(try links().name)\"")
    #expect(stored.count == 2)
    // A row that only leaves the filter takes no link along.
    let filter = try stack.rowFilter(Tag.where { $0.rank == 0 })
    let partial = try FollowedTables([(posts, nil), (self.tags, filter), (try links(), nil)])
    try await stack.apply(
      [rows(self.tags, [Tag(id: "b", rank: 9)])], of: partial, state: Data())
    #expect(try await stack.fetch(Tag.all).isEmpty)
    #expect(try await stack.replicaOutbox.requests().count == 1)
  }

  @Test func `the same link on two hosts is one link, and no conflict`() async throws {
    let tables = try await begin()
    try await stack.withScratch { $0.link(1, to: "a", in: Post.tags) }
    let theirs = try link(1, "a", position: 5)
    let (_, conflicts) = try await stack.apply(
      [ServerRows(try links(), .keys([theirs.key(0)]), [theirs.key(0): theirs])], of: tables,
      state: Data())
    #expect(conflicts.isEmpty)
    let edits = try await stack.handOver(of: tables.tables, state: Data())
    #expect(edits.map { $0.conflict(with: theirs) == nil } == [true])
    #expect(try await stack.fetch(Post.tags(of: 1)).map(\.id) == ["a"])
  }
}
