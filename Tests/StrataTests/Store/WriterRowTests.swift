import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn, .stack(Boat.self, Harbour.self)) struct WriterRowTests {
  let stack = Stack.test
  let boat = Boat(id: 1, name: "Gull", length: 9, speed: 6)

  @Test func `an insertion, an update and a deletion write one row and announce it`() async throws {
    var changes = stack.changes.makeAsyncIterator()
    var faster = boat
    faster.speed = nil
    faster.name = "Swift"

    #expect(try await stack.commit { $0.insert(boat) } == 1)
    let inserted = await changes.next()
    #expect(inserted?.commit == 1 && inserted?.count == 1)
    #expect(inserted?.changes(of: Boat.self).inserted == [boat])
    #expect(try await stack.rows("SELECT * FROM boats") == ["1 Gull 9 6 null"])

    try await stack.commit { $0.update(boat) { $0 = faster } }
    let update = await changes.next()?.changes(of: Boat.self).updated.first
    #expect(update?.before == boat && update?.after == faster)
    #expect(update?.attributes == ["name", "speed"])
    #expect(try await stack.rows("SELECT * FROM boats") == ["1 Swift 9 null null"])

    try await stack.commit { $0.delete(faster) }
    #expect(await changes.next()?.changes(of: Boat.self).deleted == [faster])
    #expect(try await stack.rows("SELECT * FROM boats") == [])
    #expect(try await stack.rows("SELECT number FROM strata_commit") == ["3"])
  }

  @Test func `an upsert writes what differs and announces what was there`() async throws {
    try await stack.commit { $0.insert(boat) }
    var changes = stack.changes.makeAsyncIterator()
    var longer = boat
    longer.length = 12
    let other = Boat(id: 2, name: "Tern")
    try await stack.commit {
      $0.upsert(other)
      $0.upsert(longer)
    }
    let announced = await changes.next()?.changes(of: Boat.self)
    #expect(announced?.inserted == [other])
    #expect(announced?.updated.map(\.before) == [boat])
    #expect(announced?.updated.map(\.attributes) == [["length"]])
    #expect(try await stack.rows("SELECT id, length FROM boats ORDER BY id") == ["1 12", "2 0"])
  }

  @Test func `a save that changes no row makes no commit and is not announced`() async throws {
    let harbour = Harbour(id: 3, name: "Oban")
    try await stack.commit {
      $0.insert(boat)
      $0.insert(harbour)
    }
    // The view context reads the same change log.
    try await stack.viewContext.waitUntilMerged(1)
    let changes = stack.changes
    let nothings: [(ScratchContext) -> Void] = [
      { $0.upsert(boat) },
      { $0.insert(boat) },
      { $0.update(boat) { $0.name = "Gull" } },
      { $0.delete(Boat(id: 77)) },
      {
        $0.update(harbour) { $0.isOpen = false }
        $0.update(harbour) { $0.isOpen = true }
      },
      {
        $0.insert(Boat(id: 9))
        $0.delete(Boat(id: 9))
      },
    ]
    for nothing in nothings { #expect(try await stack.commit(.error, nothing) == 1) }
    #expect(stack.store.publisher.load.unread == 0)
    #expect(try await stack.rows("SELECT number FROM strata_commit") == ["1"])

    // An unchanged row beside a changed row is not announced either.
    var iterator = changes.makeAsyncIterator()
    try await stack.commit {
      $0.upsert(harbour)
      $0.upsert(Boat(id: 2))
    }
    let announced = await iterator.next()
    #expect(announced?.commit == 2 && announced?.count == 1)
    #expect(announced?.changes(of: Harbour.self).isEmpty == true)
  }

  @Test func `many upserts in one save find every row, there or not`() async throws {
    // The keys are so many that the writer scans instead of looking up, and they have gaps in
    // between.
    let old = stride(from: 0, to: 400, by: 7).map { Boat(id: $0, name: "old") }
    try await stack.commit { scratch in old.forEach(scratch.insert) }
    var changes = stack.changes.makeAsyncIterator()
    let new = stride(from: 0, to: 400, by: 2).map {
      Boat(id: $0, name: $0 % 4 == 0 ? "old" : "new")
    }
    try await stack.commit { scratch in new.reversed().forEach(scratch.upsert) }
    let announced = await changes.next()?.changes(of: Boat.self)
    let there = Set(old.map(\.id))
    #expect(announced?.inserted == new.filter { !there.contains($0.id) })
    #expect(
      announced?.updated.map(\.after) == new.filter { there.contains($0.id) && $0.name == "new" })
    let rows = try await stack.rows("SELECT count(*) FROM boats")
    #expect(rows == ["\(there.union(new.map(\.id)).count)"])
  }

  @Test func `deleting and inserting a key in one save is an update`() async throws {
    try await stack.commit { $0.insert(boat) }
    var changes = stack.changes.makeAsyncIterator()
    let replacement = Boat(id: 1, name: "Heron", length: 9)
    try await stack.commit {
      $0.delete(boat)
      $0.insert(replacement)
    }
    let announced = await changes.next()?.changes(of: Boat.self)
    #expect(announced?.updated.map(\.after) == [replacement])
    #expect(announced?.inserted == [] && announced?.deleted == [])
    #expect(try await stack.rows("SELECT name FROM boats") == ["Heron"])
  }
}
