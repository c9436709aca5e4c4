import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn, .stack(Boat.self, Harbour.self, Pennant.self)) @MainActor
struct ViewSaveTests {
  let stack = Stack.test
  var view: ViewContext { stack.viewContext }
  let gull = Boat(id: 1, name: "Gull", length: 9)

  @Test func `a save returns when the context shows the commit`() async throws {
    var changes = view.changes.makeAsyncIterator()
    for number in 1...50 {
      view.insert(Boat(id: number))
      let commit = try await view.save()
      #expect(commit == Int64(number) && view.commit >= commit)
    }
    #expect(await changes.next()?.changes(of: Boat.self).inserted.count == 50)
  }

  @Test func `a save without edits returns at once`() async throws {
    let stop = await WriterStop(stack)
    #expect(try await view.save() == 0)
    stop.release()
  }

  @Test func `edits made during a save wait for the next one`() async throws {
    let live = try await view.loaded(Boat.all)
    view.insert(gull)
    let stop = await WriterStop(stack)
    let saving = Task { try await view.save() }
    #expect(await eventually { !view.hasChanges })
    view.update(gull) { $0.name = "Swan" }
    view.insert(Boat(id: 2))
    #expect(view.hasChanges && live.elements.map(\.name) == ["Swan", ""])
    stop.release()
    _ = try await saving.value
    #expect(view.hasChanges && live.elements.map(\.name) == ["Swan", ""])
    #expect(try await stack.rows("SELECT id, name FROM boats") == ["1 Gull"])
    try await view.save()
    #expect(!view.hasChanges)
    #expect(try await stack.rows("SELECT id, name FROM boats") == ["1 Swan", "2 "])
  }

  @Test func `a failed save gives back every edit, joined with those made meanwhile`() async throws
  {
    let flag = Pennant(id: 1, code: "A")
    try await stack.withScratch { [gull] in
      $0.insert(gull)
      $0.insert(flag)
    }
    let live = try await view.loaded(Boat.all)
    view.update(gull) { $0.name = "Swan" }
    view.insert(Boat(id: 2, name: "new"))
    view.insert(Pennant(id: 2, code: "A", number: 1))
    let stop = await WriterStop(stack)
    let saving = Task { await failure { try await view.save() } }
    #expect(await eventually { !view.hasChanges })
    view.update(gull) { $0.name = "Heron" }
    view.update(gull) { $0.length = 3 }
    view.delete(Boat(id: 2))
    view.insert(Boat(id: 3))
    stop.release()
    #expect(await saving.value?.code == .uniquenessViolated)
    #expect(view.hasChanges && live.elements.map(\.name) == ["Heron", ""])
    #expect(try await stack.rows("SELECT id, name FROM boats") == ["1 Gull"])

    view.update(Pennant(id: 2, code: "A", number: 1)) { $0.code = "B" }
    try await view.save()
    #expect(
      try await stack.rows("SELECT id, name, length FROM boats") == ["1 Heron 3", "3  0"])
    #expect(try await stack.rows("SELECT code FROM pennants ORDER BY id") == ["A", "B"])
  }

  @Test func `an entity that cannot be stored fails the save by name until it is put right`()
    async throws
  {
    let voyage = Voyage(id: 1, distance: .nan)
    let stack = try await Stack.temporary(Voyage.self)
    stack.viewContext.insert(voyage)
    let error = await failure { try await stack.viewContext.save() }
    #expect(error?.code == .invalidValue && error?.entity == "Voyage")
    #expect(error?.attributes == ["distance"] && stack.viewContext.hasChanges)
    stack.viewContext.insert(Voyage(id: 1, distance: 2))
    try await stack.viewContext.save()
    #expect(try await stack.rows("SELECT id, distance FROM voyages") == ["1 2.0"])
    await stack.close()
  }

  @Test func `saves asked for at once follow each other`() async throws {
    let live = try await view.loaded(Boat.all)
    let stop = await WriterStop(stack)
    var saves: [Task<Int64, any Error>] = []
    for number in 1...6 {
      view.insert(Boat(id: number))
      saves.append(Task { try await view.save() })
      // The first save takes its edits at once. The other saves wait for its end.
      await others()
    }
    stop.release()
    var commits: [Int64] = []
    for save in saves { commits.append(try await save.value) }
    // The second save takes every edit that was made during the first save.
    #expect(commits == [1, 2, 2, 2, 2, 2])
    #expect(!view.hasChanges && live.elements.count == 6)
    #expect(try await stack.rows("SELECT count(*) FROM boats") == ["6"])
  }

  @Test func `cancelling withdraws a save that has not started, and nothing is lost`() async throws
  {
    view.insert(gull)
    let stop = await WriterStop(stack)
    let saving = Task { await failure { try await view.save() } }
    #expect(await eventually { !view.hasChanges })
    saving.cancel()
    #expect(await saving.value?.code == .cancelled)
    #expect(view.hasChanges)
    stop.release()
    #expect(try await view.save() == 1)
    #expect(try await stack.rows("SELECT id FROM boats") == ["1"])
  }

  @Test func `a save that finds its result in the store already ends too`() async throws {
    try await stack.withScratch { [gull] in $0.insert(gull) }
    view.update(gull) { $0.name = "Swan" }
    let stop = await WriterStop(stack)
    let layer = stack.layer { edits in
      _ = edits.upsert(Boat(id: 1, name: "Swan", length: 9))
    }
    let theirs = stack.commitUrgently(layer)
    let saving = Task { try await view.save() }
    #expect(await eventually { !view.hasChanges })
    stop.release()
    #expect(try await saving.value == 2)
    #expect(try await theirs.value == 2 && !view.hasChanges)
  }
}

/// A voyage, whose distance may be not-a-number.
struct Voyage: Entity {
  var id = 0
  var distance = 0.0

  static let schema = Schema<Voyage>("voyages", key: \.id) { Attribute(\.distance) }
}
