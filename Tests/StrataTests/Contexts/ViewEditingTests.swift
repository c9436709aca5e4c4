import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn, .stack(Boat.self, Harbour.self)) @MainActor struct ViewEditingTests {
  let stack = Stack.test
  var view: ViewContext { stack.viewContext }
  let gull = Boat(id: 1, name: "Gull", length: 9)
  let tern = Boat(id: 2, name: "Tern", length: 7)

  @Test func `edits show in the same turn and reach the store with a save`() async throws {
    let live = try await view.loaded(Boat.all)
    #expect(!view.hasChanges)
    view.insert(gull)
    view.insert(tern)
    #expect(view.hasChanges && Array(live.elements) == [gull, tern])
    #expect(try await stack.rows("SELECT id FROM boats") == [])
    try await view.save()
    #expect(!view.hasChanges && Array(live.elements) == [gull, tern])

    let longer = view.update(gull) { $0.length = 11 }
    view.delete(tern)
    #expect(Array(live.elements) == [longer])
    #expect(try await stack.rows("SELECT length FROM boats ORDER BY id") == ["9", "7"])
    #expect(try await view.save() == 2)
    #expect(try await stack.rows("SELECT id, length FROM boats") == ["1 11"])
  }

  @Test func `a rollback shows again what is stored`() async throws {
    try await stack.withScratch { [gull, tern] in
      $0.insert(gull)
      $0.insert(tern)
    }
    let live = try await view.loaded(Boat.all)
    view.insert(Boat(id: 3))
    view.update(gull) { $0.name = "Swan" }
    view.delete(tern)
    #expect(live.elements.map(\.name) == ["Swan", ""])
    view.rollback()
    #expect(!view.hasChanges && Array(live.elements) == [gull, tern])
    #expect(try await view.save() == 1)
  }

  @Test func `edits that take each other back leave nothing to save`() async throws {
    try await stack.withScratch { [gull] in $0.insert(gull) }
    let swan = view.update(gull) { $0.name = "Swan" }
    #expect(view.hasChanges)
    view.update(swan) { $0.name = "Gull" }
    view.insert(tern)
    view.delete(tern)
    #expect(!view.hasChanges)
    #expect(try await view.save() == 1)
  }

  @Test func `an edit starts from what is shown, not from the value in hand`() async throws {
    try await stack.withScratch { [gull] in $0.insert(gull) }
    let live = try await view.loaded(Boat.all)
    let first = view.update(gull) { $0.name = "Swan" }
    // The value in hand is older than the edit. Its name is not written back.
    let second = view.update(gull) { $0.length += 1 }
    #expect(first.name == "Swan" && second == Boat(id: 1, name: "Swan", length: 10))
    try await stack.withScratch { [gull] in $0.update(gull) { $0.speed = 4 } }
    let third = view.update(gull) { $0.length += 1 }
    #expect(third == Boat(id: 1, name: "Swan", length: 11, speed: 4))
    #expect(Array(live.elements) == [third])
    try await view.save()
    #expect(try await stack.rows("SELECT * FROM boats") == ["1 Swan 11 4 null"])
  }

  @Test func `an edit without a live query starts from the value in hand`() async throws {
    try await stack.withScratch { [gull] in $0.insert(gull) }
    let edited = view.update(gull) { $0.length += 1 }
    #expect(edited.length == 10)
    try await view.save()
    // The value that the context saved itself counts more than an older value in hand.
    #expect(view.update(gull) { $0.length += 1 }.length == 11)
    #expect(try await view.save() == 3)
  }

  @Test func `an edit that a delete rule took back is not taken for done`() async throws {
    // The same save deletes the harbour, which leaves the boat as it was. No change reports that.
    let harbour = Harbour(id: 1)
    try await stack.withScratch { [gull] in
      $0.insert(harbour)
      $0.insert(gull)
    }
    view.update(gull) { $0.harbourID = 1 }
    view.delete(harbour)
    try await view.save()
    #expect(try await stack.rows("SELECT harbourID FROM boats") == ["null"])
    #expect(view.update(gull) { $0.speed = 3 }.harbourID == nil)
    view.update(gull) { $0.harbourID = 2 }
    try await view.save()

    let scratch = stack.makeScratch()
    scratch.insert(harbour)
    try await scratch.save()
    let lying = Boat(id: 1, name: "Gull", length: 9, speed: 3, harbourID: 2)
    scratch.update(lying) { $0.harbourID = nil }
    try await scratch.save()
    scratch.update(lying) { $0.harbourID = 1 }
    scratch.delete(harbour)
    try await scratch.save()
    #expect(scratch.update(lying) { $0.speed = 4 }.harbourID == nil)
    try await scratch.save()
  }

  @Test func `an edit has the attributes that its closure changes, and no others`() async throws {
    try await stack.withScratch { [gull] in $0.insert(gull) }
    view.update(gull) {
      $0.name = "Gull"
      $0.length = 12
    }
    try await stack.withScratch { [gull] in $0.update(gull) { $0.name = "Swan" } }
    try await view.save()
    #expect(try await stack.rows("SELECT name, length FROM boats") == ["Swan 12"])
  }

  @Test func `a deleted entity stays deleted`() async throws {
    try await stack.withScratch { [gull] in $0.insert(gull) }
    let live = try await view.loaded(Boat.all)
    view.delete(gull)
    var didRun = false
    let unchanged = view.update(gull) { _ in didRun = true }
    #expect(!didRun && unchanged == gull && live.elements.isEmpty)
    try await view.save()
    view.update(gull) { $0.name = "Swan" }
    #expect(!view.hasChanges)
    #expect(try await stack.rows("SELECT id FROM boats") == [])
  }

  @Test func `a closure that throws edits nothing`() async throws {
    struct Refusal: Error {}
    view.insert(gull)
    #expect(throws: Refusal.self) {
      try view.update(gull) { boat in
        boat.name = "Swan"
        throw Refusal()
      }
    }
    try await view.save()
    #expect(try await stack.rows("SELECT name FROM boats") == ["Gull"])
  }
}
