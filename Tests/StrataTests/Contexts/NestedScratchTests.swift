import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// Scratch contexts over scratch contexts, over the store and over the view context.
@Suite(.inTurn, .stack(Boat.self, Harbour.self))
struct NestedScratchTests {
  let stack = Stack.test
  let gull = Boat(id: 1, name: "Gull", length: 9)

  @Test func `a child reads its parent's edits, and its saves land there`() async throws {
    try await stack.commit { $0.insert(gull) }
    let parent = stack.makeScratch()
    parent.update(gull) { $0.name = "Swan" }
    let child = parent.makeScratch()
    #expect(child.update(gull) { $0.length = 1 }.name == "Swan")
    child.insert(Boat(id: 2))
    #expect(try await child.fetch(Boat.all).map(\.length) == [1, 0])
    #expect(try await parent.fetch(Boat.all).map(\.length) == [9])
    #expect(try await child.save() == 1)
    #expect(!child.hasChanges)
    #expect(try await parent.fetch(Boat.all).map(\.length) == [1, 0])
    #expect(try await stack.fetch(Boat.all) == [gull])
    try await parent.save()
    #expect(try await stack.rows("SELECT id, name, length FROM boats") == ["1 Swan 1", "2  0"])
  }

  @Test func `siblings see each other's edits only after a save and a refresh`() async throws {
    let parent = stack.makeScratch()
    let first = parent.makeScratch()
    let second = parent.makeScratch()
    first.insert(gull)
    #expect(try await second.count(Boat.all) == 0)
    try await first.save()
    #expect(try await second.count(Boat.all) == 0)
    #expect(try await parent.makeScratch().fetch(Boat.all) == [gull])
    second.insert(Boat(id: 2))
    await second.refresh()
    #expect(try await second.fetch(Boat.all).map(\.id) == [1, 2])
  }

  @Test func `siblings that edit the same attribute conflict by policy`() async throws {
    try await stack.commit { $0.insert(gull) }
    for policy in SavePolicy.allCases {
      let parent = stack.makeScratch()
      let first = parent.makeScratch()
      let second = parent.makeScratch()
      first.update(gull) { $0.name = "first" }
      second.update(gull) {
        $0.name = "second"
        $0.length = 1
      }
      try await first.save()
      let error = await failure { try await second.save(policy) }
      #expect(error?.code == (policy == .error ? .conflict : nil))
      #expect(error?.conflicts.first?.attributes == (policy == .error ? ["name"] : nil))
      #expect(second.hasChanges == (policy == .error))
      let boat = try #require(try await parent.find(Boat.self, 1))
      let expected =
        switch policy {
        case .error, .discard: Boat(id: 1, name: "first", length: 9)
        case .mergeTheirs: Boat(id: 1, name: "first", length: 1)
        case .mergeMine, .overwrite: Boat(id: 1, name: "second", length: 1)
        }
      #expect(boat == expected, "\(policy)")
    }
    #expect(try await stack.fetch(Boat.all) == [gull])
  }

  /// Returns a context that has renamed the gull and follows another commit's new length.
  private func parentOverNewerRow() async throws -> sending ScratchContext {
    try await stack.commit { $0.insert(gull) }
    let parent = stack.makeScratch()
    parent.update(gull) { $0.name = "Swan" }
    try await stack.commit { $0.update(gull) { $0.length = 10 } }
    await parent.refresh()
    return parent
  }

  /// The parent edits a row, which others edit, too. After a refresh, parent and child show the
  /// parent's edit over the newer row.
  @Test func `a child edits a newer row that its parent has edited`() async throws {
    try await stack.commit { $0.insert(gull) }
    let parent = stack.makeScratch()
    parent.update(gull) { $0.name = "Swan" }
    try await stack.commit {
      $0.update(gull) {
        $0.length = 10
        $0.speed = 3
      }
    }
    await parent.refresh()
    let child = parent.makeScratch()
    let shown = try #require(try await child.find(Boat.self, 1))
    #expect(shown == Boat(id: 1, name: "Swan", length: 10, speed: 3))
    child.update(shown) { $0.length = 11 }
    try await child.save()
    #expect(try await parent.find(Boat.self, 1) == child.find(Boat.self, 1))
    // The parent has edited the name and the length; the speed may change.
    try await stack.commit {
      $0.update(Boat(id: 1, name: "Gull", length: 10, speed: 3)) { $0.speed = 4 }
    }
    try await parent.save()
    #expect(try await stack.rows("SELECT name, length, speed FROM boats") == ["Swan 11 4"])
  }

  /// The parent's edit knows an older row. It must not hide that the child sets an attribute back.
  @Test func `a grandchild sets a newer row back to what the parent's edit knows`() async throws {
    let parent = try await parentOverNewerRow()
    let child = parent.makeScratch()
    let grandchild = child.makeScratch()
    let shown = try #require(try await grandchild.find(Boat.self, 1))
    grandchild.update(shown) { $0.length = 9 }
    try await grandchild.save()
    try await child.save()
    #expect(try await parent.fetch(Boat.all) == [Boat(id: 1, name: "Swan", length: 9)])
    try await parent.save()
    #expect(try await stack.rows("SELECT name, length FROM boats") == ["Swan 9"])
  }

  @Test func `a child deletes a newer row that its parent has edited`() async throws {
    let parent = try await parentOverNewerRow()
    let child = parent.makeScratch()
    child.delete(try #require(try await child.find(Boat.self, 1)))
    try await child.save()
    try await parent.save()
    #expect(try await stack.fetch(Boat.all) == [])
  }

  /// The child read the row before another commit changed it. Its save must not show that row again.
  @Test func `a parent shows the newest row below an older child's edit`() async throws {
    try await stack.commit { $0.insert(gull) }
    let parent = stack.makeScratch()
    let child = parent.makeScratch()
    #expect(try await child.find(Boat.self, 1) == gull)
    child.update(gull) { $0.length = 11 }
    try await stack.commit { $0.update(gull) { $0.speed = 3 } }
    await parent.refresh()
    #expect(try await parent.find(Boat.self, 1)?.speed == 3)
    try await child.save()
    let expected = Boat(id: 1, name: "Gull", length: 11, speed: 3)
    #expect(try await parent.find(Boat.self, 1) == expected)
    try await parent.save()
    #expect(try await stack.fetch(Boat.all) == [expected])
  }

  @Test func `an edit of the parent that the child has not seen conflicts over a newer row`()
    async throws
  {
    let parent = try await parentOverNewerRow()
    let child = parent.makeScratch()
    let shown = try #require(try await child.find(Boat.self, 1))
    parent.update(shown) { $0.length = 12 }
    child.update(shown) { $0.length = 11 }
    let error = await failure { try await child.save() }
    #expect(error?.code == .conflict)
    #expect(error?.conflicts.first?.attributes == ["length"])
    try await child.save(.mergeMine)
    try await parent.save()
    #expect(try await stack.rows("SELECT name, length FROM boats") == ["Swan 11"])
  }

  @Test func `letting go of a child discards its edits alone`() async throws {
    let parent = stack.makeScratch()
    parent.insert(gull)
    do {
      let child = parent.makeScratch()
      child.delete(gull)
      child.upsert(Boat(id: 2))
    }
    #expect(try await parent.fetch(Boat.all) == [gull])
    try await parent.save()
    #expect(try await stack.fetch(Boat.all) == [gull])
  }

  @Test func `upserts and deletions of rows that nobody has read go through every layer`()
    async throws
  {
    try await stack.commit { $0.insert(gull) }
    let parent = stack.makeScratch()
    parent.upsert(Boat(id: 1, name: "upsert", length: 5))
    let child = parent.makeScratch()
    child.update(Boat(id: 1, name: "upsert", length: 5)) { $0.length = 6 }
    child.insert(Boat(id: 2, name: "child"))
    let grandchild = child.makeScratch()
    grandchild.delete(Boat(id: 2, name: "child"))
    grandchild.upsert(Boat(id: 3))
    try await grandchild.save()
    try await child.save()
    #expect(try await parent.fetch(Boat.all).map(\.id) == [1, 3])
    try await parent.save()
    #expect(try await stack.rows("SELECT id, name, length FROM boats") == ["1 upsert 6", "3  0"])
  }

  /// Two scratch contexts lie over the view context. Each save moves the edits one layer down.
  @Test @MainActor func `a grandchild of the view context reaches it in two saves`() async throws {
    try await stack.withScratch { [gull] in $0.insert(gull) }
    let live = try await stack.viewContext.loaded(Boat.all)
    let sheet = stack.viewContext.makeScratch()
    let popover = sheet.makeScratch()
    popover.update(gull) { $0.name = "Swan" }
    try await popover.save()
    #expect(Array(live.elements) == [gull])
    try await sheet.save()
    #expect(live.elements.map(\.name) == ["Swan"])
    stack.viewContext.undo()
    #expect(Array(live.elements) == [gull])
  }

  // MARK: - Against a flat model

  /// A context of any depth, and the rows that it must show.
  ///
  /// They are its ancestors' rows at the time when it was made, with its own edits.
  private final class Level {
    let scratch: ScratchContext
    var rows: [Int: Boat]
    init(_ scratch: ScratchContext, _ rows: [Int: Boat]) {
      self.scratch = scratch
      self.rows = rows
    }
  }

  @Test @MainActor func `fetches at any depth agree with a flat model`() async throws {
    var random = SeededRandom.printingSeed()
    let view = stack.viewContext
    let live = try await view.loaded(
      Boat.where { $0.length > 2 }.sorted(by: \.name).sorted(by: \.length, order: .reverse).limit(7)
    )
    for round in 0..<12 {
      var stored: [Int: Boat] = [:]
      for boat in try await stack.fetch(Boat.all) { stored[boat.id] = boat }
      let isOfView = round % 2 == 1
      var levels = [Level(isOfView ? view.makeScratch() : stack.makeScratch(), stored)]
      for step in 0..<120 {
        let level = levels[levels.count - 1]
        switch random.below(12) {
        case 0 where levels.count < 5: levels.append(Level(level.scratch.makeScratch(), level.rows))
        case 1 where levels.count > 1:
          levels.removeLast()
          if random.oneIn(3) { continue }
          try await level.scratch.save()
          levels[levels.count - 1].rows = level.rows
        default: edit(level, &random)
        }
        let top = levels[levels.count - 1]
        if step % 4 == 0 {
          let note: Comment = "round \(round), step \(step), seed \(random.seed)"
          try await check(top, &random, note)
        }
      }
      while levels.count > 1 {
        let level = levels.removeLast()
        try await level.scratch.save()
        levels[levels.count - 1].rows = level.rows
      }
      try await levels[0].scratch.save()
      let expected = levels[0].rows.values.sorted { $0.id < $1.id }
      #expect(try await view.fetch(Boat.all) == expected, "round \(round), seed \(random.seed)")
      let top = try await view.fetch(
        Boat.where { $0.length > 2 }.sorted(by: \.name).sorted(by: \.length, order: .reverse).limit(
          7))
      #expect(Array(live.elements) == top, "round \(round), seed \(random.seed)")
      try await view.save()
      #expect(try await stack.fetch(Boat.all) == expected)
    }
  }

  @MainActor private func edit(_ level: Level, _ random: inout SeededRandom) {
    let id = random.below(24)
    let new = Boat(
      id: id, name: random.pick(["Gull", "Tern", "Auk"]), length: random.below(6),
      speed: random.oneIn(2) ? nil : random.below(3), harbourID: nil)
    let old = level.rows[id]
    switch (random.below(4), old) {
    case (0, _):
      level.scratch.upsert(new)
      level.rows[id] = new
    case (1, let old?):
      level.scratch.delete(old)
      level.rows[id] = nil
    case (_, let old?):
      let edited = level.scratch.update(old) { $0.length = new.length }
      level.rows[id] = edited
      #expect(edited == Boat(id: id, name: old.name, length: new.length, speed: old.speed))
    case (_, nil):
      level.scratch.insert(new)
      level.rows[id] = new
    }
  }

  @MainActor private func check(
    _ level: Level, _ random: inout SeededRandom, _ note: Comment
  ) async throws {
    let bound = random.below(6)
    let limit = random.below(10)
    let offset = random.below(4)
    let query = Boat.where { $0.length >= bound }.sorted(by: \.name, order: .reverse)
      .sorted(by: \.speed)
    let sorted = level.rows.values.filter { $0.length >= bound }.sorted {
      ($1.name, $0.speed ?? -1, $0.id) < ($0.name, $1.speed ?? -1, $1.id)
    }
    #expect(try await level.scratch.fetch(query) == sorted, note)
    #expect(try await level.scratch.count(query) == sorted.count, note)
    let page = Array(sorted.dropFirst(offset).prefix(limit))
    #expect(try await level.scratch.fetch(query.offset(offset).limit(limit)) == page, note)
    let ids = (0..<24).filter { _ in random.oneIn(3) }
    #expect(try await level.scratch.find(Boat.self, ids) == ids.compactMap { level.rows[$0] }, note)
  }
}
