import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// Edits by key and by query, in both kinds of contexts.
@MainActor @Suite(.inTurn, .stack(Harbour.self, Boat.self)) struct EditsByQueryTests {
  private let stack = Stack.test

  private func insert() async throws {
    try await stack.withScratch { scratch in
      for id in 1...4 { scratch.insert(Boat(id: id, name: "Boat \(id)", length: id)) }
    }
  }

  private func stored() async throws -> [String] {
    try await stack.makeScratch().fetch(Boat.all).map { "\($0.id) \($0.length)" }
  }

  @Test func `a scratch context edits the entities of a query`() async throws {
    try await insert()
    try await stack.withScratch { scratch in
      let updated = try await scratch.update(Boat.where { $0.length > 2 }) { $0.length *= 10 }
      let deleted = try await scratch.delete(Boat.where { $0.length < 2 })
      // The query sees the edits of the context.
      let again = try await scratch.update(Boat.where { $0.length >= 30 }) { $0.length += 1 }
      #expect((updated, deleted, again) == (2, 1, 2))
    }
    #expect(try await stored() == ["2 2", "3 31", "4 41"])
  }

  @Test func `the view edits the entities of a query in one turn`() async throws {
    try await insert()
    let live = try await stack.viewContext.loaded(Boat.all)
    let wakes = live.statistics.wakes
    let updated = try await stack.viewContext.update(Boat.where { $0.length > 2 }) { $0.length = 0 }
    #expect(updated == 2 && live.statistics.wakes == wakes + 1)
    #expect(live.elements.map(\.length) == [1, 2, 0, 0])
    #expect(try await stack.viewContext.delete(Boat.where { $0.length == 0 }) == 2)
    #expect(live.elements.map(\.id) == [1, 2])
    stack.viewContext.undo()
    #expect(live.elements.map(\.length) == [1, 2, 0, 0])
    try await stack.viewContext.save()
    #expect(try await stored() == ["1 1", "2 2", "3 0", "4 0"])
  }

  @Test func `a deletion by key needs no row and never conflicts`() async throws {
    try await insert()
    let scratch = stack.makeScratch()
    scratch.delete(Boat.self, 1)
    scratch.delete(Boat.self, 99)
    try await stack.withScratch {
      $0.update(Boat(id: 1, name: "Boat 1", length: 1)) { $0.length = 7 }
    }
    #expect(try await scratch.find(Boat.self, 1) == nil)
    try await scratch.save()
    #expect(try await stored() == ["2 2", "3 3", "4 4"])
    let live = try await stack.viewContext.loaded(Boat.all)
    stack.viewContext.delete(Boat.self, 2)
    #expect(live.elements.map(\.id) == [3, 4])
    stack.viewContext.undo()
    #expect(live.elements.map(\.id) == [2, 3, 4])
    stack.viewContext.redo()
    try await stack.viewContext.save()
    #expect(try await stored() == ["3 3", "4 4"])
    stack.viewContext.undo()
    #expect(live.elements.map(\.id) == [2, 3, 4])
  }

  @Test func `deleting what was just inserted leaves nothing`() async throws {
    stack.viewContext.insert(Boat(id: 1))
    stack.viewContext.delete(Boat.self, 1)
    try await stack.viewContext.save()
    #expect(try await stored() == [])
  }

  @Test func `the view replaces what it has not read`() async throws {
    try await insert()
    stack.viewContext.upsert(Boat(id: 1, name: "new", length: 9))
    stack.viewContext.upsert(Boat(id: 5, name: "new", length: 5))
    #expect(try await stack.viewContext.find(Boat.self, 1)?.length == 9)
    try await stack.withScratch {
      $0.update(Boat(id: 1, name: "Boat 1", length: 1)) { $0.length = 7 }
    }
    try await stack.viewContext.save()
    #expect(try await stored() == ["1 9", "2 2", "3 3", "4 4", "5 5"])
    let live = try await stack.viewContext.loaded(Boat.where { $0.id == 1 })
    stack.viewContext.undo()
    #expect(live.elements.map(\.length) == [7])
  }

  @Test func `a live query follows one entity`() async throws {
    try await insert()
    let live = stack.viewContext.live(Boat.self, 2)
    try await live.waitUntilLoaded()
    #expect(live.elements.first?.length == 2)
    try await stack.withScratch {
      $0.update(Boat(id: 2, name: "Boat 2", length: 2)) { $0.length = 8 }
    }
    #expect(live.elements.first?.length == 8)
    try await stack.withScratch { $0.delete(Boat.self, 2) }
    #expect(live.elements.first == nil)
  }
}
