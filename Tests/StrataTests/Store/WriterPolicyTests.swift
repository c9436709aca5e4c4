import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn, .stack(Boat.self, Harbour.self)) struct WriterPolicyTests {
  let stack = Stack.test
  let theirs = Boat(id: 1, name: "Gull", length: 9)
  let mine = Boat(id: 1, name: "Tern", length: 7)

  @Test func `inserting a key that is there is a conflict under error`() async throws {
    try await stack.commit { $0.insert(theirs) }
    let error = await failure {
      try await stack.commit {
        $0.insert(mine)
        $0.insert(Boat(id: 2))
      }
    }
    #expect(error?.code == .conflict)
    let conflict = error?.conflicts.first
    #expect(error?.conflicts.count == 1 && conflict?.key == RecordKey(.integer(1)))
    #expect(conflict?.before == nil && conflict?.mine?[1] == .text("Tern"))
    #expect(conflict?.theirs?[1] == .text("Gull"))
    #expect(try await stack.rows("SELECT id, name FROM boats") == ["1 Gull"])
  }

  @Test func `inserting a key that is there is an update under overwrite`() async throws {
    try await stack.commit { $0.insert(theirs) }
    var changes = stack.changes.makeAsyncIterator()
    try await stack.commit(.overwrite) { $0.insert(mine) }
    let updated = await changes.next()?.changes(of: Boat.self).updated
    #expect(updated?.map(\.before) == [theirs])
    #expect(updated?.map(\.after) == [mine])
    #expect(updated?.map(\.attributes) == [["name", "length"]])
    #expect(try await stack.rows("SELECT name, length FROM boats") == ["Tern 7"])
  }

  @Test func `every conflict of a save is listed`() async throws {
    let boats = (1...3).map { Boat(id: $0, name: "Gull") }
    try await stack.commit { boats.forEach($0.insert) }
    try await stack.commit { scratch in
      for boat in boats { scratch.update(boat) { $0.name = "Tern" } }
    }
    let error = await failure {
      try await stack.commit {
        $0.update(boats[0]) { $0.name = "Swan" }
        $0.delete(boats[1])
        // The other save did not change this attribute.
        $0.update(boats[2]) { $0.length = 5 }
      }
    }
    #expect(error?.conflicts.map(\.key) == [RecordKey(.integer(1)), RecordKey(.integer(2))])
    #expect(error?.conflicts.first?.attributes == ["name"])
    #expect(error?.conflicts.last?.mine == nil)
  }
}
