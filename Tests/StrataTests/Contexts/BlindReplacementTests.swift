import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// The calls that replace a row without reading it, as the comments of `upsert` and `delete` say.
@Suite(.inTurn, .stack(Boat.self, Harbour.self)) @MainActor struct BlindReplacementTests {
  let stack = Stack.test
  var view: ViewContext { stack.viewContext }

  private func commitOfOthers() async throws {
    let scratch = stack.makeScratch()
    scratch.update(try #require(try await scratch.find(Boat.self, 1))) { $0.name = "theirs" }
    try await view.waitUntilMerged(try await scratch.save())
  }

  @Test func `an upsert over unsaved edits leaves the attributes that it sets back`() async throws {
    view.insert(Boat(id: 1, name: "first", length: 1))
    try await view.save()
    let boat = try #require(try await view.find(Boat.self, 1))
    view.update(boat) { $0.length = 2 }
    try await commitOfOthers()
    view.upsert(Boat(id: 1, name: "first", length: 3))
    try await view.save()
    #expect(try await stack.fetch(Boat.all) == [Boat(id: 1, name: "theirs", length: 3)])
  }

  @Test func `an update of the shown entity sets an attribute back`() async throws {
    view.insert(Boat(id: 1, name: "first", length: 1))
    try await view.save()
    let boat = try #require(try await view.find(Boat.self, 1))
    view.update(boat) { $0.length = 2 }
    try await commitOfOthers()
    let shown = try #require(try await view.find(Boat.self, 1))
    view.update(shown) { ($0.name, $0.length) = ("first", 3) }
    try await view.save()
    #expect(try await stack.fetch(Boat.all) == [Boat(id: 1, name: "first", length: 3)])
  }

  @Test(arguments: [true, false])
  func `an insertion after a deletion without reading replaces the row`(hasEdits: Bool) async throws
  {
    view.insert(Boat(id: 1, name: "first", length: 1))
    try await view.save()
    let boat = try #require(try await view.find(Boat.self, 1))
    if hasEdits { view.update(boat) { $0.length = 2 } }
    try await commitOfOthers()
    view.delete(Boat.self, 1)
    view.insert(Boat(id: 1, name: "first", length: 3))
    try await view.save()
    let name = hasEdits ? "theirs" : "first"
    #expect(try await stack.fetch(Boat.all) == [Boat(id: 1, name: name, length: 3)])
  }

  @Test func `an insertion after the deletion of an entity keeps the changes of others`()
    async throws
  {
    view.insert(Boat(id: 1, name: "first", length: 1))
    try await view.save()
    let boat = try #require(try await view.find(Boat.self, 1))
    view.delete(boat)
    view.insert(Boat(id: 1, name: "first", length: 3))
    try await commitOfOthers()
    try await view.save()
    #expect(try await stack.fetch(Boat.all) == [Boat(id: 1, name: "theirs", length: 3)])
  }
}
