import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// A slipway, which is deleted with its boat.
private struct Slipway: Entity, Equatable {
  var id = 0
  var boatID = 0

  static let schema = Schema<Slipway>("slipways", key: \.id) {
    toOne(\.boatID, Boat.self, onDelete: .cascade)
  }
}

/// The state of a row that a context knows: from the value in hand, its own saves and other
/// commits.
@Suite(.inTurn, .stack(Boat.self, Harbour.self, Slipway.self)) struct KnownRowTests {
  let stack = Stack.test
  let gull = Boat(id: 1, name: "Gull", length: 1)

  private func commit(_ id: Int, _ change: @Sendable (inout Boat) -> Void) async throws {
    try await stack.withScratch { scratch in
      let boat = try #require(try await scratch.find(Boat.self, id))
      scratch.update(boat, change)
    }
  }

  // MARK: Own saves of a scratch context

  /// The fetched row equals the row that an older save of the context replaced. It must be deleted
  /// all the same. A single number for all keys cannot say through which commit the context knows
  /// each of them.
  @Test func `a row that came back is deleted by who has fetched it`() async throws {
    try await stack.withScratch { [gull] in $0.insert(gull) }
    let worker = stack.makeScratch()
    worker.delete(gull)
    try await worker.save()
    try await stack.withScratch { [gull] in $0.insert(gull) }
    worker.insert(Boat(id: 2))
    try await worker.save()
    worker.delete(try #require(try await worker.find(Boat.self, 1)))
    #expect(worker.hasChanges)
    try await worker.save()
    #expect(try await stack.fetch(Boat.all).map(\.id) == [2])
  }

  @Test func `a row that became what it was is updated from what was fetched`() async throws {
    try await stack.withScratch { [gull] in $0.insert(gull) }
    let worker = stack.makeScratch()
    worker.update(gull) { $0.length = 10 }
    try await worker.save()
    try await commit(1) { $0.length = 1 }
    worker.upsert(Boat(id: 2))
    try await worker.save()
    let found = try #require(try await worker.find(Boat.self, 1))
    #expect(worker.update(found) { $0.length += 1 }.length == 2)
    try await worker.save()
    #expect(try await stack.find(Boat.self, 1)?.length == 2)
  }

  // The update gives the old value a length that the context has saved before, so it changes nothing
  // on the saved row. Another context has set the speed back to that of the value in hand. The
  // update must not bring the saved speed again: it was not made to the speed.
  @Test(arguments: [10, 20])
  func `an update to saved values conflicts with later commits`(length: Int) async throws {
    try await stack.withScratch { [gull] in $0.insert(gull) }
    let worker = stack.makeScratch()
    worker.update(gull) { $0 = Boat(id: 1, name: "Gull", length: 10, speed: 3) }
    try await worker.save()
    worker.update(gull) { $0.length = 10 }
    try await worker.save()
    try await commit(1) {
      $0.speed = nil
      $0.length = length
    }
    worker.update(gull) { $0.length = 10 }
    let error = await failure { try await worker.save() }
    #expect(error?.code == .conflict)
    let attributes = length == 10 ? ["speed"] : ["length", "speed"]
    #expect(error?.conflicts.first?.attributes == attributes)
    try await worker.save(.mergeTheirs)
    #expect(try await stack.find(Boat.self, 1) == Boat(id: 1, name: "Gull", length: length))
  }

  // The first of the last two updates gives the old value a length that the context has saved. The
  // second update gives it back its own length, which the store does not have.
  @Test(arguments: [false, true])
  func `a saved attribute that is set back is written`(upserts: Bool) async throws {
    try await stack.withScratch { [gull] in $0.insert(gull) }
    let worker = stack.makeScratch()
    worker.update(gull) { $0 = Boat(id: 1, name: "Gull", length: 10, speed: 3) }
    try await worker.save()
    let edited = worker.update(gull) { $0 = Boat(id: 1, name: "Gull", length: 10, speed: 3) }
    let result = Boat(id: 1, name: "Gull", length: 1, speed: 3)
    if upserts { worker.upsert(result) } else { worker.update(edited) { $0.length = 1 } }
    try await worker.save()
    #expect(try await stack.find(Boat.self, 1) == result)
  }

  @Test func `a row that the context saved is deleted after an update to saved values`()
    async throws
  {
    try await stack.withScratch { [gull] in $0.insert(gull) }
    let worker = stack.makeScratch()
    worker.update(gull) { $0.length = 10 }
    try await worker.save()
    worker.delete(worker.update(gull) { $0.length = 10 })
    try await worker.save()
    #expect(try await stack.fetch(Boat.all).isEmpty)
  }

  // The update that the upsert takes back was made to a row that the upsert does not look at.
  @Test func `an upsert of the values before an update is written over another commit`()
    async throws
  {
    try await stack.withScratch { [gull] in $0.insert(gull) }
    let worker = stack.makeScratch()
    worker.update(gull) { $0.length = 10 }
    worker.upsert(gull)
    try await commit(1) { $0.length = 5 }
    try await worker.save()
    #expect(try await stack.find(Boat.self, 1) == gull)
  }

  @Test func `a value of a row that the context deleted is deleted again, without reading`()
    async throws
  {
    try await stack.withScratch { [gull] in $0.insert(gull) }
    let worker = stack.makeScratch()
    worker.delete(gull)
    try await worker.save()
    try await stack.withScratch { [gull] in $0.insert(gull) }
    worker.delete(gull)
    try await worker.save()
    #expect(try await stack.fetch(Boat.all).isEmpty)
  }

  /// The context must remember a save of more than 10,000 rows, too. Otherwise its next edit would
  /// conflict with that save.
  @Test func `values from before a large save of the context can be edited`() async throws {
    let count = 10_001
    try await stack.withScratch { scratch in
      for id in 0..<count { scratch.insert(Boat(id: id)) }
    }
    let worker = stack.makeScratch()
    let boats = try await worker.fetch(Boat.all)
    for boat in boats { worker.update(boat) { $0.length = 1 } }
    try await worker.save()
    worker.update(boats[0]) { $0.length = 2 }
    try await worker.save()
    #expect(try await stack.find(Boat.self, 0)?.length == 2)
  }

  // MARK: Newer states under edits

  /// The fetch must not show the whole row as it was edited, and filters must not use that row.
  @Test func `the attributes without an edit are the newest after a refresh`() async throws {
    try await stack.withScratch { [gull] in $0.insert(gull) }
    let scratch = stack.makeScratch()
    scratch.update(try #require(try await scratch.find(Boat.self, 1))) { $0.length = 2 }
    let child = scratch.makeScratch()
    try await commit(1) { $0.name = "Swan" }
    await scratch.refresh()
    #expect(try await scratch.find(Boat.self, 1) == Boat(id: 1, name: "Swan", length: 2))
    #expect(try await scratch.count(Boat.where { $0.name == "Swan" && $0.length == 2 }) == 1)
    #expect(try await scratch.count(Boat.where { $0.name == "Gull" }) == 0)
    #expect(try await child.find(Boat.self, 1)?.name == "Gull")
    await child.refresh()
    #expect(try await child.find(Boat.self, 1) == Boat(id: 1, name: "Swan", length: 2))
  }

  /// The view context must not show the value from before the edit, which is neither stored nor
  /// edited.
  @Test @MainActor func `an attribute that is set back follows the store`() async throws {
    try await stack.withScratch { [gull] in $0.insert(gull) }
    let view = stack.viewContext
    let live = try await view.loaded(Boat.all)
    view.update(gull) { ($0.length, $0.speed) = (2, 3) }
    try await commit(1) { $0.length = 5 }
    #expect(view.conflicts.map(\.attributes) == [["length"]])
    #expect(view.update(live.elements[0]) { $0.length = 1 }.length == 5)
    #expect(view.conflicts.isEmpty && live.elements[0].length == 5)
    #expect(try await view.find(Boat.self, 1)?.length == 5)
    try await view.save()
    #expect(try await stack.fetch(Boat.all) == [Boat(id: 1, name: "Gull", length: 5, speed: 3)])
  }

  /// The edit must be a conflict whether the commits are merged in one turn or in two. In two
  /// turns, the first turn must not make the edit vanish.
  @Test(arguments: SavePolicy.allCases, [false, true])
  @MainActor
  func `an edit that somebody else made too, and took back, is judged by the last commit`(
    _ policy: SavePolicy, _ mergesEach: Bool
  ) async throws {
    try await stack.withScratch { [gull] in $0.insert(gull) }
    let view = stack.viewContext
    let live = try await view.loaded(Boat.all)
    view.update(gull) { $0.length = 2 }
    if mergesEach {
      try await commit(1) { $0.length = 2 }
      #expect(view.conflicts.isEmpty)
      try await commit(1) { $0.length = 3 }
    } else {
      let stop = await WriterStop(stack)
      let table = stack.store.model.table(of: Boat.self)
      let layers = try [(1, 2), (2, 3)].map { before, after in
        var layer = Layer()
        let change = Change(
          before: try table.encode(Boat(id: 1, name: "Gull", length: before), RecordBuilder()),
          after: try table.encode(Boat(id: 1, name: "Gull", length: after), RecordBuilder()))
        layer[table.id, RecordKey(.integer(1))] = .known(change)
        return layer
      }
      let commits = layers.map(stack.commitUrgently)
      stop.release()
      for commit in commits { try await view.waitUntilMerged(try await commit.value) }
    }
    #expect(view.conflicts.map(\.attributes) == [["length"]])
    let error = await failure { try await view.save(policy) }
    #expect(error?.code == (policy == .error ? .conflict : nil))
    let isMine = policy == .mergeMine || policy == .overwrite
    #expect(try await stack.find(Boat.self, 1)?.length == (isMine ? 2 : 3))
    if policy != .error { #expect(live.elements[0].length == (isMine ? 2 : 3)) }
  }

  /// The rule's effect is no change of the store, but the context must learn of it all the same.
  @Test @MainActor
  func `a row that a rule of its own save kept out of the store is known to be gone`()
    async throws
  {
    try await stack.withScratch { [gull] scratch in
      scratch.insert(gull)
      scratch.insert(Boat(id: 2))
    }
    let view = stack.viewContext
    _ = try await view.loaded(Slipway.all)
    view.delete(gull)
    let slipway = Slipway(id: 1, boatID: 1)
    view.insert(slipway)
    let stop = await WriterStop(stack)
    let save = Task { try await view.save() }
    while !view.isSaving { await Task.yield() }
    view.update(slipway) { $0.boatID = 2 }
    stop.release()
    _ = try await save.value
    #expect(view.conflicts.map(\.entity) == ["Slipway"])
    try await view.save(.mergeTheirs)
    #expect(try await stack.fetch(Slipway.all).isEmpty)
  }

  // MARK: Children

  /// A child that reads for the first time after its parent's save must not see that save.
  @Test func `a child that has read nothing sees nothing that its parent does later`() async throws
  {
    try await stack.withScratch { [gull] in $0.insert(gull) }
    let parent = stack.makeScratch()
    parent.update(gull) { $0.length = 2 }
    let child = parent.makeScratch()
    let grandchild = child.makeScratch()
    parent.update(gull) { $0.length = 3 }
    parent.insert(Boat(id: 5, name: "later"))
    try await parent.save()
    for context in [child, grandchild] {
      #expect(try await context.find(Boat.self, 1)?.length == 2)
      #expect(try await context.find(Boat.self, 5) == nil)
    }
    await child.refresh()
    #expect(try await child.find(Boat.self, 5) != nil)
  }

  @Test func `a parent that refreshes leaves its child where it was`() async throws {
    let parent = stack.makeScratch()
    let child = parent.makeScratch()
    await parent.refresh()
    parent.insert(gull)
    try await parent.save()
    #expect(try await child.fetch(Boat.all).isEmpty)
    #expect(try await parent.fetch(Boat.all) == [gull])
  }

  /// The child must pin the state that it takes from its parent before the parent's next save.
  @Test func `a child that refreshed sees nothing that its parent does later`() async throws {
    try await stack.withScratch { [gull] in $0.insert(gull) }
    let parent = stack.makeScratch()
    let child = parent.makeScratch()
    await parent.refresh()
    await child.refresh()
    parent.update(gull) { $0.length = 3 }
    try await parent.save()
    #expect(try await child.find(Boat.self, 1) == gull)
    #expect(try await parent.find(Boat.self, 1)?.length == 3)
  }

  /// The failed save pins a snapshot for the child. The context itself must not read from that
  /// snapshot.
  @Test func `a save that fails does not read for the context`() async throws {
    try await stack.withScratch { [gull] in $0.insert(gull) }
    let worker = stack.makeScratch()
    let child = worker.makeScratch()
    worker.insert(Boat(id: 1, name: "Swan"))
    await #expect(throws: StoreError.self) { try await worker.save() }
    worker.rollback()
    try await commit(1) { $0.length = 2 }
    #expect(try await worker.find(Boat.self, 1)?.length == 2)
    #expect(try await child.find(Boat.self, 1)?.length == 1)
  }
}
