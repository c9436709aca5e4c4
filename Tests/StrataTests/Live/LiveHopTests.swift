import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// Live queries whose rows depend on other tables.
///
/// A change makes them read only the rows that it concerns.
@Suite(
  .inTurn,
  .stack(Boat.self, Harbour.self, Sailor.self, Note.self, Tag.self, Folder.self, Colleague.self))
@MainActor struct LiveHopTests {
  let stack = Stack.test
  var view: ViewContext { stack.viewContext }

  private func fill() async throws {
    try await stack.withScratch { scratch in
      for id in 0..<4 { scratch.insert(Harbour(id: id, isOpen: id % 2 == 0)) }
      for id in 0..<40 { scratch.insert(Boat(id: id, name: "\(id % 7)", harbourID: id % 5)) }
      for id in 0..<60 { scratch.insert(Sailor(id: id, boatID: id % 45)) }
    }
  }

  @Test func `a change of another table reads only the rows that lead there`() async throws {
    try await fill()
    let live = try await view.loaded(Boat.where { $0.harbour.isOpen })
    let open = Harbour(id: 1, isOpen: false)
    try await stack.merge { $0.update(open) { $0.isOpen = true } }
    #expect(live.elements.count == 24)
    #expect(live.statistics.loads == 1 && live.statistics.refills == 1)
    #expect(live.statistics.maintainedChanges == 8)
    try await stack.merge { $0.delete(open) }
    #expect(live.elements.count == 16 && live.statistics.refills == 2)
    // A reference to the deleted harbour is nil, or leads nowhere.
    let fetched = try await view.fetch(Boat.where { $0.harbour.isOpen })
    #expect(Array(live.elements) == fetched && live.statistics.loads == 1)
  }

  @Test func `an attribute that the filter does not look at reads nothing`() async throws {
    try await fill()
    let live = try await view.loaded(Boat.where { $0.harbour.isOpen }.sorted(by: \.name))
    try await stack.merge {
      $0.update(Harbour(id: 0)) { $0.name = "other" }
      $0.update(Boat(id: 0, name: "0", harbourID: 0)) { $0.name = "renamed" }
      $0.update(Boat(id: 1, name: "1", harbourID: 1)) { $0.length = 3 }
    }
    #expect(live.statistics.refills == 0 && live.statistics.loads == 1)
    #expect(live.elements.last?.name == "renamed")
    try await stack.merge {
      $0.update(Boat(id: 1, name: "1", harbourID: 1)) { $0.harbourID = 2 }
    }
    #expect(live.statistics.refills == 1 && live.elements.contains { $0.id == 1 })
  }

  @Test func `the target of a link is maintained by the links`() async throws {
    try await stack.withScratch { scratch in
      for id in 0..<3 { scratch.insert(Note(id: id)) }
      for id in ["a", "b", "c", "d"] { scratch.insert(Tag(id: id)) }
      scratch.link(Note(id: 0), to: Tag(id: "b"), in: Note.tags)
      scratch.link(Note(id: 1), to: Tag(id: "c"), in: Note.tags)
    }
    let live = try await view.loaded(Note.tags(of: Note(id: 0)))
    #expect(live.elements.map(\.id) == ["b"])
    try await stack.withScratch {
      $0.link(Note(id: 0), to: Tag(id: "d"), in: Note.tags)
      $0.link(Note(id: 2), to: Tag(id: "a"), in: Note.tags)
    }
    #expect(live.elements.map(\.id) == ["b", "d"] && live.statistics.refills == 1)
    try await stack.withScratch { $0.link(Note(id: 1), to: Tag(id: "a"), in: Note.tags) }
    #expect(live.statistics.refills == 1)
    try await stack.merge {
      $0.unlink(Note(id: 0), from: Tag(id: "b"), in: Note.tags)
      $0.update(Tag(id: "d")) { $0.isLoud = true }
    }
    #expect(live.elements.map(\.isLoud) == [true] && live.statistics.loads == 1)
    try await stack.merge { $0.delete(Note(id: 0)) }
    #expect(live.elements.isEmpty)
  }

  @Test func `a root whose deletion a save drops is there again`() async throws {
    let folder = Folder(id: 1)
    try await stack.withScratch { scratch in
      scratch.insert(folder)
      for id in 0..<3 { scratch.insert(Note(id: id, folderID: 1)) }
    }
    let live = try await view.loaded(Folder.notes(of: folder))
    let count = view.live(.count, of: Folder.notes(of: folder))
    try await count.waitUntilLoaded()
    var updates = live.updates.makeAsyncIterator()
    view.delete(folder)
    #expect(live.elements.isEmpty && count.value == 0)
    #expect(await updates.next()?.deletions == [0, 1, 2])
    try await stack.merge { $0.update(folder) { $0.name = "theirs" } }
    #expect(live.elements.isEmpty)
    try await view.save(.mergeTheirs)
    #expect(try await view.find(Folder.self, 1)?.name == "theirs")
    #expect(live.elements.map(\.id) == [0, 1, 2] && count.value == 3)
    #expect(await updates.next()?.insertions == [0, 1, 2])
    // The root's own values do not matter to the rows.
    let wakes = live.statistics.wakes
    view.update(Folder(id: 1, name: "theirs")) { $0.name = "mine" }
    try await view.save()
    #expect(live.statistics.wakes == wakes)
  }

  @Test func `the elements of a live query with hops are those of a fetch after any history`()
    async throws
  {
    var random = SeededRandom.printingSeed()
    try await fill()
    try await stack.withScratch { scratch in
      for id in 0..<8 { scratch.insert(Note(id: id, folderID: id % 3)) }
      for id in 0..<8 { scratch.insert(Tag(id: "\(id)")) }
      for id in 0..<3 { scratch.insert(Folder(id: id)) }
    }
    let boats = [
      Boat.where { $0.harbour.isOpen && $0.length > 2 },
      Boat.where { !$0.harbour.isOpen }.sorted(by: \.name, order: .reverse),
      Boat.where { $0.harbour.name != "x" }.sorted(by: \.length).limit(6),
    ]
    var checks: [() async throws -> Bool] = []
    var statistics: [() -> LiveStatistics] = []
    func follow<E: Entity & Equatable>(_ query: Query<E>) async throws {
      let live = try await view.loaded(query)
      checks.append { (try await self.view.fetch(query)) == Array(live.elements) }
      statistics.append { live.statistics }
    }
    for query in boats { try await follow(query) }
    try await follow(Sailor.where { $0.boat.harbour.isOpen }.sorted(by: \.id, order: .reverse))
    try await follow(Sailor.where { $0.boat.harbour.isOpen || $0.boat.length > 3 }.limit(9))
    try await follow(Note.tags(of: Note(id: 1)))
    try await follow(Note.tags(of: Note(id: 2)).where { $0.isLoud }.limit(2))
    try await follow(Tag.notes(of: Tag(id: "3")).where { $0.folder.name > "f" })
    try await follow(Note.where { $0.tags.any { $0.isLoud } })
    try await follow(Note.where { $0.tags.count > 1 || $0.folder.name > "f" }.limit(4))
    try await follow(Tag.where { $0.notes.none { $0.folder.notes.count > 2 } })
    try await follow(Tag.where { $0.notes.all { $0.tags.contains("1") || $0.folder.id == 1 } })
    try await follow(Boat.where { $0.length * 2 > $0.harbour.id + 1 })
    try await follow(Boat.sorted(by: \.name, .localized, order: .reverse).limit(5))
    for step in 0..<120 {
      var edits: [@Sendable (ScratchContext) -> Void] = []
      for _ in 0...random.below(5) { edits.append(edit(&random)) }
      try await stack.merge { [edits] scratch in edits.forEach { $0(scratch) } }
      for (number, check) in checks.enumerated() {
        let isRight = try await check()
        #expect(isRight, "query \(number), step \(step), seed \(random.seed)")
        if !isRight { return }
      }
    }
    // Only a query whose root appears or disappears loads again.
    #expect(statistics.prefix(5).allSatisfy { $0().loads == 1 })
    #expect(statistics.prefix(5).allSatisfy { $0().refills > 20 })
  }

  private func edit(_ random: inout SeededRandom) -> @Sendable (ScratchContext) -> Void {
    let (id, other, flag) = (random.below(50), random.below(8), random.oneIn(2))
    let boat = Boat(
      id: id, name: "\(random.below(5))", length: random.below(6), harbourID: random.below(6))
    let sailor = Sailor(id: random.below(70), boatID: id)
    let (note, tag) = (Note(id: other, folderID: id % 4), Tag(id: "\(id % 8)", isLoud: flag))
    switch random.below(12) {
    case 0: return { $0.upsert(Harbour(id: id % 6, name: flag ? "x" : "", isOpen: flag)) }
    case 1: return { $0.delete(Harbour(id: id % 6)) }
    case 2...3: return { $0.upsert(boat) }
    case 4: return { $0.delete(boat) }
    case 5...6: return { $0.upsert(sailor) }
    case 7: return { $0.upsert(tag) }
    case 8:
      return {
        $0.upsert(note)
        $0.upsert(Folder(id: id % 4, name: flag ? "g" : "e"))
      }
    case 9: return { $0.unlink(note, from: tag, in: Note.tags) }
    case 10 where random.oneIn(4): return { $0.delete(note) }
    default: return { $0.link(note, to: tag, in: Note.tags) }
    }
  }
}

/// A sailor: two references lead to a harbour.
private struct Sailor: Entity, Equatable {
  var id = 0
  var boatID: Boat.ID?

  static let boat = toOne(\.boatID, Boat.self, onDelete: .nullify)
  static let schema = Schema<Sailor>("sailors", key: \.id) { boat }
}
