import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// Undo groups without a name, each of which is one turn of the main actor.
///
/// A turn is a group of its own even if other tasks wait behind it.
@Suite(.inTurn, .stack(Boat.self, Harbour.self)) @MainActor struct UndoTurnTests {
  let stack = Stack.test
  var view: ViewContext { stack.viewContext }

  /// Two taps may both wait while the main actor is busy. They are two groups all the same.
  @Test func `two tasks that wait at the same time make two groups`() async throws {
    try await stack.withScratch { for id in 1...2 { $0.insert(Boat(id: id, name: "old")) } }
    let live = try await view.loaded(Boat.all)
    let taps = (1...2).map { id in
      Task { @MainActor in
        view.update(Boat(id: id, name: "old")) { $0.name = "tapped" }
        view.update(Boat(id: id, name: "tapped")) { $0.length = id }
      }
    }
    for tap in taps { await tap.value }
    view.undo()
    #expect(live.elements.map(\.name) == ["tapped", "old"])
    #expect(live.elements.map(\.length) == [1, 0])
    view.undo()
    #expect(live.elements.map(\.name) == ["old", "old"] && !view.canUndo)
  }

  @Test func `the edits of one task between two suspensions are one group`() async throws {
    view.insert(Boat(id: 1))
    view.insert(Boat(id: 2))
    await Task.yield()
    view.insert(Boat(id: 3))
    view.undo()
    #expect(try await view.fetch(Boat.all).map(\.id) == [1, 2])
    view.undo()
    #expect(try await view.fetch(Boat.all) == [])
  }

  @Test func `an explicit group holds what other tasks do while it is open`() async throws {
    view.beginUndoGroup("drag")
    view.insert(Boat(id: 1))
    await Task { @MainActor in view.insert(Boat(id: 2)) }.value
    view.endUndoGroup()
    #expect(view.undoName == "drag")
    view.undo()
    #expect(try await view.fetch(Boat.all) == [])
  }

  /// The next save must not lack the edit of the older group, and undoing the open group must not
  /// take back the wrong edit.
  @Test(arguments: [false, true])
  func `a group that is open while a save begins is undone with both its halves`(
    _ fails: Bool
  ) async throws {
    let other = try await Stack.temporary(Skipper.self, Flag.self, Boat.self, Harbour.self)
    let view = other.viewContext
    let skipper = Skipper(id: 1)
    try await other.withScratch { scratch in
      scratch.insert(skipper)
      for id in 1...2 { scratch.insert(Flag(id: id)) }
      scratch.insert(Boat(id: 1, name: "there"))
    }
    func flags() async throws -> [Int] {
      try await view.fetch(Skipper.flags(of: skipper)).map(\.id)
    }
    view.undoGroup("link") { view.link(skipper, to: Flag(id: 1), in: Skipper.flags) }
    if fails { view.undoGroup("insert") { view.insert(Boat(id: 1, name: "twice")) } }
    view.beginUndoGroup("drag")
    view.link(skipper, to: Flag(id: 2), in: Skipper.flags)
    let stop = await WriterStop(other)
    let saving = Task { await failure { try await view.save() } }
    #expect(await eventually { view.isSaving })
    view.unlink(skipper, from: Flag(id: 1), in: Skipper.flags)
    view.endUndoGroup()
    stop.release()
    #expect(await saving.value?.code == (fails ? .conflict : nil))
    #expect(try await flags() == [2] && view.undoName == "drag")
    #expect(view.undo()?.isComplete == true)
    #expect(try await flags() == [1])
    if fails { view.undo() }
    try await view.save()
    #expect(try await other.fetch(Skipper.flags(of: skipper)).map(\.id) == [1])
    #expect(view.undoName == "link")
    view.undo()
    try await view.save()
    #expect(try await other.fetch(Skipper.flags(of: skipper)) == [])
    await other.close()
  }
}
