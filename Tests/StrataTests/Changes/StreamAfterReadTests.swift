import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// A consumer of changes that also reads.
///
/// Every row that it reads in between must be corrected by a later change.
@Suite(.inTurn, .stack(Boat.self, Harbour.self)) struct StreamAfterReadTests {
  let stack = Stack.test

  private func set(_ id: Int, to length: Int?) async throws {
    try await stack.withScratch { scratch in
      guard let length else {
        for boat in try await scratch.find(Boat.self, [id]) { scratch.delete(boat) }
        return
      }
      scratch.upsert(Boat(id: id, length: length))
    }
  }

  private func follow(_ copy: inout [Int: Int], _ changes: Changes<Boat>) {
    for boat in changes.deleted { copy[boat.id] = nil }
    for boat in changes.inserted { copy[boat.id] = boat.length }
    for update in changes.updated { copy[update.after.id] = update.after.length }
  }

  /// The changes from 0 to 1 and from 1 to 0 must not compose to nothing. Otherwise the consumer's
  /// copy would stay at 1.
  @Test(arguments: [(0, 1, 0), (nil, 1, nil), (1, nil, 1)] as [(Int?, Int?, Int?)])
  func `a row that is what it was is told if it was another one meanwhile`(
    _ first: Int?, _ second: Int?, _ third: Int?
  ) async throws {
    try await set(1, to: first)
    var all = stack.changes.makeAsyncIterator()
    var ofView = await stack.viewContext.changes(of: Boat.self).makeAsyncIterator()
    try await set(1, to: second)
    var copies: [[Int: Int]] = []
    for boats in [try await stack.fetch(Boat.all), try await stack.viewContext.fetch(Boat.all)] {
      copies.append(Dictionary(uniqueKeysWithValues: boats.map { ($0.id, $0.length) }))
    }
    try await set(1, to: third)
    try await set(2, to: 7)
    follow(&copies[0], try #require(await all.next()).changes(of: Boat.self))
    follow(&copies[1], try #require(await ofView.next()))
    var expected = [2: 7]
    expected[1] = third
    #expect(copies == [expected, expected])
  }

  /// The read after a reset shows a later commit than the reset.
  @Test func `the changes after a reset and a read make the copy equal to the store`() async throws
  {
    try await set(1, to: 0)
    var changes = stack.changes.makeAsyncIterator()
    try await stack.writeAsAnotherProgram("UPDATE boats SET name = 'reset'")
    try await stack.withScratch { $0.insert(Harbour(id: 1)) }
    #expect(try #require(await changes.next()).changes(of: Boat.self).isReset)
    try await set(1, to: 1)
    var copy = Dictionary(
      uniqueKeysWithValues: try await stack.fetch(Boat.all).map { ($0.id, $0.length) })
    try await set(1, to: 0)
    follow(&copy, try #require(await changes.next()).changes(of: Boat.self))
    #expect(copy == [1: 0])
  }
}
