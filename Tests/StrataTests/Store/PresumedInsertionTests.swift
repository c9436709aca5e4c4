import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataSQLite

/// The presumption that an insertion's key is new.
///
/// Rules and checks must run on the rows that the save leaves in the store. They must not run on an
/// insertion that the policy drops, or on a row of another context.
@Suite(
  .inTurn,
  .stack(
    Boat.self, Harbour.self, Pier.self, Berth.self, Pennant.self, Booking.self, Room.self))
struct PresumedInsertionTests {
  let stack = Stack.test
  let oban = Harbour(id: 1, name: "Oban")
  let mallaig = Harbour(id: 2, name: "Mallaig")

  private func prepare(_ more: (ScratchContext) -> Void = { _ in }) async throws {
    try await stack.commit {
      $0.insert(oban)
      $0.insert(mallaig)
      more($0)
    }
  }

  // The policy drops the insertions: the pier and the boat stay in Mallaig, which the save deletes.
  // The rules must see the stored rows, not the insertions into Oban.
  @Test(arguments: [SavePolicy.mergeTheirs, .discard])
  func `rules see the row that the policy leaves`(_ policy: SavePolicy) async throws {
    try await prepare {
      $0.insert(Pier(id: 1, harbourID: 2))
      $0.insert(Boat(id: 1, harbourID: 2))
    }
    try await stack.commit(policy) {
      $0.insert(Pier(id: 1, harbourID: 1))
      $0.insert(Boat(id: 1, harbourID: 1))
      $0.delete(mallaig)
    }
    #expect(try await stack.rows("SELECT id FROM piers") == [])
    #expect(try await stack.rows("SELECT id, harbourID FROM boats") == ["1 null"])
    #expect(try await stack.rows("SELECT id FROM harbours") == ["1"])
  }

  // Rules that see the dropped insertion would find that the denying berth has left its harbour.
  @Test(arguments: [SavePolicy.mergeTheirs, .discard])
  func `an insertion that is dropped does not lift a denial`(_ policy: SavePolicy) async throws {
    try await prepare {
      $0.insert(Pier(id: 1, harbourID: 1))
      $0.insert(Berth(id: 1, harbourID: 2, pierID: 1))
    }
    let error = await failure {
      try await stack.commit(policy) {
        $0.insert(Berth(id: 1, harbourID: 1, pierID: 1))
        $0.delete(mallaig)
      }
    }
    #expect(error?.code == .deleteDenied)
    #expect(try await stack.rows("SELECT count(*) FROM harbours") == ["2"])
  }

  // The stored pier is another context's and lies in Mallaig. A cascade over the insertion would
  // delete the stored pier without a conflict.
  @Test func `a cascade over an insertion that somebody else made is a conflict`() async throws {
    try await prepare { $0.insert(Pier(id: 7, harbourID: 2)) }
    let scratch = stack.makeScratch()
    scratch.insert(Pier(id: 7, harbourID: 1))
    scratch.delete(oban)
    let error = await failure { try await scratch.save() }
    #expect(error?.code == .conflict && error?.conflicts.map(\.key) == [RecordKey(.integer(7))])
    #expect(try await stack.rows("SELECT id, harbourID FROM piers") == ["7 2"])
    // The insertion overwrites the stored pier, and the cascade deletes it with its harbour.
    var changes = stack.changes.makeAsyncIterator()
    try await scratch.save(.overwrite)
    #expect(await changes.next()?.changes(of: Pier.self).deleted.map(\.harbourID) == [2])
    #expect(try await stack.rows("SELECT id FROM piers") == [])
  }

  @Test func `an insertion that goes with its target in the same save is none`() async throws {
    try await prepare()
    try await stack.commit {
      $0.insert(Pier(id: 7, harbourID: 1))
      $0.delete(oban)
    }
    #expect(try await stack.rows("SELECT id FROM piers") == [])
    #expect(try await stack.rows("SELECT id FROM harbours") == ["2"])
  }

  // A check before the policy would refuse an insertion that is not written.
  @Test func `an insertion that is not written is not checked`() async throws {
    try await prepare { $0.insert(Booking(id: 1)) }
    let scratch = stack.makeScratch()
    scratch.insert(Booking(id: 1, guests: 0))
    #expect(try await scratch.save(.discard) == 1)
    scratch.insert(Booking(id: 1, guests: 0))
    scratch.insert(Booking(id: 2))
    #expect(try await scratch.save(.mergeTheirs) == 2)
    #expect(try await stack.rows("SELECT id, guests FROM bookings") == ["1 2", "2 2"])
    let invalid = await failure {
      try await stack.commit(.mergeMine) { $0.insert(Booking(id: 1, guests: 0)) }
    }
    #expect(invalid?.code == .validationFailed)
  }

  // A program without rules wrote the rows: the pier's harbour is missing, and the booking has no
  // guests.
  @Test func `an insertion that equals the stored row is none`() async throws {
    try await prepare()
    let connection = try Connection(path: await stack.path, .readWrite)
    try connection.execute("INSERT INTO piers (id, harbourID) VALUES (1, 99)")
    try connection.execute(
      "INSERT INTO bookings (id, name, guests, begins, ends, note) VALUES (1, 'Nina', 0, 1, 2, '')")
    for policy in SavePolicy.allCases {
      let commit = try await stack.commit(policy) {
        $0.insert(Pier(id: 1, harbourID: 99))
        $0.insert(Booking(id: 1, guests: 0))
      }
      #expect(commit == stack.store.newestCommit)
    }
    #expect(try await stack.rows("SELECT id FROM piers") == ["1"])
  }

  private static let refused: [@Sendable (ScratchContext) -> Void] = [
    { $0.delete(Harbour(id: 2, name: "Mallaig")) },
    { $0.insert(Pier(id: 5, harbourID: 77)) },
    { $0.insert(Pennant(id: 2, code: "A")) },
    { $0.insert(Booking(id: 5, guests: 0)) },
  ]

  // If refusals of other rows came first, a caller would correct them and meet the conflicts one
  // save later.
  @Test(arguments: refused.indices, [false, true])
  func `conflicts come before every other refusal`(_ index: Int, _ isInsertion: Bool) async throws {
    let boat = Boat(id: 1, name: "Gull")
    try await prepare {
      $0.insert(Pier(id: 1, harbourID: 1))
      $0.insert(Berth(id: 1, harbourID: 2, pierID: 1))
      $0.insert(Pennant(id: 1, code: "A"))
      $0.insert(boat)
      $0.insert(Boat(id: 2))
    }
    try await stack.commit { $0.update(boat) { $0.name = "Auk" } }
    let edit = Self.refused[index]
    let alone = await failure { try await stack.commit { edit($0) } }
    #expect(alone != nil && alone?.code != .conflict)
    let scratch = stack.makeScratch()
    edit(scratch)
    if isInsertion {
      scratch.insert(Boat(id: 1, name: "Tern"))
      scratch.insert(Boat(id: 2, name: "Tern"))
    } else {
      scratch.update(boat) { $0.name = "Tern" }
    }
    let error = await failure { try await scratch.save() }
    #expect(error?.code == .conflict)
    #expect(error?.conflicts.map(\.key.integer) == (isInsertion ? [1, 2] : [1]))
    #expect(await failure { try await scratch.save(.mergeMine) }?.code == alone?.code)
    #expect(try await stack.rows("SELECT id, name FROM boats") == ["1 Auk", "2 "])
  }

  @Test func `new rows and rows that are there are written together`() async throws {
    try await prepare { scratch in
      for id in 0..<20 { scratch.insert(Boat(id: id * 5, name: "theirs")) }
    }
    var changes = stack.changes.makeAsyncIterator()
    try await stack.commit(.mergeMine) { scratch in
      for id in 0..<100 { scratch.insert(Boat(id: id, name: "mine")) }
    }
    let reported = await changes.next()?.changes(of: Boat.self)
    #expect(reported?.inserted.count == 80 && reported?.updated.count == 20)
    #expect(try await stack.rows("SELECT name, count(*) FROM boats GROUP BY 1") == ["mine 100"])
  }
}
