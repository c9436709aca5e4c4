import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// A context's memory of its own saves.
@Suite(.inTurn, .stack(Boat.self, Harbour.self)) struct OwnSaveTests {
  let stack = Stack.test

  /// An app edits a fetched value, saves, and edits the same value again.
  @Test @MainActor func `a value from before a save does not conflict with that save`() async throws
  {
    try await stack.withScratch { $0.insert(Boat(id: 1, name: "a", length: 1)) }
    let boat = try #require(try await stack.viewContext.find(Boat.self, 1))
    for name in ["b", "c", "d"] {
      stack.viewContext.update(boat) { ($0.name, $0.length) = (name, $0.length + 1) }
      try await stack.viewContext.save()
    }
    stack.viewContext.delete(boat)
    try await stack.viewContext.save()
    #expect(try await stack.fetch(Boat.all).isEmpty)
  }

  /// The memory must not win over a newer value in hand. Counting up from 2 would silently write 2
  /// again.
  @Test func `a newer value in hand counts`() async throws {
    let mine = stack.makeScratch()
    mine.insert(Boat(id: 1, length: 0))
    try await mine.save()
    mine.update(Boat(id: 1, length: 0)) { $0.length = 1 }
    try await mine.save()
    try await stack.withScratch { scratch in
      let boat = try #require(try await scratch.find(Boat.self, 1))
      scratch.update(boat) { $0.length = 2 }
    }
    let boat = try await stack.fetch(Boat.all)[0]
    mine.update(boat) { $0.length += 1 }
    try await mine.save()
    #expect(try await stack.fetch(Boat.all)[0].length == 3)
  }

  /// Two saves under way at once would put their edits back in the wrong order, and both edits
  /// would vanish.
  @Test func `saves of one context follow each other, and failed ones keep every edit`()
    async throws
  {
    try await stack.withScratch { $0.insert(Boat(id: 1, name: "a")) }
    let worker = Renamer(stack.makeScratch())
    let before = try #require(try await stack.fetch(Boat.all).first)
    try await stack.withScratch { scratch in
      let boat = try #require(try await scratch.find(Boat.self, 1))
      scratch.update(boat) { $0.name = "theirs" }
    }
    async let first = worker.rename(before, to: "b")
    async let second = worker.rename(before, to: "c")
    let codes = await [first, second]
    #expect(codes == [.conflict, .conflict])
    let name = await worker.name(of: before)
    #expect(name == "b" || name == "c")
    #expect(try await stack.fetch(Boat.all)[0].name == "theirs")
  }

  /// A sheet's save must not start from the rows that the view context shows by then. Otherwise the
  /// edits of other contexts would be lost.
  @Test @MainActor func `an edit from a sheet conflicts whoever came first`() async throws {
    try await stack.withScratch { $0.insert(Boat(id: 1, name: "a")) }
    let boat = try #require(try await stack.viewContext.find(Boat.self, 1))
    let sheet = stack.viewContext.makeScratch()
    sheet.update(boat) { $0.name = "mine" }
    try await stack.withScratch { scratch in
      let boat = try #require(try await scratch.find(Boat.self, 1))
      scratch.update(boat) { $0.name = "theirs" }
    }
    let error = await #expect(throws: StoreError.self) { try await sheet.save() }
    #expect(error?.code == .conflict && error?.attributes == ["name"])
    #expect(sheet.hasChanges && !stack.viewContext.hasChanges)
    try await sheet.save(.mergeMine)
    try await stack.viewContext.save()
    #expect(try await stack.fetch(Boat.all)[0].name == "mine")
  }

  @Test @MainActor func `the largest limit is no limit`() async throws {
    try await stack.withScratch { $0.insert(Boat(id: 1)) }
    let live = stack.viewContext.live(Boat.all.limit(.max).offset(1))
    try await live.waitUntilLoaded()
    stack.viewContext.insert(Boat(id: 2))
    #expect(live.elements.map(\.id) == [2])
    #expect(try await stack.viewContext.fetch(Boat.all.limit(.max)).count == 2)
  }

  /// A stack that closes its store must also end the waits on its view context. Otherwise they
  /// would never end.
  @Test @MainActor func `letting go of the stack ends what waits on its view`() async throws {
    var own: Stack? = try await Stack.temporary(Boat.self, Harbour.self)
    let live = try #require(own?.viewContext.live(Boat.all))
    try await live.waitUntilLoaded()
    let updates = live.updates
    own = nil
    var count = 0
    for await _ in updates { count += 1 }
    #expect(count == 0)
  }
}

private actor Renamer {
  private let scratch: ScratchContext

  init(_ scratch: sending ScratchContext) { self.scratch = scratch }

  func rename(_ boat: Boat, to name: String) async -> StoreError.Code? {
    scratch.update(boat) { $0.name = name }
    do {
      try await scratch.save()
      return nil
    } catch {
      return (error as? StoreError)?.code
    }
  }

  func name(of boat: Boat) -> String { scratch.update(boat) { _ in }.name }
}
