import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// The three races that the merge turn is built to survive.
@Suite(.inTurn, .stack(Boat.self, Harbour.self)) @MainActor struct ViewRaceTests {
  let stack = Stack.test
  var view: ViewContext { stack.viewContext }

  @Test func `a live query never shows the old value from the edit to the merge`() async throws {
    let boat = Boat(id: 1, name: "name 0")
    try await stack.withScratch { $0.insert(boat) }
    let live = try await view.loaded(Boat.all)
    var newest = 0
    var stale: [String] = []
    func look() {
      let name = live.elements.first?.name ?? "nothing"
      if name != "name \(newest)" { stale.append(name) }
    }
    let observation = live.result.observe { _ in look() }
    defer { live.result.stopObserving(observation) }
    let watcher = Task {
      while !Task.isCancelled {
        look()
        await Task.yield()
      }
    }
    // A scratch context commits all the time, so that merge turns come before, between and after
    // the edits.
    let noise = Task { [stack] in
      for number in 2...200 where !Task.isCancelled {
        try await stack.commit { $0.upsert(Boat(id: 2, length: number)) }
      }
    }
    for number in 1...60 {
      newest = number
      view.update(boat) { $0.name = "name \(number)" }
      if number % 3 == 0 { await Task.yield() }
      let saving = Task { try await view.save() }
      if number % 2 == 0 { _ = try await saving.value }
    }
    try await view.save()
    watcher.cancel()
    await watcher.value
    noise.cancel()
    _ = await noise.result
    #expect(stale == [])
    #expect(try await stack.rows("SELECT name FROM boats WHERE id = 1") == ["name 60"])
  }

  @Test func `the writer's reply comes before the merge and changes nothing that is shown`()
    async throws
  {
    let boat = Boat(id: 1, name: "old", harbourID: 1)
    try await stack.withScratch {
      $0.insert(Harbour(id: 1))
      $0.insert(Harbour(id: 2))
      $0.insert(boat)
    }
    let live = try await view.loaded(Boat.all)
    // A query through a reference reads rows whose reference changes. This holds the merge up.
    let slow = try await view.loaded(Boat.where { $0.harbour.isOpen })
    let gate = TestGate()
    await view.maintainer.hold(at: gate)
    view.update(boat) {
      $0.name = "new"
      $0.harbourID = 2
    }
    var isSaved = false
    let saving = Task {
      try await view.save()
      isSaved = true
    }
    await gate.waitForArrivals()
    #expect(try await stack.rows("SELECT name FROM boats") == ["new"])
    #expect(!isSaved && live.elements.map(\.name) == ["new"])
    await gate.open()
    try await saving.value
    #expect(live.elements.map(\.name) == ["new"] && slow.elements.map(\.name) == ["new"])
  }

  @Test func `an edit made while results are maintained stays on top`() async throws {
    let boats = (1...3).map { Boat(id: $0, name: "old", harbourID: 1) }
    try await stack.withScratch { scratch in
      scratch.insert(Harbour(id: 1))
      boats.forEach(scratch.insert)
    }
    let live = try await view.loaded(Boat.sorted(by: \.name))
    let slow = try await view.loaded(Boat.where { $0.harbour.isOpen })
    let gate = TestGate()
    await view.maintainer.hold(at: gate)
    let theirs = try await stack.commit {
      $0.update(boats[0]) { $0.name = "theirs" }
      $0.update(boats[1]) { $0.length = 5 }
      $0.delete(boats[2])
    }
    await gate.waitForArrivals()
    // The merge under way has the rows from before these edits.
    view.update(boats[0]) { $0.name = "mine" }
    view.update(boats[1]) { $0.name = "mine too" }
    view.insert(Boat(id: 4, name: "another"))
    #expect(live.elements.map(\.name) == ["another", "mine", "mine too", "old"])
    await gate.open()
    try await view.waitUntilMerged(theirs)
    #expect(live.elements.map(\.name) == ["another", "mine", "mine too"])
    #expect(live.elements.map(\.length) == [0, 0, 5])
    #expect(view.conflicts.map(\.attributes) == [["name"]])
    #expect(slow.elements.map(\.name) == ["mine", "mine too"])
    try await view.save(.overwrite)
    #expect(
      try await stack.rows("SELECT name, length FROM boats") == [
        "mine 0", "mine too 5", "another 0",
      ])
  }

  @Test func `an edit on top of a save that a delete rule took back follows the store`()
    async throws
  {
    let boat = Boat(id: 1, name: "Gull")
    let harbour = Harbour(id: 1)
    try await stack.withScratch {
      $0.insert(boat)
      $0.insert(harbour)
    }
    let live = try await view.loaded(Boat.all)
    view.update(boat) { $0.harbourID = 1 }
    view.delete(harbour)
    let stop = await WriterStop(stack)
    let saving = Task { try await view.save() }
    #expect(await eventually { !view.hasChanges })
    view.update(boat) { $0.speed = 3 }
    #expect(live.elements.map(\.harbourID) == [1])
    stop.release()
    _ = try await saving.value
    #expect(Array(live.elements) == [Boat(id: 1, name: "Gull", speed: 3)])
    #expect(try await view.fetch(Boat.all) == [Boat(id: 1, name: "Gull", speed: 3)])
    try await view.save()
    #expect(Array(live.elements) == [Boat(id: 1, name: "Gull", speed: 3)])
  }

  @Test func `a window that is refilled while commits go on ends up right`() async throws {
    let boats = (1...300).map { Boat(id: $0, length: 1000 + $0) }
    try await stack.withScratch { scratch in boats.forEach(scratch.insert) }
    let query = Boat.sorted(by: \.length).limit(3)
    let live = try await view.loaded(query)
    let gate = TestGate()
    let loads = Lock(0)
    await view.maintainer.setWillLoad {
      loads.withLock { $0 += 1 }
      await gate.pass()
    }
    // The commit deletes more rows than the window keeps in reserve.
    try await stack.commit { scratch in boats[..<100].forEach(scratch.delete) }
    #expect(await eventually { loads.withLock { $0 } == 1 })
    for number in 1...20 {
      try await stack.commit {
        $0.insert(Boat(id: 1000 + number, length: number))
        $0.delete(boats[100 + number])
      }
    }
    try await stack.commit { $0.delete(Boat(id: 1001, length: 1)) }
    view.insert(Boat(id: 2000, length: 3))
    let whole = live.elements.map(\.length)
    #expect(whole == [3, 1001, 1002])
    await gate.open()
    try await view.waitUntilMerged(stack.store.newestCommit)
    #expect(live.elements.map(\.length) == [2, 3, 3])
    #expect(Array(live.elements) == (try await view.fetch(query)))
  }

  @Test func `a load that was given up does not pass for the one that follows it`() async throws {
    // Two live queries of the same text follow each other. The first query is released while its
    // load is still on its way. That load ends after the second query has asked for a load of its
    // own.
    try await stack.withScratch { $0.insert(Boat(id: 1)) }
    let gate = TestGate()
    await view.maintainer.hold(at: gate)
    var first: LiveQuery<Boat>? = view.live(Boat.all)
    await gate.waitForArrivals(1)
    #expect(first?.isLoaded == false)
    first = nil
    try await stack.withScratch { $0.insert(Boat(id: 2)) }
    let second = view.live(Boat.all)
    await view.maintainer.setWillLoad(nil)
    try await stack.withScratch { $0.insert(Boat(id: 3)) }
    await gate.open()
    try await second.waitUntilLoaded()
    try await stack.withScratch { $0.insert(Boat(id: 4)) }
    #expect(second.elements.map(\.id) == [1, 2, 3, 4])
  }
}
