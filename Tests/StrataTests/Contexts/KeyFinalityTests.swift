import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// The finality of keys.
///
/// The client chooses a key, and the key is never used again for a different thing.
@Suite(.inTurn, .stack(Boat.self, Harbour.self)) @MainActor struct KeyFinalityTests {
  let stack = Stack.test
  var view: ViewContext { stack.viewContext }
  let gull = Boat(id: 1, name: "Gull", length: 9, harbourID: 1)

  @Test func `deleting and inserting a key in one context is an update`() async throws {
    try await stack.withScratch { [gull] in
      $0.insert(Harbour(id: 1))
      $0.insert(gull)
    }
    let live = try await view.loaded(Boat.all)
    var changes = stack.changes.makeAsyncIterator()
    view.delete(gull)
    view.insert(Boat(id: 1, name: "Swan", length: 9, harbourID: 1))
    #expect(live.elements.map(\.name) == ["Swan"])
    try await view.save()
    let boats = await changes.next()?.changes(of: Boat.self)
    #expect(boats?.updated.map(\.after.name) == ["Swan"])
    #expect(boats?.inserted.isEmpty == true && boats?.deleted.isEmpty == true)
  }

  @Test func `deleting and inserting the same values is nothing`() async throws {
    try await stack.withScratch { [gull] in $0.insert(gull) }
    let live = try await view.loaded(Boat.all)
    view.delete(live.elements[0])
    view.insert(gull)
    #expect(!view.hasChanges)
    #expect(try await view.save() == 1)
  }

  @Test func `delete rules do not run for a key that is there again`() async throws {
    try await stack.withScratch { [gull] in
      $0.insert(Harbour(id: 1, name: "Old"))
      $0.insert(gull)
      try await $0.save()
      $0.delete(Harbour(id: 1, name: "Old"))
      $0.insert(Harbour(id: 1, name: "New"))
    }
    #expect(try await stack.rows("SELECT harbourID FROM boats") == ["1"])
    #expect(try await stack.rows("SELECT name FROM harbours") == ["New"])
  }

  @Test func `a key that the store has is not inserted again`() async throws {
    try await stack.withScratch { [gull] in $0.insert(gull) }
    let scratch = stack.makeScratch()
    scratch.insert(Boat(id: 1, name: "Another"))
    #expect(await failure { try await scratch.save() }?.code == .conflict)
    #expect(try await stack.rows("SELECT name FROM boats") == ["Gull"])
  }

  @Test func `an update cannot change the key`() async {
    await #expect(processExitsWith: .failure) {
      var edits = Edits(try Model([Boat.self, Harbour.self]))
      guard let (table, key) = edits.insert(Boat(id: 1)) else { return }
      _ = edits.update(Boat(id: 1), table, key) { $0.id = 2 }
    }
  }
}
