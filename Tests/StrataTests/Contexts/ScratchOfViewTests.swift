import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// An editing sheet, which is a scratch context over the view context.
@Suite(.inTurn, .stack(Boat.self, Harbour.self)) @MainActor
struct ScratchOfViewTests {
  let stack = Stack.test
  var view: ViewContext { stack.viewContext }
  let gull = Boat(id: 1, name: "Gull", length: 9)

  @Test func `a save lands in the view context's unsaved edits`() async throws {
    try await stack.withScratch { [gull] in $0.insert(gull) }
    let live = try await view.loaded(Boat.all)
    let sheet = view.makeScratch()
    sheet.update(gull) { $0.name = "Swan" }
    sheet.insert(Boat(id: 2))
    sheet.upsert(Boat(id: 3))
    #expect(Array(live.elements) == [gull] && !view.hasChanges)
    #expect(try await sheet.save() == 1)
    #expect(view.hasChanges && !sheet.hasChanges)
    #expect(live.elements.map(\.name) == ["Swan", "", ""])
    #expect(try await stack.rows("SELECT name FROM boats") == ["Gull"])
    try await view.save()
    #expect(try await stack.rows("SELECT id, name FROM boats") == ["1 Swan", "2 ", "3 "])
  }

  @Test func `a scratch context of the view reads the view's unsaved edits, and its own on top`()
    async throws
  {
    try await stack.withScratch { [gull] in
      $0.insert(gull)
      $0.insert(Boat(id: 2, length: 5))
    }
    view.update(gull) { $0.name = "Swan" }
    view.delete(Boat(id: 2, length: 5))
    let sheet = view.makeScratch()
    #expect(try await sheet.fetch(Boat.all).map(\.name) == ["Swan"])
    // The closure gets the entity as the view context shows it.
    #expect(sheet.update(gull) { $0.length = 1 }.name == "Swan")
    #expect(try await sheet.find(Boat.self, 1) == Boat(id: 1, name: "Swan", length: 1))
    sheet.rollback()
    #expect(try await sheet.find(Boat.self, 1) == Boat(id: 1, name: "Swan", length: 9))
  }

  @Test func `a scratch context of the view is frozen until it refreshes or saves`() async throws {
    let sheet = view.makeScratch()
    view.insert(gull)
    try await stack.withScratch { $0.insert(Boat(id: 2)) }
    #expect(try await sheet.count(Boat.all) == 0)
    await sheet.refresh()
    #expect(try await sheet.fetch(Boat.all).map(\.id) == [1, 2])
    view.insert(Boat(id: 3))
    sheet.insert(Boat(id: 4))
    #expect(try await sheet.fetch(Boat.all).map(\.id) == [1, 2, 4])
    try await sheet.save()
    #expect(try await sheet.fetch(Boat.all).map(\.id) == [1, 2, 3, 4])
  }

  @Test func `a save is rebased onto what the view context shows now`() async throws {
    let boats = (1...3).map { Boat(id: $0, name: "old", length: 1) }
    try await stack.withScratch { scratch in boats.forEach(scratch.insert) }
    let live = try await view.loaded(Boat.all)
    let sheet = view.makeScratch()
    sheet.update(boats[0]) { $0.name = "sheet" }
    sheet.update(boats[1]) { $0.name = "sheet" }
    sheet.delete(boats[2])
    view.update(boats[0]) { $0.length = 2 }
    try await stack.withScratch { $0.update(boats[1]) { $0.length = 3 } }
    view.update(boats[2]) { $0.length = 4 }
    let error = await failure { try await sheet.save() }
    #expect(error?.conflicts.map(\.key) == [RecordKey(.integer(3))])
    try await sheet.save(.mergeMine)
    let expected = [
      Boat(id: 1, name: "sheet", length: 2), Boat(id: 2, name: "sheet", length: 3),
    ]
    #expect(Array(live.elements) == expected)
    try await view.save()
    #expect(try await stack.fetch(Boat.all) == expected)
  }

  @Test func `discarding it costs the view context nothing`() async throws {
    view.insert(gull)
    let sheet = view.makeScratch()
    sheet.delete(gull)
    sheet.insert(Boat(id: 2))
    sheet.rollback()
    #expect(!sheet.hasChanges)
    try await sheet.save()
    try await view.save()
    #expect(try await stack.fetch(Boat.all) == [gull])
  }

  @Test func `saving into a view context whose save is under way loses nothing`() async throws {
    view.insert(gull)
    let sheet = view.makeScratch()
    let stop = await WriterStop(stack)
    let saving = Task { try await view.save() }
    #expect(await eventually { !view.hasChanges })
    sheet.update(gull) { $0.name = "Swan" }
    try await sheet.save()
    #expect(view.hasChanges)
    stop.release()
    _ = try await saving.value
    #expect(try await stack.rows("SELECT name FROM boats") == ["Gull"])
    try await view.save()
    #expect(try await stack.rows("SELECT name FROM boats") == ["Swan"])
  }
}
