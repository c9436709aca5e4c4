import Observation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// A buoy, with an attribute that cannot store every value.
private struct Buoy: Entity, Equatable {
  var id = 0
  var name = ""
  var depth = 0.0
  static let schema = Schema<Buoy>("buoys", key: \.id) {
    Attribute(\.name)
    Attribute(\.depth)
  }
}

/// The state of a view context that a toolbar observes.
@Suite(.inTurn, .stack(Buoy.self)) @MainActor
struct ViewObservationTests {
  let stack = Stack.test
  var view: ViewContext { stack.viewContext }

  @Test func `a save button and an undo menu are told of what they show`() async throws {
    let toolbar = Observer { [view] in
      [
        view.hasChanges, view.isSaving, view.canUndo, view.canRedo, view.saveError != nil,
      ]
    }
    let names = Observer { [view] in [view.undoName, view.redoName] }
    view.undoGroup("New Buoy") { view.insert(Buoy(id: 1)) }
    #expect(toolbar.value == [true, false, true, false, false])
    #expect(names.value == ["New Buoy", nil])
    view.undo()
    #expect(toolbar.value == [false, false, false, true, false])
    #expect(names.value == [nil, "New Buoy"])
    view.redo()
    let stop = await WriterStop(stack)
    let save = Task { try await view.save() }
    await expect(view.isSaving, becomes: true)
    #expect(toolbar.value == [false, true, true, false, false])
    stop.release()
    _ = try await save.value
    #expect(toolbar.value == [false, false, true, false, false])
  }

  @Test func `a save that failed says why until the next one`() async throws {
    try await stack.withScratch { $0.insert(Buoy(id: 1)) }
    let banner = Observer { [view] in view.saveError?.code }
    view.insert(Buoy(id: 1, name: "Again"))
    await #expect(throws: StoreError.self) { try await view.save() }
    #expect(banner.value == .conflict)
    try await view.save(.overwrite)
    #expect(banner.value == nil)
    view.insert(Buoy(id: 1))
    await #expect(throws: StoreError.self) { try await view.save() }
    #expect(banner.value == .conflict)
    view.rollback()
    #expect(banner.value == nil)
  }

  @Test func `an edit that cannot be stored is a change, and its failure is told`() async throws {
    let changes = Observer { [view] in view.hasChanges }
    let banner = Observer { [view] in view.saveError?.code }
    view.insert(Buoy(id: 1, depth: .nan))
    #expect(changes.value)
    await #expect(throws: StoreError.self) { try await view.save() }
    #expect(banner.value == .invalidValue)
    view.rollback()
    #expect(!changes.value && banner.value == nil)
  }

  @Test func `a save that was cancelled did not fail`() async throws {
    let stop = await WriterStop(stack)
    view.insert(Buoy(id: 1))
    let save = Task { try await view.save() }
    await expect(view.isSaving, becomes: true)
    save.cancel()
    stop.release()
    _ = await save.result
    #expect(view.saveError == nil && !view.isSaving)
  }

  @Test func `a conflict is told when it comes, and when it is settled`() async throws {
    try await stack.withScratch { $0.insert(Buoy(id: 1, name: "Gull")) }
    let buoy = try #require(try await view.find(Buoy.self, 1))
    let count = Observer { [view] in view.conflicts.count }
    view.update(buoy) { $0.name = "Mine" }
    try await stack.merge { $0.update(buoy) { $0.name = "Theirs" } }
    #expect(count.value == 1)
    view.resolve(try #require(view.conflicts.first), .mergeTheirs)
    #expect(count.value == 0)
  }

  @Test func `a loop of edits tells an observer once`() async throws {
    let changes = Observer { [view] in view.hasChanges }
    for id in 0..<1_000 {
      view.insert(Buoy(id: id))
      #expect(changes.value)
    }
    #expect(changes.reads == 2)
  }

  @Test func `an observer may edit`() async throws {
    let view = view
    withObservationTracking {
      _ = view.hasChanges
    } onChange: {
      MainActor.assumeIsolated { view.undoGroup("Second") { view.insert(Buoy(id: 2)) } }
    }
    let status = Observer { [view] in [view.hasChanges, view.canUndo] }
    let name = Observer { [view] in view.undoName }
    view.insert(Buoy(id: 1))
    #expect(status.value == [true, true] && name.value == "Second")
    view.undo()
    #expect(status.isUpToDate && name.isUpToDate)
  }

  /// An observer that reads only when it is told always has the current value.
  @Test func `every change of the view context's state is reported to its observers`() async throws
  {
    var random = SeededRandom.printingSeed()
    let view = view
    let observers = [
      Observer { "\(view.hasChanges)" }, Observer { "\(view.isSaving)" },
      Observer { "\(view.canUndo)" }, Observer { "\(view.canRedo)" },
      Observer { "\(view.undoName ?? "-")" }, Observer { "\(view.redoName ?? "-")" },
      Observer { "\(view.saveError?.code.description ?? "-")" },
      Observer { "\(view.conflicts.map { "\($0.key)" })" },
    ]
    let live = try await view.loaded(Buoy.all)
    var depth = 0
    for step in 0..<1_200 {
      let buoy = Buoy(id: random.below(4), name: "\(random.below(3))")
      switch random.below(16) {
      case 0...2: view.insert(buoy)
      case 3, 4: view.update(buoy) { $0.name = "\(random.below(3))" }
      case 5:
        // The turn takes all its edits back, so its undo group will be empty.
        if random.oneIn(2) { view.insert(Buoy(id: 9)) }
        view.delete(random.oneIn(2) ? Buoy(id: 9) : buoy)
      case 6: view.insert(Buoy(id: buoy.id, depth: .nan))
      case 7: view.update(buoy) { $0.depth = .nan }
      case 8: view.undo()
      case 9: view.redo()
      case 10:
        if depth < 2 {
          view.beginUndoGroup(random.oneIn(2) ? "\(step)" : nil)
          depth += 1
        }
      case 11:
        while depth > 0 {
          view.endUndoGroup()
          depth -= 1
        }
      case 12:
        if random.oneIn(3) { view.rollback() }
        if random.oneIn(9) { view.undoLimit = random.below(4) }
      case 13: try await stack.merge { $0.upsert(buoy) }
      case 14: _ = try? await view.save(random.oneIn(2) ? .error : .mergeMine)
      default:
        if let conflict = view.conflicts.first {
          view.resolve(conflict, random.pick([.mergeMine, .mergeTheirs, .discard]))
        }
      }
      // The turn ends, and with it an event's undo group.
      if random.oneIn(3) { for _ in 0..<5 { await Task.yield() } }
      let stale = observers.indices.filter { !observers[$0].isUpToDate }
      try #require(stale.isEmpty, "step \(step), seed \(random.seed)")
    }
    _ = live.elements
  }
}
