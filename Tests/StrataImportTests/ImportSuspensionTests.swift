import Foundation
import Strata
import StrataImport
import StrataTesting
import StrataTestTurns
import Testing

private struct Reading: Entity, Equatable {
  var id = 0
  var level = 0
  static let schema = Schema<Reading>("readings", key: \.id) { Attribute(\.level) }
  static let json = JSONMapping<Reading> {
    Field(\.id, "id")
    Field(\.level, "level")
  }
}

/// Tests imports whose stack is suspended in the middle of their input.
@Suite(.inTurn, .stack(Reading.self)) struct ImportSuspensionTests {
  let stack = Stack.test
  private let gate = TestGate()

  /// Readings 1 to 10,000 in two pieces. The second piece arrives when the gate is open.
  private var feed: AsyncStream<Data> {
    let halves = [1...5_000, 5_001...10_000].map { ids in
      ids.map { #"{"id": \#($0), "level": 1}"# }.joined(separator: ",")
    }
    let pieces = Lock([Data("[\(halves[0]),".utf8), Data("\(halves[1])]".utf8)])
    return AsyncStream { [gate] in
      let (piece, isLast) = pieces.withLock { pieces in
        (pieces.isEmpty ? nil : pieces.removeFirst(), pieces.isEmpty)
      }
      if piece != nil, isLast { await gate.pass() }
      return piece
    }
  }

  private func importing(_ absent: AbsentRows) -> Task<ImportResult, any Error> {
    Task { [stack, feed] in
      try await stack.importJSON(
        Reading.self, from: .chunks(feed), mapping: Reading.json, absent: absent)
    }
  }

  @Test func `an import goes on after the resumption`() async throws {
    let task = importing(.keep)
    await gate.waitForArrivals()
    await stack.suspend()
    await gate.open()
    for _ in 0..<300 { await Task.yield() }
    try await stack.resume()
    let result = try await task.value
    #expect(result.inserted == 10_000 && result.records == 10_000)
    #expect(try await stack.viewContext.count(Reading.all) == 10_000)
  }

  @Test func `an import knows over a suspension what existed at its start`() async throws {
    try await stack.withScratch { $0.insert(Reading(id: 20_000)) }
    let task = importing(.delete)
    await gate.waitForArrivals()
    await stack.suspend()
    try await stack.resume()
    // If the import read the existing rows again, it would take this row for an absent row.
    try await stack.withScratch { $0.insert(Reading(id: 30_000)) }
    await gate.open()
    let result = try await task.value
    #expect(result.inserted == 10_000 && result.deleted == 1)
    #expect(try await stack.viewContext.count(Reading.all) == 10_001)
  }
}
