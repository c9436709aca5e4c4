import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataSQLite

@Suite(.inTurn, .stack(Booking.self, Room.self, Boat.self, Harbour.self)) struct SaveValidationTests
{
  let stack = Stack.test

  private func failures(
    _ policy: SavePolicy = .error, _ edit: (ScratchContext) -> Void
  ) async throws -> [String] {
    let scratch = stack.makeScratch()
    edit(scratch)
    let before = scratch.hasChanges
    guard let error = await failure({ try await scratch.save(policy) }) else { return [] }
    #expect(error.code == .validationFailed, "\(error)")
    #expect(error.failureCount == error.failures.count && scratch.hasChanges == before)
    return error.failures.map(\.description)
  }

  @Test func `a valid row is written, and nil breaks no rule but required`() async throws {
    #expect(
      try await failures {
        $0.insert(Booking(id: 1, code: "AB12", price: 9.5))
        $0.insert(Booking(id: 2))
      } == [])
    #expect(try await stack.fetch(Booking.all).count == 2)
    #expect(
      try await failures { $0.insert(Room(id: 1, name: nil)) }
        == ["Room.name of 1: must have a value"])
  }

  @Test func `every failure of a save is reported at once and nothing is written`() async throws {
    let found = try await failures { scratch in
      scratch.insert(Boat(id: 1))
      scratch.insert(Booking(id: 3, name: "", guests: 0))
      scratch.insert(Booking(id: 1, name: "nina simone of North Carolina", code: "ab1234567"))
      scratch.insert(Booking(id: 2))
      scratch.upsert(Booking(id: 4, price: -0.001, begins: 2, ends: 2))
      scratch.insert(Room(id: 9, name: nil))
    }
    #expect(
      found == [
        "Booking.name of 1: its length must be between 1 and 20",
        "Booking.name of 1: must begin with a capital letter",
        "Booking.code of 1: must have the right form",
        "Booking.code of 1: its length must be at most 6",
        "Booking.name of 3: its length must be between 1 and 20",
        "Booking.guests of 3: must be between 1 and 12",
        "Booking.price of 4: must be at least 0.0",
        "Booking.price of 4: must be whole cents",
        "Booking of 4: must end after it begins",
        "Room.name of 9: must have a value",
      ])
    #expect(
      try await stack.rows(
        "SELECT (SELECT count(*) FROM bookings) + (SELECT count(*) FROM boats)") == ["0"])
    #expect(try await stack.makeScratch().save() == 0)
  }

  @Test func `a failure names entity, key and attribute`() async throws {
    let scratch = stack.makeScratch()
    scratch.insert(Booking(id: 7, guests: 13))
    let error = try #require(await failure { try await scratch.save() })
    #expect(error.entity == "Booking" && error.attributes == ["guests"])
    #expect(error.keys == [RecordKey(.integer(7))])
    #expect(
      error.failures.map(\.attribute) == ["guests", nil]
        && error.failures.allSatisfy { $0.entity == "Booking" && $0.key == error.keys[0] })
    scratch.update(Booking(id: 7, guests: 13)) { $0.guests = 3 }
    try await scratch.save()
    #expect(try await stack.rows("SELECT id, guests FROM bookings") == ["7 3"])
  }

  @Test func `the first thousand failures are listed, and all are counted`() async throws {
    let scratch = stack.makeScratch()
    for number in 1...1500 { scratch.insert(Booking(id: number, guests: 0)) }
    let error = try #require(await failure { try await scratch.save() })
    #expect(error.failures.count == 1000 && error.failureCount == 1500)
    #expect(error.message.hasSuffix("and 1499 more failures"))
  }

  @Test func `an update is checked where it changed something, and as a whole`() async throws {
    try await Self.withInvalidRows { stack in
      let rows = try await stack.fetch(Booking.all)
      // The update leaves the invalid attributes alone.
      let scratch = stack.makeScratch()
      scratch.update(rows[0]) { $0.note = "paid" }
      try await scratch.save()
      // The update sets the invalid attribute to another invalid value.
      scratch.update(rows[0]) { $0.guests = 99 }
      let guests = await failure { try await scratch.save() }
      #expect(guests?.failures.map(\.message) == ["must be between 1 and 12"])
      scratch.rollback()
      // A rule of the whole entity runs after a change of any attribute.
      scratch.update(rows[1]) { $0.note = "paid" }
      let whole = await failure { try await scratch.save() }
      #expect(whole?.failures.map(\.message) == ["must end after it begins"])
      scratch.rollback()
      // The upserts equal the stored rows: no row changes, so no row is checked.
      for row in try await stack.fetch(Booking.all) { scratch.upsert(row) }
      #expect(try await scratch.save() == 2)
    }
  }

  /// Calls `body` with a stack over rows that are older than the schema's rules.
  private static func withInvalidRows(_ body: (Stack) async throws -> Void) async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let url = URL(fileURLWithPath: folder.path + "/store.sqlite")
    let old = try await Stack.open(UncheckedBooking.self, Room.self, at: url)
    try await old.withScratch { scratch in
      scratch.insert(UncheckedBooking(id: 1, guests: 20, roomID: 1))
      scratch.insert(UncheckedBooking(id: 2, begins: 5))
    }
    await old.close()
    let stack = try await Stack.open(Booking.self, Room.self, at: url)
    do { try await body(stack) } catch {
      await stack.close()
      throw error
    }
    await stack.close()
  }

  @Test func `a validation checks the merged row`() async throws {
    try await stack.withScratch { $0.insert(Booking(id: 1, begins: 1, ends: 5)) }
    let row = Booking(id: 1, begins: 1, ends: 5)
    let (mine, theirs) = (stack.makeScratch(), stack.makeScratch())
    // Each edit is valid alone.
    mine.update(row) { $0.begins = 4 }
    theirs.update(row) { $0.ends = 3 }
    try await theirs.save()
    let error = await failure { try await mine.save() }
    #expect(error?.failures.map(\.message) == ["must end after it begins"])
    #expect(try await stack.rows("SELECT begins, ends FROM bookings") == ["1 3"])
  }

  @Test func `a conflict is reported before a failure`() async throws {
    try await stack.withScratch { $0.insert(Booking(id: 1)) }
    let mine = stack.makeScratch()
    mine.update(Booking(id: 1)) { $0.guests = 0 }
    try await stack.commit { $0.update(Booking(id: 1)) { $0.guests = 3 } }
    #expect(await failure { try await mine.save() }?.code == .conflict)
    #expect(await failure { try await mine.save(.overwrite) }?.code == .validationFailed)
  }

  @Test func `rows that delete rules change are checked too`() async throws {
    try await stack.withScratch {
      $0.insert(Room(id: 1))
      $0.insert(Booking(id: 1, guests: 11, roomID: 1))
      $0.insert(Booking(id: 2, guests: 3, roomID: 1))
    }
    #expect(
      try await failures { $0.delete(Room(id: 1)) }
        == ["Booking of 1: needs a room for more than ten"])
    #expect(try await stack.rows("SELECT count(*) FROM rooms") == ["1"])
  }

  @Test func `deletions and tables without rules are not checked`() async throws {
    try await Self.withInvalidRows { stack in
      try await stack.withScratch { scratch in
        for row in try await scratch.fetch(Booking.all) { scratch.delete(row) }
      }
      #expect(try await stack.rows("SELECT count(*) FROM bookings") == ["0"])
    }
    #expect(stack.store.model.table(of: Boat.self).rules == nil)
  }
}
