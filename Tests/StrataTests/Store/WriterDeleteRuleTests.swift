import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn, .stack(Boat.self, Harbour.self, Pier.self, Berth.self)) struct WriterDeleteRuleTests
{
  let stack = Stack.test
  let oban = Harbour(id: 1, name: "Oban")
  let mallaig = Harbour(id: 2, name: "Mallaig")

  private func prepare(_ more: (ScratchContext) -> Void) async throws {
    try await stack.commit {
      $0.insert(oban)
      $0.insert(mallaig)
      more($0)
    }
  }

  @Test func `a reference to a deleted row becomes null, and the change says so`() async throws {
    let boats = [
      Boat(id: 1, name: "Gull", harbourID: 1), Boat(id: 2, harbourID: 2), Boat(id: 3, harbourID: 1),
    ]
    try await prepare { boats.forEach($0.insert) }
    var changes = stack.changes.makeAsyncIterator()
    try await stack.commit {
      $0.delete(oban)
      // Boat 4 refers to the harbour that this save deletes. Boat 3 leaves that harbour.
      $0.insert(Boat(id: 4, harbourID: 1))
      $0.update(boats[2]) { $0.harbourID = 2 }
    }
    let announced = await changes.next()
    #expect(announced?.changes(of: Harbour.self).deleted == [oban])
    let updated = announced?.changes(of: Boat.self).updated ?? []
    #expect(updated.map(\.before) == [boats[0], boats[2]])
    #expect(updated.map(\.after.harbourID) == [nil, 2])
    #expect(updated.map(\.attributes) == [["harbourID"], ["harbourID"]])
    #expect(announced?.changes(of: Boat.self).inserted == [Boat(id: 4)])
    #expect(
      try await stack.rows("SELECT id, harbourID FROM boats ORDER BY id")
        == ["1 null", "2 2", "3 2", "4 null"])
  }

  @Test func `a cascade runs along chains and announces every row`() async throws {
    let piers = [
      Pier(id: 1, harbourID: 1), Pier(id: 2, harbourID: 2, nextID: 1),
      Pier(id: 3, harbourID: 2, nextID: 2), Pier(id: 4, harbourID: 2),
    ]
    let berth = Berth(id: 1, harbourID: 2, pierID: 3)
    try await prepare {
      piers.forEach($0.insert)
      $0.insert(berth)
    }
    var changes = stack.changes.makeAsyncIterator()
    try await stack.commit { $0.delete(oban) }
    let announced = await changes.next()
    #expect(announced?.changes(of: Pier.self).deleted == Array(piers[..<3]))
    #expect(announced?.changes(of: Berth.self).deleted == [berth])
    #expect(announced?.count == 5)
    #expect(try await stack.rows("SELECT id FROM piers") == ["4"])
    #expect(try await stack.rows("SELECT id FROM berths") == [])
  }

  @Test func `a cascade around a cycle ends`() async throws {
    try await prepare {
      for id in 1...5 { $0.insert(Pier(id: id, harbourID: 2, nextID: id % 5 + 1)) }
      $0.insert(Pier(id: 6, harbourID: 2, nextID: 6))
    }
    try await stack.commit { $0.delete(Pier(id: 3, harbourID: 2, nextID: 4)) }
    #expect(try await stack.rows("SELECT id FROM piers") == ["6"])
    try await stack.commit { $0.delete(Pier(id: 6, harbourID: 2, nextID: 6)) }
    #expect(try await stack.rows("SELECT count(*) FROM piers") == ["0"])
  }

  @Test func `a denied deletion names both sides and writes nothing`() async throws {
    // The berth's pier is in the other harbour, so no cascade deletes the berth.
    try await prepare {
      $0.insert(Pier(id: 1, harbourID: 2))
      $0.insert(Berth(id: 8, harbourID: 1, pierID: 1))
      $0.insert(Boat(id: 1, harbourID: 1))
    }
    let scratch = stack.makeScratch()
    scratch.delete(oban)
    scratch.insert(Boat(id: 5))
    let error = await failure { try await scratch.save() }
    #expect(error?.code == .deleteDenied && error?.entity == "Berth")
    #expect(error?.attributes == ["harbourID"])
    #expect(error?.keys == [RecordKey(.integer(1)), RecordKey(.integer(8))])
    #expect(error?.message == "Harbour 1 cannot be deleted: Berth.harbourID of 8 refers to it")
    #expect(try await stack.rows("SELECT id, harbourID FROM boats") == ["1 1"])
    #expect(try await stack.rows("SELECT number FROM strata_commit") == ["1"])

    // The context keeps the edits. They pass as soon as the same save moves the denying berth.
    scratch.update(Berth(id: 8, harbourID: 1, pierID: 1)) { $0.harbourID = 2 }
    #expect(try await scratch.save() == 2)
    #expect(try await stack.rows("SELECT id, harbourID FROM boats") == ["1 null", "5 null"])
    #expect(try await stack.rows("SELECT id FROM harbours") == ["2"])
  }

  @Test func `a denier that another rule deletes denies nothing`() async throws {
    try await prepare {
      $0.insert(Pier(id: 1, harbourID: 1))
      $0.insert(Berth(id: 8, harbourID: 1, pierID: 1))
    }
    try await stack.commit { $0.delete(oban) }
    for table in ["piers", "berths"] {
      #expect(try await stack.rows("SELECT count(*) FROM \(table)") == ["0"])
    }
  }

  @Test func `a required reference must point to a row when it is saved`() async throws {
    try await prepare { _ in }
    let scratch = stack.makeScratch()
    scratch.insert(Pier(id: 1, harbourID: 7))
    let error = await failure { try await scratch.save() }
    #expect(error?.code == .missingReference && error?.attributes == ["harbourID"])
    #expect(error?.keys == [RecordKey(.integer(1)), RecordKey(.integer(7))])
    #expect(try await stack.rows("SELECT count(*) FROM piers") == ["0"])

    // The same save may insert the target, in any order.
    scratch.insert(Harbour(id: 7))
    try await scratch.save()
    #expect(try await stack.rows("SELECT id, harbourID FROM piers") == ["1 7"])

    let moved = await failure {
      try await stack.commit { $0.update(Pier(id: 1, harbourID: 7)) { $0.harbourID = 8 } }
    }
    #expect(moved?.code == .missingReference)
  }

  @Test func `a required reference that another program broke can be saved around`() async throws {
    try await prepare { $0.insert(Pier(id: 1, harbourID: 1)) }
    try await stack.writeAsAnotherProgram("UPDATE piers SET harbourID = 99")
    try await stack.commit { $0.update(Pier(id: 1, harbourID: 99)) { $0.nextID = 1 } }
    #expect(try await stack.rows("SELECT harbourID, nextID FROM piers") == ["99 1"])
  }

  @Test func `an optional reference may dangle`() async throws {
    try await prepare { $0.insert(Boat(id: 1, harbourID: 99)) }
    #expect(try await stack.rows("SELECT harbourID FROM boats") == ["99"])
  }
}
