import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn, .stack(Boat.self, Harbour.self, Pier.self)) @MainActor
struct UndoTests {
  let stack = Stack.test
  var view: ViewContext { stack.viewContext }
  let gull = Boat(id: 1, name: "Gull", length: 9)

  private func name(_ name: String) { view.undoGroup("to \(name)") { rename(name) } }
  private func rename(_ name: String) { view.update(gull) { $0.name = name } }

  // MARK: Groups

  @Test func `undoing and redoing unsaved groups shows in the same turn`() async throws {
    let live = try await view.loaded(Boat.all)
    #expect(view.undo() == nil && view.redo() == nil)
    view.undoGroup("Add") { view.insert(gull) }
    view.undoGroup("Rename") { view.update(gull) { $0.name = "Swan" } }
    view.undoGroup("Remove") { view.delete(gull) }
    #expect(live.elements.isEmpty && view.undoName == "Remove" && view.redoName == nil)
    let report = view.undo()
    #expect(report?.name == "Remove" && report?.count == 1 && report?.isComplete == true)
    #expect(live.elements.map(\.name) == ["Swan"] && view.redoName == "Remove")
    view.undo()
    #expect(live.elements.map(\.name) == ["Gull"] && view.undoName == "Add")
    view.undo()
    #expect(live.elements.isEmpty && !view.hasChanges && !view.canUndo)
    for expected in [["Gull"], ["Swan"], []] {
      view.redo()
      #expect(live.elements.map(\.name) == expected)
    }
    #expect(!view.canRedo)
    view.undo()
    try await view.save()
    #expect(try await stack.rows("SELECT name FROM boats") == ["Swan"])
  }

  @Test func `the edits of one turn are one group`() async throws {
    view.insert(gull)
    view.insert(Boat(id: 2))
    #expect(view.canUndo && view.undoName == nil)
    await Task {}.value
    rename("Swan")
    view.undo()
    #expect(try await view.fetch(Boat.all).map(\.name) == ["Gull", ""])
    view.undo()
    #expect(try await view.fetch(Boat.all) == [])
  }

  @Test func `groups nest, last over turns, and end when their body throws`() async throws {
    struct Failure: Error {}
    view.beginUndoGroup("drag")
    view.insert(gull)
    await Task {}.value
    #expect(throws: Failure.self) {
      try view.undoGroup("inner") {
        rename("Swan")
        throw Failure()
      }
    }
    view.endUndoGroup()
    #expect(view.undoName == "drag")
    view.undo()
    #expect(try await view.fetch(Boat.all) == [] && !view.canUndo)
    view.undoGroup("nothing") {}
    #expect(!view.canUndo && view.canRedo)
  }

  @Test func `a new edit forgets what could be redone, and old groups are dropped`() async throws {
    view.undoLimit = 3
    view.insert(gull)
    for number in 1...5 { name("\(number)") }
    view.undo()
    #expect(view.canRedo)
    name("new")
    #expect(!view.canRedo)
    var undone = 0
    while view.undo() != nil { undone += 1 }
    #expect(undone == 3)
    #expect(try await view.fetch(Boat.all).map(\.name) == ["2"])
    view.undoLimit = 0
    #expect(!view.canRedo)
    name("unrecorded")
    #expect(!view.canUndo)
  }

  @Test func `a rollback forgets what can be undone`() async throws {
    try await stack.withScratch { [gull] in $0.insert(gull) }
    name("Swan")
    view.rollback()
    #expect(!view.canUndo && !view.canRedo && view.undo() == nil)
    #expect(try await view.fetch(Boat.all) == [gull])
  }

  // MARK: Saved groups

  @Test func `a saved group is undone by the next save`() async throws {
    try await stack.withScratch { [gull] in $0.insert(gull) }
    name("A")
    try await view.save()
    name("B")
    view.undoGroup { view.insert(Boat(id: 2)) }
    try await view.save()
    let live = try await view.loaded(Boat.all)
    view.undo()
    #expect(live.elements.map(\.name) == ["B"] && view.hasChanges)
    view.undo()
    view.undo()
    #expect(Array(live.elements) == [gull])
    try await view.save()
    #expect(try await stack.fetch(Boat.all) == [gull])
    while view.redo() != nil {}
    try await view.save()
    #expect(try await stack.rows("SELECT id, name FROM boats") == ["1 B", "2 "])
    #expect(view.canUndo && !view.canRedo)
  }

  @Test func `undoing while the group is being saved, and after a failed save`() async throws {
    try await stack.withScratch { [gull] in $0.insert(gull) }
    name("A")
    let stop = await WriterStop(stack)
    let saving = Task { try await view.save() }
    #expect(await eventually { view.isSaving })
    view.undo()
    #expect(try await view.find(Boat.self, 1)?.name == "Gull")
    stop.release()
    _ = try await saving.value
    #expect(try await stack.rows("SELECT name FROM boats") == ["A"])
    try await view.save()
    #expect(try await stack.rows("SELECT name FROM boats") == ["Gull"])

    name("B")
    try await stack.withScratch { [gull] in $0.update(gull) { $0.name = "Theirs" } }
    #expect(await failure { try await view.save() }?.code == .conflict)
    view.undo()
    #expect(try await view.find(Boat.self, 1)?.name == "Theirs")
    #expect(!view.hasChanges && view.conflicts.isEmpty)
  }

  @Test func `the effects of delete rules come back with the group that deleted`() async throws {
    let boats = (1...3).map { Boat(id: $0, name: "b\($0)", harbourID: $0 < 3 ? 1 : 2) }
    let piers = [
      Pier(id: 1, harbourID: 1), Pier(id: 2, harbourID: 2, nextID: 1),
      Pier(id: 3, harbourID: 2, nextID: 2), Pier(id: 4, harbourID: 2),
    ]
    let harbours = [Harbour(id: 1, name: "one"), Harbour(id: 2, name: "two")]
    try await stack.withScratch { scratch in
      harbours.forEach(scratch.insert)
      boats.forEach(scratch.insert)
      piers.forEach(scratch.insert)
    }
    // The renaming is a group of its own in the same save. A rule touches its row, too.
    view.undoGroup("delete") { view.delete(harbours[0]) }
    view.undoGroup("rename") { view.update(boats[0]) { $0.name = "new" } }
    try await view.save()
    #expect(try await stack.rows("SELECT id FROM piers") == ["4"])
    #expect(
      try await stack.rows("SELECT name, harbourID FROM boats") == ["new null", "b2 null", "b3 2"])
    #expect(view.undo()?.isComplete == true)
    try await view.save()
    #expect(
      try await stack.rows("SELECT name, harbourID FROM boats") == ["b1 null", "b2 null", "b3 2"])
    #expect(view.undo()?.count == 6)
    try await view.save()
    #expect(try await stack.fetch(Boat.all) == boats)
    #expect(try await stack.fetch(Pier.all) == piers)
    #expect(try await stack.fetch(Harbour.all) == harbours)
    view.redo()
    try await view.save()
    #expect(try await stack.rows("SELECT id FROM piers") == ["4"])
    view.undo()
    try await view.save()
    #expect(try await stack.fetch(Pier.all) == piers)
  }

  // MARK: Commits of other contexts

  @Test func `an undo takes back the attributes that still have the group's value`() async throws {
    try await stack.withScratch { [gull] in $0.insert(gull) }
    for isSaved in [false, true] {
      let old = try #require(try await view.find(Boat.self, 1))
      view.undoGroup {
        view.update(old) {
          $0.name = "Mine"
          $0.speed = 1
        }
      }
      if isSaved { try await view.save() }
      let shown = isSaved ? try #require(try await stack.fetch(Boat.all).first) : old
      try await stack.commit { other in
        other.update(shown) {
          $0.length = 77
          if isSaved { $0.name = "Theirs" }
        }
      }
      try await view.waitUntilMerged(stack.store.newestCommit)
      let report = try #require(view.undo())
      #expect(report.count == 1)
      #expect(report.skipped.map(\.attributes) == (isSaved ? [["name"]] : []))
      #expect(report.skipped.first?.reason == (isSaved ? .changed : nil))
      let rest = isSaved ? "; left as it is: Boat 1 name (another value by now)" : ""
      #expect("\(report)".hasSuffix("1 entity changed" + rest))
      try await view.save()
      let expected = Boat(id: 1, name: isSaved ? "Theirs" : "Gull", length: 77)
      #expect(try await stack.fetch(Boat.all) == [expected])
      view.rollback()
    }
  }

  @Test func `an entity that somebody else deleted does not come back`() async throws {
    for isSaved in [false, true] {
      try await stack.withScratch { [gull] in $0.insert(gull) }
      let boat = try #require(try await view.find(Boat.self, 1))
      view.undoGroup { view.update(boat) { $0.name = "Mine" } }
      if isSaved { try await view.save() }
      try await stack.commit(.overwrite) { [gull] in $0.delete(gull) }
      try await view.waitUntilMerged(stack.store.newestCommit)
      if !isSaved {
        // The unsaved edit is an orphan. Undoing it leaves no edit.
        #expect(view.conflicts.map(\.isOrphaned) == [true])
        view.undo()
        #expect(view.conflicts.isEmpty && !view.hasChanges)
      } else {
        let report = view.undo()
        #expect(report?.count == 0 && report?.skipped.first?.reason == .gone)
      }
      try await view.save()
      #expect(try await stack.fetch(Boat.all) == [])
      view.rollback()
    }
  }

  @Test func `undoing a deletion brings back the row as others have made it`() async throws {
    try await stack.withScratch { [gull] in $0.insert(gull) }
    view.delete(gull)
    try await stack.commit { [gull] scratch in scratch.update(gull) { $0.length = 3 } }
    try await view.waitUntilMerged(stack.store.newestCommit)
    #expect(view.undo()?.isComplete == true)
    #expect(!view.hasChanges && view.conflicts.isEmpty)
    #expect(try await view.fetch(Boat.all).map(\.length) == [3])
  }

  @Test func `undoing a deletion that somebody else repeated, or took back, is reported`()
    async throws
  {
    try await stack.withScratch { [gull] in $0.insert(gull) }
    view.undoGroup { view.delete(gull) }
    try await stack.commit { [gull] in $0.delete(gull) }
    try await view.waitUntilMerged(stack.store.newestCommit)
    #expect(view.undo()?.skipped.map(\.reason) == [.gone])
    #expect(try await view.fetch(Boat.all) == [])

    try await stack.withScratch { $0.insert(Boat(id: 2, name: "Tern")) }
    view.undoGroup { view.delete(Boat(id: 2, name: "Tern")) }
    try await view.save()
    try await stack.withScratch { $0.insert(Boat(id: 2, name: "New")) }
    #expect(view.undo()?.skipped.map(\.reason) == [.exists])
    #expect(try await view.fetch(Boat.all).map(\.name) == ["New"])
  }

  @Test func `undoing an insertion that others have built on is reported`() async throws {
    view.undoGroup { view.insert(gull) }
    try await view.save()
    try await stack.commit { [gull] scratch in scratch.update(gull) { $0.length = 3 } }
    try await view.waitUntilMerged(stack.store.newestCommit)
    #expect(view.undo()?.skipped.map(\.attributes) == [["length"]])
    #expect(try await view.count(Boat.all) == 1)
  }

  // MARK: Scratch contexts

  @Test func `a scratch context undoes edits of rows that it has and has not seen`() async throws {
    try await stack.withScratch { [gull] in $0.insert(gull) }
    let scratch = stack.makeScratch()
    scratch.insert(Boat(id: 9))
    #expect(!scratch.canUndo)
    scratch.undoLimit = 10
    scratch.update(gull) { $0.name = "Swan" }
    scratch.undoGroup("replace") {
      scratch.upsert(Boat(id: 1, name: "upsert"))
      scratch.upsert(Boat(id: 2, name: "upsert"))
    }
    scratch.update(Boat(id: 2, name: "upsert")) { $0.length = 2 }
    scratch.delete(Boat(id: 2, name: "upsert", length: 2))
    func names() async throws -> [String] { try await scratch.fetch(Boat.all).map(\.name) }
    #expect(try await names() == ["upsert", ""])
    scratch.undo()
    scratch.undo()
    #expect(scratch.undoName == "replace")
    #expect(try await names() == ["upsert", "upsert", ""])
    scratch.undo()
    #expect(try await names() == ["Swan", ""])
    scratch.redo()
    #expect(try await names() == ["upsert", "upsert", ""])
    try await scratch.save()
    #expect(try await stack.rows("SELECT name FROM boats") == ["upsert", "upsert", ""])
    // The unseen rows are known since the writer met them.
    #expect(scratch.undo()?.isComplete == true)
    try await scratch.save()
    #expect(try await stack.rows("SELECT id, name FROM boats") == ["1 Swan", "9 "])
    scratch.undo()
    try await scratch.save()
    #expect(try await stack.rows("SELECT id, name FROM boats") == ["1 Gull", "9 "])
  }

  @Test func `an edit of others since a scratch context's save conflicts with its undo`()
    async throws
  {
    try await stack.withScratch { [gull] in $0.insert(gull) }
    let scratch = stack.makeScratch()
    scratch.undoLimit = 1
    scratch.update(gull) { $0.name = "Mine" }
    try await scratch.save()
    try await stack.commit(.overwrite) { other in
      other.update(Boat(id: 1, name: "Mine", length: 9)) { $0.name = "Theirs" }
    }
    scratch.undo()
    #expect(await failure { try await scratch.save() }?.code == .conflict)
    try await scratch.save(.mergeTheirs)
    #expect(try await stack.rows("SELECT name FROM boats") == ["Theirs"])
  }

  // MARK: Against a model

  @Test func `undoing everything gives what was there, whatever is saved in between`() async throws
  {
    var random = SeededRandom.printingSeed()
    view.undoLimit = 1_000
    let live = try await view.loaded(Boat.all)
    var states: [[Boat]] = [[]]
    var position = 0
    for step in 0..<400 {
      switch random.below(10) {
      case 0: try await view.save()
      case 1...2 where position > 0:
        position -= 1
        #expect(view.undo()?.isComplete == true, "step \(step), seed \(random.seed)")
      case 3 where position < states.count - 1:
        position += 1
        #expect(view.redo()?.isComplete == true, "step \(step), seed \(random.seed)")
      default:
        let before = Array(live.elements)
        view.undoGroup {
          for _ in 0...random.below(4) { edit(Array(live.elements), &random) }
        }
        if Array(live.elements) == before && !view.canRedo && states.count > position + 1 {
          states.removeLast(states.count - position - 1)
        }
        if view.undoDepth > position {
          states.removeLast(states.count - position - 1)
          states.append(Array(live.elements))
          position += 1
        }
      }
      let isRight = Array(live.elements) == states[position]
      #expect(isRight, "step \(step), seed \(random.seed)")
      if !isRight { return }
    }
    while view.undo() != nil {}
    #expect(live.elements.isEmpty)
    try await view.save()
    #expect(try await stack.fetch(Boat.all) == [])
  }

  private func edit(_ boats: [Boat], _ random: inout SeededRandom) {
    let id = random.below(6)
    let length = random.below(5)
    guard let old = boats.first(where: { $0.id == id }) else {
      return view.insert(Boat(id: id, length: length))
    }
    if random.oneIn(3) { view.delete(old) } else { view.update(old) { $0.length = length } }
  }
}

extension ViewContext {
  fileprivate var undoDepth: Int { layers.pending.undo.undoable.count }
}
