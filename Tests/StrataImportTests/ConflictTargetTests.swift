import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

private struct Rack: Entity, Equatable {
  var id = 0
  static let schema = Schema<Rack>("racks", key: \.id) {}
}

private struct Volume: Entity, Equatable {
  var id = 0
  var title = ""
  var rackID: Rack.ID?

  static let schema = Schema<Volume>("volumes", key: \.id) {
    Attribute(\.title)
    toOne(\.rackID, Rack.self, onDelete: .cascade)
  }
  static let json = JSONMapping<Volume> {
    Field(\.id, "id")
    Field(\.title, "title")
  }
}

/// A row that is deleted here together with the row to which it refers, and that the server changes.
@Suite(.inTurn, .stack(Rack.self, Volume.self)) struct ConflictTargetTests {
  let stack = Stack.test

  /// The row came back alone, and the deletion of the other row was sent.
  @Test func `a resolved deletion brings back the row to which its row refers`() async throws {
    let outbox = try await stack.outbox()
    try await stack.withScratch { scratch in
      scratch.insert(Rack(id: 7))
      scratch.insert(Volume(id: 1, title: "a", rackID: 7))
      scratch.insert(Volume(id: 2, title: "b", rackID: 7))
    }
    try await outbox.push { _ in .done }
    try await stack.withScratch { $0.delete(Rack(id: 7)) }
    #expect(try await outbox.requests().count == 3)
    try await stack.importJSON(
      Volume.self, from: .data(Data(#"[{"id": 1, "title": "theirs"}]"#.utf8)), mapping: Volume.json)
    let conflict = try #require(try await outbox.conflicts().first)
    #expect(try await outbox.resolve(conflict, .discard))
    #expect(try await stack.fetch(Volume.all) == [Volume(id: 1, title: "theirs", rackID: 7)])
    #expect(try await stack.fetch(Rack.all) == [Rack(id: 7)])
    // The other volume stays deleted.
    #expect(try await outbox.requests().map { $0.id(of: Volume.self) } == [2])
  }
}
