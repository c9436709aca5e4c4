import Foundation
import StrataTestTurns
import Testing

@testable import Strata

/// Edits that wait for a server in a store whose schema changes meanwhile.
@Suite(.inTurn) struct MigratedEditsTests {
  private let file: StoreFile

  init() throws { file = try StoreFile() }

  private struct Card: Entity {
    var id = 0
    var title = ""
    var note = ""
    var plays = 0

    static let schema = Schema<Card>("cards", key: \.id) {
      Attribute(\.title)
      Attribute(\.note)
      Attribute(\.plays).merged(by: .sum)
    }
  }

  private enum Next {
    struct Card: Entity, Equatable {
      var id = 0
      var name = ""
      var color = "red"
      var plays = 0

      static let schema = Schema<Card>("cards", key: \.id) {
        Attribute(\.name).formerly("title")
        Attribute(\.color).migrationDefault("red")
        Attribute(\.plays).merged(by: .sum)
        Removed<Card>("note")
      }
    }
  }

  /// Lets an edit wait in a store of the first schema.
  private func edit(_ change: @escaping @Sendable (inout Card) -> Void) async throws {
    try await file.open(Card.self) { stack in
      let table = stack.replicableTables[0]
      _ = try await stack.openReplica(of: [table], first: Data())
      let row = try table.encode(Card(id: 1, title: "a", plays: 5), RecordBuilder())
      let key = RecordKey(.integer(1))
      try await stack.apply(
        [ServerRows(table, .keys([key]), [key: row])], of: FollowedTables([table]), state: Data())
      try await stack.withScratch { context in
        context.update(try #require(try await context.find(Card.self, 1)), change)
      }
    }
  }

  /// Returns the row that the server gets from a store of the second schema.
  private func pushed(onto card: Next.Card) async throws -> Next.Card? {
    let pushed = Lock<Next.Card?>(nil)
    try await file.open(Next.Card.self) { stack in
      let table = stack.replicableTables[0]
      let edits = try await stack.handOver(of: [table], limit: .max, state: Data()).edits
      let row = edits.first?.row(onto: try table.encode(card, RecordBuilder()))
      pushed.withLock { $0 = row.flatMap { table.decodeLeniently($0, as: Next.Card.self) } }
    }
    return pushed.withLock(\.self)
  }

  @Test func `an edit leaves the attributes alone that it did not change`() async throws {
    try await edit { $0.title = "mine" }
    let theirs = Next.Card(id: 1, name: "theirs", color: "blue", plays: 7)
    let row = try await pushed(onto: theirs)
    #expect(row == Next.Card(id: 1, name: "mine", color: "blue", plays: 7))
  }

  @Test func `a sum still knows from which value an edit started`() async throws {
    try await edit { $0.plays += 2 }
    let theirs = Next.Card(id: 1, name: "theirs", color: "blue", plays: 9)
    #expect(
      try await pushed(onto: theirs) == Next.Card(id: 1, name: "theirs", color: "blue", plays: 11))
  }

  @Test func `an edit of a row that cannot be read any more changes its attributes alone`()
    async throws
  {
    let stack = try await Stack.temporary([Next.Card.self])
    let table = stack.replicableTables[0]
    let builder = RecordBuilder()
    let entry = OutboxEntry(
      commit: 1, isKnown: true, isDeleted: false, attributes: AttributeSet([1]), handedOver: nil,
      original: [1, 2, 3])
    let local = try table.encode(Next.Card(id: 1, name: "mine"), builder)
    let server = try table.encode(
      Next.Card(id: 1, name: "theirs", color: "blue", plays: 7), builder)
    let edited = entry.edited(server, local: local, known: nil, in: table)
    let row = edited.row.flatMap { table.decodeLeniently($0, as: Next.Card.self) }
    #expect(row == Next.Card(id: 1, name: "mine", color: "blue", plays: 7))
    await stack.close()
  }
}
